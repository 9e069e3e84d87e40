// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Says what is wrong with a wait for which a schedule can block, or which tells nothing.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

namespace detail {

/// Whether group `from` waits, directly or through others, for group `goal`.
constexpr bool depends_on(const schedule_view& s, const signal_index& signals, usz from, usz goal) {
    scratch<bool> seen(s.group_count);
    growing<usz> stack;
    stack.push_back(from);
    bool found = false;
    for (usz next = 0; next < stack.size() && !found; ++next) {
        const group& of = s.groups[stack[next]];
        const auto visit = [&](usz p) {
            found = found || p == goal;
            if (!seen[p]) seen[p] = true, stack.push_back(p);
        };
        for (const auto& w : of.waits) signals.for_each(stack[next], w.first.first, w.first(of.tiles - 1) + w.count, visit);
        for (const u16_t p : of.words)
            if (p < s.group_count) visit(p);
    }
    return found;
}

/// Group `g` waits for signals of group `p`, which is not listed before it: names the cycle or the queue that makes it a deadlock.
constexpr verdict explain_late_producer(const schedule_view& s, const signal_index& signals, usz g, usz p, u32_t counter) {
    const group& waiting = s.groups[g];
    const group& producer = s.groups[p];
    if (g == p || depends_on(s, signals, p, g))
        return refuse(reason::cyclic_wait, waiting.name, producer.name).with(label::counter, counter);
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

/// Wait `w` of group `g` waits for more signals than the groups before it give.
constexpr verdict explain_unmet(const schedule_view& s, usz g, const wait& w) {
    const signal_index signals(s);
    const group& of = s.groups[g];
    for (u32_t t = 0; t < of.tiles; ++t)
        for (u32_t c = w.first(t); c < w.first(t) + w.count; ++c) {
            if (signals.count_before(g, c, c + 1).signals >= w.threshold) continue;
            const u64_t of_all = signals.count_before(s.group_count, c, c + 1).signals;
            usz earliest = s.group_count;
            usz late = s.group_count;
            signals.for_each(g, c, c + 1, [&](usz p) {
                if (p < earliest) earliest = p;
                if (p >= g && p < late) late = p;
            });
            if (of_all >= w.threshold) return explain_late_producer(s, signals, g, late, c);
            return refuse(reason::unsatisfiable_wait, of.name, earliest == s.group_count ? name{"no task group"} : s.groups[earliest].name)
                .with(label::tile, t)
                .with(label::counter, c)
                .with(label::threshold, w.threshold)
                .with(label::signals, of_all);
        }
    return refuse(reason::bad_parameter, of.name, "wait");  // not reached
}

/// Group `g` signals a counter of group `p` again, too early to be told from it.
constexpr verdict explain_ambiguous(const schedule_view& s, usz g, usz p) {
    const u32_t a = s.groups[g].signal.first;
    const u32_t b = s.groups[p].signal.first;
    return refuse(reason::shared_counter, s.groups[g].name, s.groups[p].name).with(label::counter, a > b ? a : b);
}

}  // namespace detail

/// Queues run in the order in which groups are listed, so a schedule whose waits are all met by signals of groups listed before the
/// waiting one cannot block, whatever the interleaving: by induction over that order.
/// @pre check_structure accepted, and `order` was derived from the schedule
constexpr verdict check_waits(const schedule_view& s, const order_view& order) {
    const wait_finding& found = order.found;
    switch (found.what) {
        case wait_problem::unmet: return detail::explain_unmet(s, found.group, s.groups[found.group].waits[found.item]);
        case wait_problem::word_of_later_group:
            return refuse(reason::awaits_later_group, s.groups[found.group].name)
                .with(label::task_group, s.groups[found.group].words[found.item])
                .with(label::other_group, found.group);
        case wait_problem::ambiguous_counter: return detail::explain_ambiguous(s, found.group, found.item);
        case wait_problem::none: break;
    }
    return {};
}

}  // namespace netra::inline v0
