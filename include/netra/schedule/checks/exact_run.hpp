// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Runs the tasks of an expanded schedule, one by one, forwards and backwards.
#pragma once

#include <netra/detail/sort.hpp>
#include <netra/schedule/expanded.hpp>

namespace netra::inline v0::detail {

/// A list for each of `n` keys, in one array: count all items, then `lay_out`, then add all.
template <class T>
class bucket_list {
  public:
    constexpr bucket_list(usz n, usz items) : begin_(n + 1), items_(items) {}
    constexpr void count(usz key) { ++begin_[key]; }
    constexpr void lay_out() {
        u32_t sum = 0;
        for (usz k = 0; k < begin_.size(); ++k) begin_[k] = sum += begin_[k];
    }
    /// In reverse: what is added last comes first.
    constexpr void add(usz key, const T& value) { items_[--begin_[key]] = value; }
    constexpr u32_t begin(usz key) const { return begin_[key]; }
    constexpr u32_t end(usz key) const { return begin_[key + 1]; }
    constexpr u32_t count_of(usz key) const { return end(key) - begin(key); }
    constexpr T& operator[](usz i) { return items_[i]; }
    constexpr const T& operator[](usz i) const { return items_[i]; }

  private:
    scratch<u32_t> begin_;
    scratch<T> items_;
};

/// Counters are kept as the number of signals that came, thresholds as the number that is needed beyond the initial value.
/// @pre check_exact_structure accepted
class exact_run {
  public:
    static constexpr u32_t never = ~u32_t{0};

    constexpr explicit exact_run(const expanded_view& v)
        : v_(v), queue_ids_(v.task_count), queue_(v.task_count), position_(v.task_count), signals_to_(v.counter_count),
          queue_count_(note_queue_ids()), queues_(queue_count_, v.task_count), waiters_(v.counter_count, count_waits(v)),
          needed_(count_waits(v)), next_(queue_count_), pending_(v.task_count), came_(v.counter_count), woken_(v.counter_count) {
        note_queues();
        note_signals();
        note_waits();
    }

    // what never changes
    constexpr const expanded_view& view() const { return v_; }
    constexpr u32_t tasks() const { return static_cast<u32_t>(v_.task_count); }
    constexpr u32_t queues() const { return queue_count_; }        ///< that have tasks
    constexpr u32_t queue_of(u32_t t) const { return queue_[t]; }  ///< below queues()
    constexpr u32_t position_of(u32_t t) const { return position_[t]; }
    constexpr u32_t length_of(u32_t queue) const { return queues_.count_of(queue); }
    constexpr u32_t task_at(u32_t queue, u32_t position) const { return queues_[queues_.begin(queue) + position]; }
    constexpr u32_t signals_to(u32_t counter) const { return signals_to_[counter]; }
    constexpr u32_t needed(const expanded_wait& w) const {
        const u64_t initial = v_.counters[w.counter];
        if (w.threshold <= initial) return 0;
        return w.threshold - initial <= signals_to_[w.counter] ? static_cast<u32_t>(w.threshold - initial) : never;
    }

    // the state
    constexpr bool done(u32_t t) const { return position_[t] < next_[queue_[t]]; }
    constexpr bool ready(u32_t t) const { return pending_[t] == 0 && position_[t] == next_[queue_[t]]; }
    constexpr u32_t head_of(u32_t queue) const { return next_[queue] < length_of(queue) ? task_at(queue, next_[queue]) : never; }
    constexpr u32_t came(u32_t counter) const { return came_[counter]; }

    /// Runs a ready task; calls `woken(u)` for each task that this makes ready.
    template <class F>
    constexpr void run(u32_t t, F&& woken) {
        const u32_t q = queue_[t];
        ++next_[q];
        if (const u32_t head = head_of(q); head != never && pending_[head] == 0) woken(head);
        const expanded_task& task = v_.tasks[t];
        for (u32_t i = 0; i < task.signal_count; ++i) {
            const u32_t c = v_.signals[task.first_signal + i];
            ++came_[c];
            for (u32_t& w = woken_[c]; w < waiters_.end(c) && needed_[w] <= came_[c]; ++w)
                if (const u32_t u = waiters_[w]; --pending_[u] == 0 && position_[u] == next_[queue_[u]]) woken(u);
        }
    }
    constexpr void run(u32_t t) {
        run(t, [](u32_t) {});
    }
    /// @pre `t` is the last task that ran
    constexpr void undo(u32_t t) {
        const expanded_task& task = v_.tasks[t];
        for (u32_t i = task.signal_count; i-- > 0;) {
            const u32_t c = v_.signals[task.first_signal + i];
            for (u32_t& w = woken_[c]; w > waiters_.begin(c) && needed_[w - 1] == came_[c]; --w) ++pending_[waiters_[w - 1]];
            --came_[c];
        }
        --next_[queue_[t]];
    }

  private:
    static constexpr usz count_waits(const expanded_view& v) {
        usz n = 0;
        for (usz t = 0; t < v.task_count; ++t) n += v.tasks[t].wait_count;
        return n;
    }
    constexpr u32_t note_queue_ids() {
        for (usz t = 0; t < v_.task_count; ++t) queue_ids_[t] = v_.tasks[t].queue;
        return static_cast<u32_t>(sort_unique(&queue_ids_[0], v_.task_count));
    }
    constexpr void note_queues() {
        for (u32_t t = 0; t < tasks(); ++t) {
            queue_[t] = static_cast<u32_t>(first_not_less(&queue_ids_[0], queue_count_, v_.tasks[t].queue));
            position_[t] = next_[queue_[t]]++;
            queues_.count(queue_[t]);
        }
        queues_.lay_out();
        for (u32_t t = tasks(); t-- > 0;) queues_.add(queue_[t], t);
        for (u32_t q = 0; q < queue_count_; ++q) next_[q] = 0;
    }
    constexpr void note_signals() {
        for (usz t = 0; t < v_.task_count; ++t)
            for (u32_t i = 0; i < v_.tasks[t].signal_count; ++i) ++signals_to_[v_.signals[v_.tasks[t].first_signal + i]];
    }
    template <class F>
    constexpr void for_each_wait(u32_t t, F&& f) const {
        for (u32_t i = 0; i < v_.tasks[t].wait_count; ++i) f(v_.waits[v_.tasks[t].first_wait + i]);
    }
    /// The waiters of a counter in the order in which it wakes them.
    constexpr void note_waits() {
        for (u32_t t = 0; t < tasks(); ++t) for_each_wait(t, [&](const expanded_wait& w) { waiters_.count(w.counter); });
        waiters_.lay_out();
        for (u32_t t = tasks(); t-- > 0;)
            for_each_wait(t, [&](const expanded_wait& w) {
                waiters_.add(w.counter, t);
                needed_[waiters_.begin(w.counter)] = needed(w);
                if (needed(w) != 0) ++pending_[t];
            });
        for (usz c = 0; c < v_.counter_count; ++c) {
            sort_waiters(waiters_.begin(c), waiters_.end(c));
            woken_[c] = waiters_.begin(c);
            while (woken_[c] < waiters_.end(c) && needed_[woken_[c]] == 0) ++woken_[c];
        }
    }
    constexpr void sort_waiters(u32_t begin, u32_t end) {
        bool sorted = true;
        for (u32_t w = begin + 1; w < end; ++w) sorted = sorted && needed_[w - 1] <= needed_[w];
        if (sorted) return;
        struct waiter {
            u32_t needed = 0;
            u32_t task = 0;
        };
        scratch<waiter> all(end - begin);
        scratch<waiter> spare(end - begin);
        for (u32_t w = begin; w < end; ++w) all[w - begin] = {needed_[w], waiters_[w]};
        sort(&all[0], &spare[0], end - begin, [](const waiter& a, const waiter& b) { return a.needed < b.needed; });
        for (u32_t w = begin; w < end; ++w) needed_[w] = all[w - begin].needed, waiters_[w] = all[w - begin].task;
    }

    expanded_view v_;
    scratch<u32_t> queue_ids_;    ///< ascending: queues are counted as if those without tasks did not exist
    scratch<u32_t> queue_;
    scratch<u32_t> position_;
    scratch<u32_t> signals_to_;
    u32_t queue_count_;
    bucket_list<u32_t> queues_;   ///< tasks of a queue
    bucket_list<u32_t> waiters_;  ///< tasks that wait for a counter
    scratch<u32_t> needed_;       ///< beside waiters_
    scratch<u32_t> next_;         ///< of a queue: the position that runs next
    scratch<u32_t> pending_;      ///< of a task: waits that are not yet satisfied
    scratch<u32_t> came_;         ///< of a counter: signals
    scratch<u32_t> woken_;        ///< of a counter: waiters up to here are satisfied
};

/// Runs everything that can run; `order` receives the tasks in the order in which they ran. Returns how many there are.
constexpr u32_t run_all(exact_run& run, scratch<u32_t>& order) {
    scratch<u32_t> stack(run.tasks());
    u32_t count = 0;
    for (u32_t scanned = 0; scanned < run.tasks(); ++scanned) {
        if (!run.ready(scanned)) continue;
        usz top = 0;
        stack[top++] = scanned;
        while (top != 0) {
            const u32_t t = stack[--top];
            order[count++] = t;
            run.run(t, [&](u32_t woken) {
                if (woken <= scanned) stack[top++] = woken;
            });
        }
    }
    return count;
}

}  // namespace netra::inline v0::detail
