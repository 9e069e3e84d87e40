// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The earliest step at which each task can run, if every task took one step: the columns of a picture.
#pragma once

#include <netra/schedule/expanded.hpp>

namespace netra::inline v0 {

/// Runs the schedule in steps: whatever may start at the beginning of a step runs in it. A task's level is the length of the longest chain
/// of waits and queue order before it; where a threshold is lower than the number of signals, the earliest of them count.
class task_levels {
  public:
    static constexpr u32_t never = 0xffffffff;  ///< of a task that no interleaving runs

    /// @pre queues, counters and lists of tasks are in range
    constexpr explicit task_levels(const expanded_view& s) : s_(s), level_(s.task_count), next_(s.task_count), satisfied_(s.task_count),
                                                             head_(s.queues), counters_(s.counter_count), running_(s.queues) {
        for (u32_t q = 0; q < s.queues; ++q) head_[q] = nobody;
        for (usz t = s.task_count; t-- > 0;) {
            level_[t] = never;
            next_[t] = head_[s.tasks[t].queue];
            head_[s.tasks[t].queue] = static_cast<u32_t>(t);
        }
        for (usz c = 0; c < s.counter_count; ++c) counters_[c] = s.counters[c];
        usz busy = 0;
        for (u32_t q = 0; q < s.queues; ++q)
            if (head_[q] != nobody) running_[busy++] = q;
        while (run_step(busy)) ++count_;
    }

    /// Levels that tasks have.
    constexpr u32_t count() const { return count_; }
    constexpr u32_t operator[](usz task) const { return level_[task]; }

  private:
    static constexpr u32_t nobody = 0xffffffff;

    constexpr bool ready(u32_t t) {
        const expanded_task& task = s_.tasks[t];
        for (; satisfied_[t] < task.wait_count; ++satisfied_[t]) {
            const expanded_wait& w = s_.waits[task.first_wait + satisfied_[t]];
            if (counters_[w.counter] < w.threshold) return false;
        }
        return true;
    }
    /// Whether any task ran. `busy` queues of running_ have tasks left.
    constexpr bool run_step(usz& busy) {
        bool any = false;
        for (usz i = 0; i < busy; ++i) {
            const u32_t t = head_[running_[i]];
            if (ready(t)) level_[t] = count_, any = true;
        }
        if (!any) return false;
        usz left = 0;
        for (usz i = 0; i < busy; ++i) {
            const u32_t q = running_[i];
            if (const u32_t t = head_[q]; level_[t] == count_) {
                for (u32_t k = 0; k < s_.tasks[t].signal_count; ++k) ++counters_[s_.signals[s_.tasks[t].first_signal + k]];
                head_[q] = next_[t];
            }
            if (head_[q] != nobody) running_[left++] = q;
        }
        busy = left;
        return true;
    }

    expanded_view s_;
    detail::scratch<u32_t> level_;
    detail::scratch<u32_t> next_;       ///< of the same queue
    detail::scratch<u32_t> satisfied_;  ///< of a task's waits; counters only grow, so none is looked at again
    detail::scratch<u32_t> head_;
    detail::scratch<u64_t> counters_;
    detail::scratch<u32_t> running_;
    u32_t count_ = 0;
};

}  // namespace netra::inline v0
