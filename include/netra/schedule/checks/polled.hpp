// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether groups that wait by word alone see what they read, and are seen: a word tells of itself, not of what its producer wrote elsewhere.
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

/// The first of `bytes` of `buffer`, as group `p` wrote them, that no group up to `g` polls.
constexpr u64_t polled_up_to(const schedule_view& s, usz p, usz g, u16_t buffer, const interval& bytes) {
    u64_t at = bytes.begin;
    for (bool advanced = true; advanced && at < bytes.end;) {
        advanced = false;
        for (usz q = p + 1; q <= g; ++q) {
            const group& reader = s.groups[q];
            bool waits = false;
            for (const u16_t of : reader.words) waits = waits || of == p;
            for (usz i = 0; waits && i < reader.accesses.size(); ++i) {
                const access& r = reader.accesses[i];
                const interval read = hull(r.range, reader.tiles);
                if (r.write || r.buffer != buffer || read.begin > at || read.end <= at || !gapless(r.range, reader.tiles)) continue;
                at = read.end;
                advanced = true;
            }
        }
    }
    return at;
}
/// Words that another queue stores again must have been seen by somebody: else the older ones could come last.
constexpr verdict check_overwritten(const schedule_view& s, usz g, const access& w) {
    const group& of = s.groups[g];
    const interval written = hull(w.range, of.tiles);
    for (usz p = g; p-- > 0;)
        for (const auto& o : s.groups[p].accesses) {
            if (!o.write || o.buffer != w.buffer) continue;
            const interval old = hull(o.range, s.groups[p].tiles);
            const interval both = intersection(written, old);
            if (both.empty()) continue;
            const u64_t seen = of_own_queue(of, w, s.groups[p], o) ? both.end : polled_up_to(s, p, g, w.buffer, both);
            if (seen < both.end) return refuse(reason::unpolled_overwrite, of.name, s.groups[p].name).with(label::buffer, w.buffer).with(label::first_byte, seen);
            if (gapless(o.range, s.groups[p].tiles) && both == written) return {};
        }
    return {};
}

}  // namespace detail

/// What the schedule writes may be read by who polls it, and by the queue that wrote it; words may be overwritten once they were polled, or by the
/// queue that wrote them; activations may not share memory, since a word of another one could carry the epoch that is waited for. Waits for counters count for nothing here. @pre check_schedule accepts
constexpr verdict check_polled(const schedule_view& s) {
    for (usz a = 0; a < s.buffer_count; ++a)
        for (usz b = a + 1; b < s.buffer_count && s.buffers[a].kind == buffer_kind::activation; ++b)
            if (detail::shares_arena(s.buffers[a], s.buffers[b])) return refuse(reason::memory_reused_too_early, s.buffers[a].name, s.buffers[b].name)
                .with(label::first_byte, s.buffers[a].arena > s.buffers[b].arena ? s.buffers[a].arena : s.buffers[b].arena);
    for (usz g = 0; g < s.group_count; ++g)
        for (const auto& a : s.groups[g].accesses) {
            const buffer_kind kind = s.buffers[a.buffer].kind;
            if (kind == buffer_kind::input || kind == buffer_kind::weight || (a.write && kind != buffer_kind::activation)) continue;
            if (verdict v = a.write ? detail::check_overwritten(s, g, a) : detail::check_polled(s, g, a); !v.ok()) return v;
        }
    return {};
}

}  // namespace netra::inline v0
