// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether a persistent kernel's exchange is safe: no deadlock, no race, nothing overwritten that somebody may still read.
#pragma once

#include <netra/schedule/check.hpp>
#include <netra/schedule/checks/polled.hpp>
#include <netra/schedule/lower_stream.hpp>

namespace netra::inline v0 {

namespace detail {

/// A schedule that grows while a function runs, in the compiler or not.
struct growing_schedule {
    growing<group> groups{};
    growing<buffer> buffers{};
    growing<operation> operations{};
    u32_t counters = 0;
    u32_t queues = 1;
    u64_t arena_bytes = 0;
    device where{};
};

/// Every layer's first group starts after all groups before it.
constexpr bool layers_apart(const schedule_view& s, const order_view& order) {
    for (usz g = 0; g < s.group_count; ++g)
        for (const auto& a : s.groups[g].accesses)
            if (a.write && a.buffer == static_cast<u16_t>(exchange::qkv) && order.open(g).count != 0) return false;
    return true;
}

/// Three steps, the first without a head.
constexpr stream_scope checked_scope(u32_t layers, u32_t active, bool own_queues) {
    return {.steps = 3, .layers = layers, .headless = 1, .active = active, .own_queues = own_queues};
}
/// A draw after a draw, then a greedy choice.
constexpr stream_scope drawing_scope(bool own_queues, u32_t rounds) {
    return {.steps = 3, .layers = 1, .draws = 3, .rounds = rounds, .own_queues = own_queues};
}
constexpr verdict check_order(const stream_plan& p, const stream_scope& scope) {
    growing_schedule made;
    lower_stream(p, scope, made);
    const schedule_view s = view(made);
    if (verdict v = check_structure(s); !v.ok()) return v;
    const group_order order(s);
    if (verdict v = check_waits(s, order.view()); !v.ok()) return v;
    if (!layers_apart(s, order.view())) return refuse(reason::data_race, "a layer", "the layer before");
    return check_memory(s, order.view());
}
constexpr verdict check_words(const stream_plan& p, const stream_scope& scope) {
    growing_schedule made;
    lower_stream(p, scope, made);
    return check_polled(view(made));
}
constexpr verdict check_draws(const stream_plan& p, u32_t rounds) {
    if (rounds_of(p) == 0) return {};
    if (verdict v = check_order(p, drawing_scope(true, rounds)); !v.ok()) return v;
    return check_words(p, drawing_scope(false, rounds));
}

}  // namespace detail

/// Proves the exchange of any number of steps, with and without heads, from three steps of two layers.
///
/// 1. Queues. Every tile has a queue of its own, so no order is taken from what a warp or a block does one after the other, and any dealing of
///    tiles to warps and blocks is safe in which each runs its tiles in the order of the list: it adds order, and the list is a run that
///    blocks nowhere. The only exception is that a block's choice comes before its next embedding.
/// 2. Layers. The order follows from tiles, bytes and words. These are the same in every layer and step; where units begin, which is not, is a
///    matter of queues. The first group of every layer starts after all groups before it, which is checked here, so that two
///    groups can only conflict within a layer or from the end of one to the first group of the next: first layer, layer after layer, head after
///    layer, step after a step with a head, step after one without. Each of these is among the steps that are checked.
/// 3. Splits. Checked are all splits, and one; in between, a step is that of a plan with as few splits but for the shares that are combined.
///    Which ones have positions is a matter of the step, so it never changes within a layer.
/// 4. Words tell of themselves only. So everything that blocks read is polled, but for the cache, of which a tile reads what its own queue
///    wrote; and what blocks overwrite was polled before: checked with the kernel's queues.
/// 5. Draws. The words of a round are written once a step, by who polled those of the round before from all, so rounds are alike and a few of
///    them stand for any number, also for one that differs from step to step. What was said of layers holds for rounds: all of a step's are
///    before the next step's first layer.
constexpr verdict check_stream(const stream_plan& p, u32_t layers = 2) {
    for (u32_t active = 1; active <= p.kv_splits; active += active == p.kv_splits ? 1 : p.kv_splits - active) {
        if (verdict v = detail::check_order(p, detail::checked_scope(layers, active, true)); !v.ok()) return v;
        if (verdict v = detail::check_words(p, detail::checked_scope(layers, active, false)); !v.ok()) return v;
    }
    return detail::check_draws(p, 3);
}

}  // namespace netra::inline v0
