// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Plans of persistent kernels for tests: small ones at random, and their schedules.
#pragma once

#include <netra/schedule/check_stream.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/dice.hpp"

namespace netra::test {

constexpr device gpu_of(u32_t blocks) {
    return {.name = "gpu", .isa = instruction_set::ptx, .workers = blocks, .shared_bytes = 232448};
}

inline stream_plan random_plan(dice& d) {
    constexpr u32_t rows[] = {1, 2, 4, 8, 16};
    llama m{.layers = d.between(1, 3), .kv_heads = d.between(1, 4), .head_dim = 2 * d.between(1, 6), .context = 64, .rows = rows[d.below(5)],
            .tied_head = d.percent(50), .qkv_bias = d.percent(30), .o_bias = d.percent(30), .mlp_bias = d.percent(30), .qk_norm = d.percent(30),
            .weights = bf16, .kv = bf16};
    m.hidden = 2 * d.between(1, 40);
    m.intermediate = 2 * d.between(1, 40);
    m.vocab = d.between(1, 200);
    m.heads = m.kv_heads * d.between(1, 4);
    return plan_stream(m, gpu_of(d.between(1, 40)), {.kv_splits = d.percent(20) ? 0 : d.percent(20) ? most_kv_splits : d.between(1, 8)});
}
/// Any number of steps, headless ones among them, any number of active splits.
inline stream_scope random_scope(const stream_plan& p, dice& d) {
    const u32_t steps = d.between(1, 4);
    return {.steps = steps, .headless = d.percent(50) ? 0 : d.below(u64_t{1} << steps),
            .draws = d.percent(50) ? 0 : d.below(u64_t{1} << steps), .rounds = d.percent(30) ? draw_rounds : d.between(1, 4), .active = d.between(0, p.kv_splits), .own_queues = d.percent(50)};
}
/// Blocks that choose have a share of the embedding.
inline bool choices_end(const stream_plan& p) {
    return (p.model.rows < p.blocks ? p.model.rows : p.blocks) <= divided_up(p.model.hidden, divided_up(p.model.hidden, p.blocks));
}

inline loose_schedule streamed(const stream_plan& p, const stream_scope& scope = {}) {
    loose_schedule s;
    s.operations.clear();
    lower_stream(p, scope, s);
    return s;
}

}  // namespace netra::test
