// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Why tasks are left that never start: a wait that nothing can satisfy, or a shortest cycle of tasks that wait for each other.
#pragma once

#include <netra/schedule/checks/exact_result.hpp>
#include <netra/schedule/checks/exact_run.hpp>

namespace netra::inline v0::detail {

/// The state in which nothing can run any more. A task that is left waits for those before it in its queue that are left, and for those
/// that signal a counter that has not reached its threshold.
class stuck_state {
    static constexpr usz count_signals(const exact_run& run) {
        usz n = 0;
        for (u32_t t = 0; t < run.tasks(); ++t) n += run.view().tasks[t].signal_count;
        return n;
    }
    template <class F>
    constexpr void for_each_signal(u32_t t, F&& f) const {
        const expanded_task& task = run_.view().tasks[t];
        for (u32_t i = 0; i < task.signal_count; ++i) f(run_.view().signals[task.first_signal + i]);
    }

  public:
    /// @pre everything that could run has run, and not everything could
    constexpr explicit stuck_state(const exact_run& run)
        : run_(run), signallers_(run.view().counter_count, count_signals(run)), reached_from_(run.tasks()), depth_(run.tasks()),
          frontier_(run.tasks()), seen_tasks_(run.tasks()), seen_counters_(run.view().counter_count), seen_queues_(run.queues()),
          open_(run.queues()), peeled_(run.tasks()), tail_(run.queues()), waiters_left_(run.view().counter_count) {
        for (u32_t t = 0; t < run_.tasks(); ++t)
            for_each_signal(t, [&](u32_t c) { signallers_.count(c); });
        signallers_.lay_out();
        for (u32_t t = run_.tasks(); t-- > 0;)
            for_each_signal(t, [&](u32_t c) { signallers_.add(c, t); });
    }

    constexpr exact_result explain() {
        for (u32_t t = 0; t < run_.tasks(); ++t)
            if (const expanded_wait* w = run_.done(t) ? nullptr : unsatisfiable(t); w != nullptr) return explain_unsatisfiable(t, *w);
        peel();
        find_cycle();
        find_shorter_cycles();
        return explain_cycle();
    }

  private:
    /// Visits that the search for a shorter cycle may make once one was found.
    static constexpr u64_t most_visits = u64_t{1} << 26;

    constexpr bool unmet(const expanded_wait& w) const { return run_.needed(w) > run_.came(w.counter); }
    /// Calls `f(counter)` for every wait that holds `t` up.
    template <class F>
    constexpr void for_each_unmet(u32_t t, F&& f) const {
        const expanded_task& task = run_.view().tasks[t];
        for (u32_t i = 0; i < task.wait_count; ++i)
            if (const expanded_wait& w = run_.view().waits[task.first_wait + i]; unmet(w)) f(w.counter);
    }

    constexpr const expanded_wait* unsatisfiable(u32_t t) const {
        const expanded_task& task = run_.view().tasks[t];
        for (u32_t i = 0; i < task.wait_count; ++i)
            if (const expanded_wait& w = run_.view().waits[task.first_wait + i]; run_.needed(w) == exact_run::never) return &w;
        return nullptr;
    }
    constexpr exact_result explain_unsatisfiable(u32_t t, const expanded_wait& w) const {
        const expanded_view& v = run_.view();
        const u32_t signals = run_.signals_to(w.counter);
        const name nobody{v.counters[w.counter] != 0 ? "its start" : "no task"};
        const name from = signals != 0 ? v.tasks[signallers_[signallers_.begin(w.counter)]].name : nobody;
        return refuse_tasks(refuse(reason::unsatisfiable_wait, v.tasks[t].name, from)
                                .with(label::tile, v.tasks[t].tile)
                                .with(label::counter, w.counter)
                                .with(label::threshold, w.threshold)
                                .with(label::signals, v.counters[w.counter] + signals)
                                .with(label::queue, v.tasks[t].queue),
                            t);
    }

    /// Calls `f(u)` for every task that `t` waits for and that this search has not met through the same counter or queue.
    template <class F>
    constexpr void for_each_awaited(u32_t t, F&& f) {
        for_each_unmet(t, [&](u32_t c) {
            if (seen_counters_[c] == search_) return;
            seen_counters_[c] = search_;
            for (u32_t s = signallers_.begin(c); s < signallers_.end(c); ++s)
                if (!run_.done(signallers_[s])) f(signallers_[s]);
        });
        const u32_t q = run_.queue_of(t);
        if (seen_queues_[q] != search_) seen_queues_[q] = search_, open_[q] = run_.position_of(run_.head_of(q));
        for (u32_t& p = open_[q]; p < run_.position_of(t); ++p) f(run_.task_at(q, p));
    }

    /// Drops the tasks that no task waits for, again and again: none of them is on a cycle.
    constexpr void peel() {
        for (u32_t t = 0; t < run_.tasks(); ++t)
            if (!run_.done(t)) for_each_unmet(t, [&](u32_t c) { ++waiters_left_[c]; });
        for (u32_t q = 0; q < run_.queues(); ++q) tail_[q] = run_.length_of(q);
        usz top = 0;  // frontier_ is a stack of queues here, seen_queues_ says which are on it
        for (u32_t q = 0; q < run_.queues(); ++q) top = peel_queue(q, top);
        while (top != 0) {
            const u32_t q = frontier_[--top];
            seen_queues_[q] = 0;
            top = peel_queue(q, top);
        }
    }
    constexpr usz peel_queue(u32_t q, usz top) {
        while (tail_[q] != 0) {
            const u32_t t = run_.task_at(q, tail_[q] - 1);
            bool awaited = run_.done(t);
            for_each_signal(t, [&](u32_t c) { awaited = awaited || waiters_left_[c] != 0; });
            if (awaited) break;
            --tail_[q];
            peeled_[t] = true;
            for_each_unmet(t, [&](u32_t c) {
                if (--waiters_left_[c] != 0) return;
                for (u32_t s = signallers_.begin(c); s < signallers_.end(c); ++s)
                    if (const u32_t r = run_.queue_of(signallers_[s]); seen_queues_[r] == 0) seen_queues_[r] = 1, frontier_[top++] = r;
            });
        }
        return top;
    }

    /// Follows one task that each waits for, until one comes again.
    constexpr void find_cycle() {
        u32_t t = 0;
        while (run_.done(t) || peeled_[t]) ++t;
        u32_t steps = 0;
        for (; depth_[t] == 0; t = reached_from_[t]) {
            depth_[t] = ++steps;
            reached_from_[t] = some_awaited(t);
        }
        cycle_ = task_list(steps + 1 - depth_[t]);
        for (usz i = 0; i < cycle_.size(); ++i, t = reached_from_[t]) cycle_[i] = t;
    }
    constexpr u32_t some_awaited(u32_t t) const {
        u32_t found = run_.head_of(run_.queue_of(t));
        for_each_unmet(t, [&](u32_t c) {
            for (u32_t s = signallers_.begin(c); s < signallers_.end(c); ++s)
                if (!run_.done(signallers_[s])) found = signallers_[s];
        });
        return found;
    }

    /// Breadth first from every task that can be on a cycle, no deeper than the shortest cycle so far.
    constexpr void find_shorter_cycles() {
        for (u32_t start = 0; start < run_.tasks() && cycle_.size() > 1 && visits_ < most_visits; ++start)
            if (!run_.done(start) && !peeled_[start]) search_from(start);
    }
    constexpr void search_from(u32_t start) {
        ++search_;
        usz begin = 0;
        usz end = 0;
        frontier_[end++] = start;
        seen_tasks_[start] = search_;
        depth_[start] = 1;
        while (begin < end) {
            const u32_t t = frontier_[begin++];
            if (depth_[t] >= cycle_.size()) return;
            bool closed = false;
            for_each_awaited(t, [&](u32_t u) {
                ++visits_;
                if (u == start) closed = true;
                if (seen_tasks_[u] == search_) return;
                seen_tasks_[u] = search_;
                reached_from_[u] = t;
                depth_[u] = depth_[t] + 1;
                frontier_[end++] = u;
            });
            if (!closed) continue;
            cycle_ = task_list(depth_[t]);
            u32_t at = t;
            for (usz i = cycle_.size(); i-- > 0; at = reached_from_[at]) cycle_[i] = at;
            return;
        }
    }

    /// The wait through which `t` waits for `u`; null when it is their queue alone.
    constexpr const expanded_wait* wait_between(u32_t t, u32_t u) const {
        const expanded_task& task = run_.view().tasks[t];
        for (u32_t i = 0; i < task.wait_count; ++i) {
            const expanded_wait& w = run_.view().waits[task.first_wait + i];
            bool signals = false;
            for_each_signal(u, [&](u32_t c) { signals = signals || c == w.counter; });
            if (signals && unmet(w)) return &w;
        }
        return nullptr;
    }
    /// Starts the cycle at a wait, so that the sentence can name a counter. (A queue alone is no cycle.)
    constexpr exact_result explain_cycle() {
        const usz n = cycle_.size();
        usz first = n;
        usz waits = 0;
        for (usz i = n; i-- > 0;)
            if (wait_between(cycle_[i], cycle_[(i + 1) % n]) != nullptr) first = i, ++waits;
        task_list turned(n);
        for (usz i = 0; i < n; ++i) turned[i] = cycle_[(first + i) % n];
        const expanded_task& t = run_.view().tasks[turned[0]];
        const expanded_task& u = run_.view().tasks[turned[n == 1 ? 0 : 1]];
        const expanded_wait& w = *wait_between(turned[0], turned[n == 1 ? 0 : 1]);
        const reason why = waits == n ? reason::cyclic_wait : n == 2 ? reason::queue_deadlock : reason::deadlock;
        return {.found = refuse(why, t.name, u.name)
                             .with(label::tile, t.tile)
                             .with(label::other_tile, u.tile)
                             .with(label::counter, w.counter)
                             .with(label::threshold, w.threshold)
                             .with(label::queue, t.queue)
                             .with(label::tasks, n),
                .tasks = static_cast<task_list&&>(turned)};
    }

    const exact_run& run_;
    bucket_list<u32_t> signallers_;  ///< tasks that signal a counter
    scratch<u32_t> reached_from_;
    scratch<u32_t> depth_;
    scratch<u32_t> frontier_;
    scratch<u32_t> seen_tasks_;  ///< the search that met it last
    scratch<u32_t> seen_counters_;
    scratch<u32_t> seen_queues_;
    scratch<u32_t> open_;  ///< of a queue: positions from its head up to here were met
    scratch<bool> peeled_;
    scratch<u32_t> tail_;  ///< of a queue: how many tasks of it are not peeled
    scratch<u32_t> waiters_left_;
    u32_t search_ = 0;
    u64_t visits_ = 0;
    task_list cycle_{};
};

}  // namespace netra::inline v0::detail
