// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether groups that wait by word alone see what they read: a word tells of itself, not of what its producer wrote elsewhere.
#pragma once

#include <netra/schedule/checks/live_accesses.hpp>

namespace netra::inline v0 {

namespace detail {

/// Tile for tile the same bytes, on the same queue.
constexpr bool of_own_queue(const group& g, const access& r, const group& p, const access& w) {
    return g.tiles == p.tiles && g.queue == p.queue && r.range == w.range && tiles_disjoint(r.range, g.tiles);
}

/// Looks for the groups that wrote what access `r` of group `g` reads, the newest first, until they wrote all of it.
constexpr verdict check_polled(const schedule_view& s, usz g, const access& r) {
    const group& of = s.groups[g];
    const interval read = hull(r.range, of.tiles);
    for (usz p = g; p-- > 0;)
        for (const auto& w : s.groups[p].accesses) {
            if (!w.write || w.buffer != r.buffer || !parts_overlap(r.part, w.part)) continue;
            const interval written = hull(w.range, s.groups[p].tiles);
            if (intersection(read, written).empty()) continue;
            bool polled = of_own_queue(of, r, s.groups[p], w);
            for (const u16_t q : of.words) polled = polled || q == p;
            if (!polled) return refuse(reason::unpolled_read, of.name, s.groups[p].name).with(label::buffer, r.buffer);
            if (gapless(w.range, s.groups[p].tiles) && written.begin <= read.begin && read.end <= written.end) return {};
        }
    return {};
}

}  // namespace detail

/// What the schedule writes may be read by who polls it, and by the queue that wrote it; activations may not share memory, since a word of
/// another one could carry the epoch that is waited for. Waits for counters count for nothing here. @pre check_schedule accepts
constexpr verdict check_polled(const schedule_view& s) {
    for (usz a = 0; a < s.buffer_count; ++a)
        for (usz b = a + 1; b < s.buffer_count && s.buffers[a].kind == buffer_kind::activation; ++b)
            if (detail::shares_arena(s.buffers[a], s.buffers[b])) return refuse(reason::memory_reused_too_early, s.buffers[a].name, s.buffers[b].name)
                .with(label::first_byte, s.buffers[a].arena > s.buffers[b].arena ? s.buffers[a].arena : s.buffers[b].arena);
    for (usz g = 0; g < s.group_count; ++g)
        for (const auto& a : s.groups[g].accesses) {
            const buffer_kind kind = s.buffers[a.buffer].kind;
            if (a.write || kind == buffer_kind::input || kind == buffer_kind::weight) continue;
            if (verdict v = detail::check_polled(s, g, a); !v.ok()) return v;
        }
    return {};
}

}  // namespace netra::inline v0
