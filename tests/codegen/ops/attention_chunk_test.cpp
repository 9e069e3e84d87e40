// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ops/attention_chunk.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {
std::string chunk_text(const attention& c, const attention_tactic& t) {
    return test::written([&](auto& as) {
        const ptx::attention_state s{as.b32(), as.b32(), as.b32(), as.b32(), as.b64(), as.b64(), as.b32(), as.b32()};
        ptx::chunk_emitter chunks(as, c, t, s);
        chunks.emit(as.b32(), {as.b32(), 4 * partial_values(c)});
    });
}
constexpr attention contract(u32_t head_dim) { return {.heads = 3, .kv_heads = 1, .head_dim = head_dim, .context = 8192, .kv = bf16}; }
}  // namespace

TEST_CASE("a chunk's three parts are apart by two barriers of the worker's warps") {
    attention c = contract(64);
    CHECK(test::occurrences(chunk_text(c, {.heads = 3, .workers = 2, .warps = 4}), "bar.sync 0;") == 2);  // all workers keep step
    c.splits = 4;
    const std::string two = chunk_text(c, {.heads = 3, .workers = 2, .warps = 4});
    CHECK(test::occurrences(two, "bar.sync 1, 128;") == 2);
    CHECK(test::occurrences(two, "bar.sync 2, 128;") == 2);
    CHECK(test::occurrences(chunk_text(c, {.heads = 3, .workers = 1, .warps = 8}), "bar.sync 0;") == 2);
}

TEST_CASE("a score is one fused multiply-add for each element, sixteen partial sums of two threads") {
    const auto multiplications = [](u32_t head_dim) { return test::occurrences(chunk_text(contract(head_dim), {.heads = 3, .workers = 2, .warps = 4}), "fma.rn.f32"); };
    CHECK(multiplications(64) - multiplications(32) == 3 * 16);  // half of 32 more elements, for each of 3 heads
    CHECK(multiplications(72) - multiplications(64) == 3 * 8);   // the half step is a step of its own
}

TEST_CASE("results go to shared memory or to global memory, wherever the place is") {
    CHECK(chunk_text(contract(64), {.heads = 3}).find("st.global") == std::string::npos);
}
