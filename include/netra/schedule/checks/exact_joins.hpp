// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Pairs of tasks that are ordered for a plain reason: most questions need no run to be answered.
#pragma once

#include <netra/schedule/checks/exact_run.hpp>

namespace netra::inline v0::detail {

/// A task that waits for all signals of a counter comes after everyone who signals it, after what the last of them waits for so, and so on.
/// What this finds is ordered; what it does not find may be ordered all the same.
class plain_joins {
  public:
    /// @pre everything ran, in this order
    constexpr plain_joins(const exact_run& run, const scratch<u32_t>& order)
        : run_(run), last_signal_(run.view().counter_count), joined_(run.view().counter_count), reached_(run.queues()),
          reached_for_(run.queues()), found_(most_tasks) {
        const expanded_view& v = run.view();
        for (u32_t r = 0; r < run.tasks(); ++r) {
            const expanded_task& t = v.tasks[order[r]];
            for (u32_t i = 0; i < t.signal_count; ++i) last_signal_[v.signals[t.first_signal + i]] = order[r];
        }
    }
    /// The task that signals a counter last in the known order. @pre some task does
    constexpr u32_t last_signal(u32_t counter) const { return last_signal_[counter]; }

    /// Whether `earlier` certainly comes before `later`. Cheap when `later` is the same again and again.
    constexpr bool ordered(u32_t earlier, u32_t later) {
        if (later != later_) learn(later);
        const u32_t q = run_.queue_of(earlier);
        if (reached_for_[q] == stamp_ && run_.position_of(earlier) <= reached_[q]) return true;
        const expanded_task& t = run_.view().tasks[earlier];
        for (u32_t i = 0; i < t.signal_count; ++i)
            if (joined_[run_.view().signals[t.first_signal + i]] == stamp_) return true;
        return false;
    }

  private:
    static constexpr u32_t most_tasks = 64;    ///< that are looked at for one task
    static constexpr u32_t most_waits = 1024;  ///< theirs

    /// Breadth first: tasks that come before `later`, the counters that they and it wait for to the end.
    constexpr void learn(u32_t later) {
        later_ = later;
        ++stamp_;
        count_ = 0;
        waits_ = 0;
        if (run_.position_of(later) != 0) reach(run_.task_at(run_.queue_of(later), run_.position_of(later) - 1));
        follow_waits(later);
        for (u32_t i = 0; i < count_ && waits_ < most_waits; ++i) follow(found_[i]);
    }
    constexpr void follow(u32_t t) {
        if (run_.position_of(t) != 0) add(run_.task_at(run_.queue_of(t), run_.position_of(t) - 1));
        follow_waits(t);
    }
    constexpr void follow_waits(u32_t t) {
        const expanded_task& task = run_.view().tasks[t];
        for (u32_t i = 0; i < task.wait_count; ++i, ++waits_) {
            const expanded_wait& w = run_.view().waits[task.first_wait + i];
            const u32_t needed = run_.needed(w);
            if (needed == 0 || needed != run_.signals_to(w.counter) || joined_[w.counter] == stamp_) continue;
            joined_[w.counter] = stamp_;
            reach(last_signal_[w.counter]);
        }
    }
    constexpr void reach(u32_t t) {
        const u32_t q = run_.queue_of(t);
        if (reached_for_[q] == stamp_ && run_.position_of(t) <= reached_[q]) return;
        reached_for_[q] = stamp_;
        reached_[q] = run_.position_of(t);
        add(t);
    }
    constexpr void add(u32_t t) {
        if (count_ < most_tasks) found_[count_++] = t;
    }

    const exact_run& run_;
    scratch<u32_t> last_signal_;
    scratch<u64_t> joined_;       ///< of a counter: the stamp of the task that comes after all of its signals
    scratch<u32_t> reached_;      ///< of a queue: the task with this position, and those before it, come before
    scratch<u64_t> reached_for_;  ///< the stamp of the task before which they come
    scratch<u32_t> found_;
    u32_t count_ = 0;
    u32_t waits_ = 0;
    u32_t later_ = ~u32_t{0};
    u64_t stamp_ = 0;
};

}  // namespace netra::inline v0::detail
