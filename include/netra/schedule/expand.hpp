// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The tasks of a schedule: every queue's in the order in which its worker runs them, and what each waits for and signals.
#pragma once

#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

/// One tile of one group.
struct task {
    u32_t group = 0;
    u32_t tile = 0;
    friend constexpr bool operator==(const task&, const task&) = default;
};

/// Calls `f(queue, task)` for every task in rank order, which within a queue is the order in which they run.
template <class F>
constexpr void for_each_task(const schedule_view& s, F&& f) {
    for (u32_t g = 0; g < s.group_count; ++g)
        for (u32_t t = 0; t < s.groups[g].tiles; ++t) f(s.queue_of(s.groups[g], t), task{g, t});
}

/// Calls `f(counter, threshold)` for everything that a task waits for.
template <class F>
constexpr void for_each_wait(const schedule_view& s, const task& of, F&& f) {
    for (const auto& w : s.groups[of.group].waits)
        for (u32_t c = 0; c < w.count; ++c) f(w.first(of.tile) + c, w.threshold);
}

/// Calls `f(u)` for the tiles u of group `p` that write bytes which tile `t` of group `g` reads: those it awaits when it waits for p by word.
template <class F>
constexpr void for_each_awaited_tile(const group& g, u32_t t, const group& p, F&& f) {
    const auto awaits = [&](u32_t u) {
        for (const auto& r : g.accesses)
            for (const auto& w : p.accesses)
                if (!r.write && w.write && r.buffer == w.buffer && parts_overlap(r.part, w.part) &&
                    !intersection(bytes_of_tile(r.range, t), bytes_of_tile(w.range, u)).empty())
                    return true;
        return false;
    };
    for (u32_t u = 0; u < p.tiles; ++u)
        if (awaits(u)) f(u);
}

constexpr u32_t signal_of(const schedule_view& s, const task& of) { return s.groups[of.group].signal(of.tile); }

}  // namespace netra::inline v0
