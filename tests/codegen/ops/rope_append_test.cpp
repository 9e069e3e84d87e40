// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/attention_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/rope_append.hpp>

#include <string>

#include "support/attention_cases.hpp"
#include "support/catch.hpp"
#include "support/interpreted.hpp"

using namespace netra;

namespace {
constexpr rope_append contract(dtype kv = dtype::bf16, u32_t dims = 0) {
    return {.heads = 9, .kv_heads = 3, .context = 2048, .kv = kv, .table = {.rows = 2, .head_dim = 64, .frequencies = {.dims = dims}}};
}
std::string text_of_kernel(const rope_append& c) { return test::module_text(kernel_of(c), sm_80).text(); }
}  // namespace

TEST_CASE("there is a warp for every query, key and value head of every row") {
    CHECK(kernel_of(contract()).launch() == kernel_launch{.blocks = 8, .threads = 128});  // 2 rows of 15 heads
}

TEST_CASE("the text has what the contract asks for") {
    CHECK(text_of_kernel(contract(dtype::f16)).find("cvt.rn.f16.f32") != std::string::npos);
    CHECK(text_of_kernel(contract(dtype::f32)).find("cvt.rn") == std::string::npos);
    CHECK(text_of_kernel(contract()).find("sqrt") == std::string::npos);
    rope_append c = contract();
    c.qk_norm = true;
    CHECK(test::occurrences(text_of_kernel(c), "sqrt") == 1);
    CHECK(test::occurrences(text_of_kernel(contract(dtype::f32, 32)), "setp.ge.u32") == test::occurrences(text_of_kernel(contract(dtype::f32)), "setp.ge.u32") + 1);
}

TEST_CASE("a rope_append without a kernel is refused") {
    CHECK(check_kernel(contract(dtype::bf16, 33)).why == reason::not_a_multiple);
    CHECK(check_kernel(contract(dtype::bf16, 66)).why == reason::too_large);
    rope_append c = contract();
    c.heads = c.kv_heads = 1U << 28;
    CHECK(check_kernel(c).why == reason::too_large);
}

TEST_CASE("rope_append in the interpreter gives the bits of its reference") {
    test::interpreted on;
    test::check_rope_append(on, on.dice(), test::slow_build ? 8 : 48);
}
