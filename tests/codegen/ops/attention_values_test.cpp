// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ops/attention_values.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {
std::string values_text(u32_t head_dim, const attention_tactic& t) {
    return test::written([&](auto& as) {
        const attention c{.heads = t.heads, .kv_heads = 1, .head_dim = head_dim, .context = 8192, .kv = bf16};
        const ptx::attention_state s{as.b32(), as.b32(), as.b32(), as.b32(), as.b64(), as.b64(), as.b32(), as.b32()};
        const ptx::chunk_rows rows{as.b32(), as.b32(), as.b64(), as.b64()};
        ptx::value_emitter(as, c, t, s, rows).emit({as.b64(), 4 * partial_values(c)});
    });
}
/// Multiplications of one position: loops take `ahead` positions, fewer and fewer, in the end one.
usz multiplications(u32_t head_dim, const attention_tactic& t, usz in_all) { return test::occurrences(values_text(head_dim, t), "fma.rn.f32") / in_all; }
}  // namespace

TEST_CASE("heads are dealt to sets of threads that each cover a row") {
    CHECK(multiplications(64, {.heads = 4, .warps = 4}, 32 + 8 + 2 + 1) == 2);     // 4 sets of 32 threads
    CHECK(multiplications(128, {.heads = 4, .warps = 4}, 16 + 4 + 1) == 4);        // 4 sets of 32
    CHECK(multiplications(128, {.heads = 8, .warps = 2}, 8 + 2 + 1) == 2 * 8);     // 4 sets of 16 for 8 heads
    CHECK(multiplications(256, {.heads = 3, .warps = 1}, 8 + 2 + 1) == 3 * 8);     // one set of 32
}

TEST_CASE("rows wider than the worker take several passes") {
    CHECK(multiplications(1024, {.heads = 1, .warps = 4}, 8 + 2 + 1) == 8);
    CHECK(multiplications(1024, {.heads = 1, .warps = 1}, 8 + 2 + 1) == 4 * 8);
}
