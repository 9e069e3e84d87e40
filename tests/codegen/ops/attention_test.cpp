// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/attention_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/attention.hpp>

#include <string>

#include "support/attention_cases.hpp"
#include "support/catch.hpp"
#include "support/interpreted.hpp"

using namespace netra;

namespace {
constexpr attention contract(u32_t heads, u32_t kv_heads, u32_t head_dim, u32_t splits = 1) {
    return {.rows = 1, .heads = heads, .kv_heads = kv_heads, .head_dim = head_dim, .context = 8192, .kv = bf16, .splits = splits};
}
}  // namespace

TEST_CASE("heads that share a kv head share a block as far as they fit") {
    CHECK(kernel_of(contract(32, 8, 64)).tactic == attention_tactic{.heads = 4, .workers = 2, .warps = 4});
    CHECK(kernel_of(contract(32, 8, 64)).launch().blocks == 8);
    CHECK(kernel_of(contract(32, 8, 64, 16)).launch().blocks == 128);
    CHECK(kernel_of(contract(10, 1, 128)).tactic.heads == 5);  // 8 is no divisor of 10
    CHECK(kernel_of(contract(11, 1, 128)).tactic.heads == 1);
    CHECK(kernel_of(contract(32, 8, 64, 64)).tactic.warps == 8);  // one chunk a split
}

TEST_CASE("every attention fits the shared memory that needs no permission") {
    for (const u32_t head_dim : {8U, 64U, 72U, 128U, 256U, 1024U})
        for (const u32_t chunk : {16U, 128U, 1024U, 4096U})
            for (const u32_t group : {1U, 2U, 3U, 7U, 8U, 9U, 16U}) {
                attention c = contract(group, 1, head_dim);
                c.chunk = chunk;
                INFO("head_dim " << head_dim << " chunk " << chunk << " group " << group);
                REQUIRE(check_kernel(c).ok());
                CHECK(kernel_of(c).launch().shared_bytes <= plain_shared_bytes);
                CHECK(kernel_of(c).launch().threads == 256);
            }
}

TEST_CASE("keys are read 16 bytes at a time, values as wide as there are threads for") {
    const auto loads = [](u32_t heads, const char* what) { return test::occurrences(test::module_text(kernel_of(contract(heads, 1, 128)), sm_80).text(), what); };
    CHECK(loads(4, "ld.global.v4.b32") == 8);                     // half a key
    CHECK(loads(4, "ld.global.v2.b32") == 16 + 4 + 1);            // positions
    CHECK(loads(8, "ld.global.v4.b32") == 8 + 8 + 2 + 1);
    CHECK(loads(8, "ld.global.b16") == 0);
}

TEST_CASE("attention without a kernel is refused with its numbers") {
    CHECK(std::string(sentence(check_kernel(contract(4, 2, 50))).d) == "attention: head_dim (for the PTX kernel) is 50, which is not a multiple of 8");
    CHECK(check_kernel(contract(5, 2, 64)).why == reason::heads_not_divisible);
    attention c = contract(1U << 26, 1U << 26, 64, 256);
    CHECK(check_kernel(c).why == reason::too_large);
    c = contract(4, 2, 64);
    c.rows = 17;
    CHECK(check_kernel(c).why == reason::too_many_rows);
}

TEST_CASE("attention in the interpreter stays within 1e-6 of its reference") {
    test::interpreted on;
    test::check_attentions(on, on.dice(), test::slow_build ? 2 : 8, 96);
}

TEST_CASE("a worker of several chunks of a split ends one before it begins the next") {
    test::interpreted on;
    attention c = contract(2, 1, 16, 2);
    c.context = 200;
    c.chunk = 16;
    for (u32_t i = 0; i < 4; ++i) test::check_attention(on, on.dice(), c, 199, 2.0F);
}

TEST_CASE("positions beyond the context read the cache's last") {
    test::interpreted on;
    attention c = contract(2, 1, 16);
    c.context = 40;
    c.chunk = 16;
    const auto q = test::random_floats(on.dice(), 32);
    const auto keys = test::random_cache(on.dice(), c, 39);
    const auto values = test::random_cache(on.dice(), c, 39);
    const auto last = test::attended(on, c, q, keys, values, 39);
    for (const u32_t position : {40U, 41U, ~0U}) CHECK(test::differing(test::attended(on, c, q, keys, values, position), last) == 0);
}
