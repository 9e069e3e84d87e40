// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether every task eventually runs: counters with one owner, thresholds within reach, no cycle, no queue in the way.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

namespace detail {

constexpr verdict check_owners(const schedule_view& s) {
    scratch<u32_t> owner(s.counters);
    for (usz g = 0; g < s.group_count; ++g)
        for (u32_t c = s.groups[g].signal.first; c <= s.groups[g].signal(s.groups[g].tiles - 1); ++c) {
            if (owner[c] != 0) return refuse(reason::shared_counter, s.groups[owner[c] - 1].name, s.groups[g].name).with(label::counter, c);
            owner[c] = static_cast<u32_t>(g) + 1;
        }
    return {};
}

/// Whether group `from` waits, directly or through others, for group `goal`.
constexpr bool depends_on(const schedule_view& s, const counter_owners& owners, usz from, usz goal) {
    scratch<bool> seen(s.group_count);
    scratch<usz> stack(s.group_count);
    usz top = 0;
    stack[top++] = from;
    while (top != 0) {
        const usz g = stack[--top];
        for (const auto& w : s.groups[g].waits) {
            const usz p = owners[w.first(0)];
            if (p == counter_owners::nobody) continue;
            if (p == goal) return true;
            if (!seen[p]) seen[p] = true, stack[top++] = p;
        }
    }
    return false;
}

/// Group `g` waits for group `p`, which is not listed before it: names the cycle or the queue that makes it a deadlock.
constexpr verdict explain_late_producer(const schedule_view& s, const counter_owners& owners, usz g, usz p, u32_t counter) {
    const group& waiting = s.groups[g];
    const group& producer = s.groups[p];
    if (g == p || depends_on(s, owners, p, g)) return refuse(reason::cyclic_wait, waiting.name, producer.name).with(label::counter, counter);
    for (u32_t t = 0; t < waiting.tiles; ++t)
        for (u32_t u = 0; u < producer.tiles; ++u)
            if (s.queue_of(waiting, t) == s.queue_of(producer, u))
                return refuse(reason::queue_deadlock, waiting.name, producer.name)
                    .with(label::queue, s.queue_of(waiting, t))
                    .with(label::tile, t)
                    .with(label::other_tile, u)
                    .with(label::counter, counter);
    return refuse(reason::listed_before_producer, waiting.name, producer.name).with(label::counter, counter);
}

constexpr verdict check_wait(const schedule_view& s, const counter_owners& owners, usz g, const wait& w) {
    const group& waiting = s.groups[g];
    const u32_t first = w.first(0);
    const u32_t last = w.first(waiting.tiles - 1) + w.count - 1;
    const usz p = owners[first];
    const auto unsatisfiable = [&](u32_t tile, u32_t counter, u32_t signals, const name& from) {
        return refuse(reason::unsatisfiable_wait, waiting.name, from)
            .with(label::tile, tile)
            .with(label::counter, counter)
            .with(label::threshold, w.threshold)
            .with(label::signals, signals);
    };
    if (p == counter_owners::nobody) return unsatisfiable(0, first, 0, "no task group");
    for (u32_t c = first; c <= last; ++c)
        if (owners[c] != p) return refuse(reason::wait_spans_groups, waiting.name).with(label::counter, first).with(label::counters, last - first + 1);
    // note: only a group's last counter can have fewer signals than the others
    const u32_t ends[] = {0, waiting.tiles - 1};
    for (const u32_t t : ends) {
        const u32_t counter = w.first(t) + w.count - 1;
        const u32_t signals = signals_of(s.groups[p], counter);
        if (w.threshold > signals) return unsatisfiable(t, counter, signals, s.groups[p].name);
    }
    if (p >= g) return explain_late_producer(s, owners, g, p, first);
    return {};
}

}  // namespace detail

/// Groups are in rank order and queues run in that order, so a schedule whose waits are all met by signals of groups listed before the
/// waiting one cannot block, whatever the interleaving: by induction over the ranks. @pre check_structure accepted
constexpr verdict check_waits(const schedule_view& s) {
    if (verdict v = detail::check_owners(s); !v.ok()) return v;
    const counter_owners owners(s);
    for (usz g = 0; g < s.group_count; ++g) {
        for (const auto& w : s.groups[g].waits)
            if (verdict v = detail::check_wait(s, owners, g, w); !v.ok()) return v;
        for (const u16_t p : s.groups[g].words)
            if (p >= g) return refuse(reason::awaits_later_group, s.groups[g].name).with(label::task_group, p).with(label::other_group, g);
    }
    return {};
}

}  // namespace netra::inline v0
