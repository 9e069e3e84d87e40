// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Places activations in the arena so that buffers whose lives are ordered share bytes.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

inline constexpr u64_t arena_alignment = 64;

/// First fit in order of first use; sets `arena` of every activation and `arena_bytes`. The checker proves the result, it is not trusted.
/// @pre `order` was derived from the schedule without a finding
template <class Schedule>
constexpr void plan_memory(Schedule& schedule, const order_view& order) {
    const schedule_view s = view(schedule);
    struct place {
        usz buffer = 0;
        u64_t begin = 0;
        u64_t end = 0;
    };
    detail::scratch<bool> placed(s.buffer_count);
    detail::scratch<place> alive(s.buffer_count);
    usz count = 0;
    u64_t size = 0;
    for (usz g = 0; g < s.group_count; ++g)
        for (const auto& a : s.groups[g].accesses) {
            const buffer& b = s.buffers[a.buffer];
            if (b.kind != buffer_kind::activation || placed[a.buffer]) continue;
            usz kept = 0;
            for (usz i = 0; i < count; ++i)
                if (order.dead_from(alive[i].buffer) > g) alive[kept++] = alive[i];
            count = kept;
            const u64_t needed = bytes(b);
            u64_t at = 0;
            for (bool moved = true; moved;) {
                moved = false;
                for (usz i = 0; i < count; ++i) {
                    if (at >= alive[i].end || alive[i].begin >= at + needed) continue;
                    at = (alive[i].end + arena_alignment - 1) / arena_alignment * arena_alignment;
                    moved = true;
                }
            }
            schedule.buffers[a.buffer].arena = at;
            placed[a.buffer] = true;
            alive[count++] = {a.buffer, at, at + needed};
            if (at + needed > size) size = at + needed;
        }
    for (usz i = 0; i < s.buffer_count; ++i) {
        buffer& b = schedule.buffers[i];
        if (b.kind != buffer_kind::activation || placed[i]) continue;
        b.arena = 0;  // nothing touches it
        if (bytes(b) > size) size = bytes(b);
    }
    schedule.arena_bytes = size;
}
template <class Schedule>
constexpr void plan_memory(Schedule& schedule) {
    const group_order order(view(schedule));
    plan_memory(schedule, order.view());
}

}  // namespace netra::inline v0
