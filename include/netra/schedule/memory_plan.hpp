// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Places activations in the arena so that buffers whose lives are ordered share bytes.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

inline constexpr u64_t arena_alignment = 64;

/// First fit in order of first use; sets `arena` of every activation and `arena_bytes`. The checker proves the result, it is not trusted.
/// @pre check_waits accepts the schedule
template <class Schedule>
constexpr void plan_memory(Schedule& schedule) {
    const schedule_view s = view(schedule);
    const group_order order(s);
    const buffer_lives lives(s, order);
    detail::scratch<bool> placed(s.buffer_count);
    detail::scratch<usz> alive(s.buffer_count);
    usz count = 0;
    schedule.arena_bytes = 0;
    for (usz g = 0; g < s.group_count; ++g)
        for (const auto& a : s.groups[g].accesses) {
            buffer& b = schedule.buffers[a.buffer];
            if (b.kind != buffer_kind::activation || placed[a.buffer]) continue;
            usz kept = 0;
            for (usz i = 0; i < count; ++i)
                if (lives.dead_from(alive[i]) > g) alive[kept++] = alive[i];
            count = kept;
            u64_t at = 0;
            for (bool moved = true; moved;) {
                moved = false;
                for (usz i = 0; i < count; ++i) {
                    const buffer& n = schedule.buffers[alive[i]];
                    if (at >= n.arena + bytes(n) || n.arena >= at + bytes(b)) continue;
                    at = (n.arena + bytes(n) + arena_alignment - 1) / arena_alignment * arena_alignment;
                    moved = true;
                }
            }
            b.arena = at;
            placed[a.buffer] = true;
            alive[count++] = a.buffer;
            if (at + bytes(b) > schedule.arena_bytes) schedule.arena_bytes = at + bytes(b);
        }
    for (usz i = 0; i < s.buffer_count; ++i) {
        buffer& b = schedule.buffers[i];
        if (b.kind != buffer_kind::activation || placed[i]) continue;
        b.arena = 0;  // nothing touches it
        if (bytes(b) > schedule.arena_bytes) schedule.arena_bytes = bytes(b);
    }
}

}  // namespace netra::inline v0
