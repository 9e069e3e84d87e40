// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether tasks are ordered in every interleaving: gathers questions and answers many at once.
#pragma once

#include <netra/schedule/checks/exact_joins.hpp>

namespace netra::inline v0::detail {

/// A task is ordered after another iff it cannot start while the other is held back forever. What is held back with a task of a queue is
/// also held back with any earlier one, so one run answers all questions about a queue: it holds the first task that was asked about,
/// lets everything else run as far as it comes, then lets the queue go on to the next such task.
class order_questions {
  public:
    struct task_pair {
        u32_t earlier = 0;
        u32_t later = 0;
    };

    /// @pre everything ran, in this order
    constexpr order_questions(exact_run& run, const scratch<u32_t>& order)
        : run_(run), order_(order), joins_(run, order), rank_(run.tasks()), cut_(run.tasks()), capacity_(usz{run.tasks()} * 4 + 16),
          asked_(capacity_), begin_(usz{run.tasks()} + 1), later_(capacity_), stack_(run.tasks()), log_(run.tasks()) {
        for (u32_t r = 0; r < run.tasks(); ++r) rank_[order[r]] = r;
        note_cuts();
    }

    constexpr u32_t rank_of(u32_t t) const { return rank_[t]; }

    /// Must `later` be ordered after `earlier`, which ran before it in the known order? Tasks of one queue always are.
    constexpr void ask(u32_t earlier, u32_t later) {
        if (run_.queue_of(earlier) == run_.queue_of(later) || joins_.ordered(earlier, later)) return;
        if (count_ == capacity_) answer();
        asked_[count_++] = {earlier, later};
    }
    /// Answers what was asked. False once a pair was found that is not ordered.
    constexpr bool answer() {
        if (count_ != 0 && !found_) {
            sort_by_earlier();
            answer_all();
        }
        count_ = 0;
        return !found_;
    }
    constexpr bool all_ordered() const { return !found_; }
    constexpr task_pair unordered() const { return unordered_; }

  private:
    /// cut_[r]: the smallest rank r' >= r such that nothing up to r' can be made to start by a task beyond r'. A wait for all signals of a
    /// counter needs only tasks that came before; a wait for some of them may be met by any.
    constexpr void note_cuts() {
        const expanded_view& v = run_.view();
        scratch<bool> closed(run_.tasks());
        u32_t reach = 0;
        for (u32_t r = 0; r < run_.tasks(); ++r) {
            const expanded_task& t = v.tasks[order_[r]];
            for (u32_t i = 0; i < t.wait_count; ++i) {
                const expanded_wait& w = v.waits[t.first_wait + i];
                const u32_t needed = run_.needed(w);
                if (needed == 0 || needed == run_.signals_to(w.counter)) continue;
                if (const u32_t last = rank_[joins_.last_signal(w.counter)]; last > reach) reach = last;
            }
            closed[r] = reach <= r;
        }
        u32_t cut = run_.tasks();
        for (u32_t r = run_.tasks(); r-- > 0;) {
            if (closed[r]) cut = r;
            cut_[r] = cut;
        }
    }

    constexpr void sort_by_earlier() {
        for (usz t = 0; t < begin_.size(); ++t) begin_[t] = 0;
        for (usz i = 0; i < count_; ++i) ++begin_[asked_[i].earlier];
        u32_t sum = 0;
        for (usz t = 0; t < begin_.size(); ++t) begin_[t] = sum += begin_[t];
        for (usz i = count_; i-- > 0;) later_[--begin_[asked_[i].earlier]] = asked_[i].later;
    }
    constexpr bool asked_about(u32_t t) const { return begin_[t] != begin_[t + 1]; }

    constexpr void answer_all() {
        const u32_t n = run_.tasks();
        for (u32_t r = n; r-- > 0;) run_.undo(order_[r]);
        scratch<bool> answered(run_.queues());
        for (u32_t r = 0; r < n; ++r) {
            const u32_t t = order_[r];
            if (!found_ && asked_about(t) && !answered[run_.queue_of(t)]) {
                answered[run_.queue_of(t)] = true;
                answer_queue(r);
            }
            run_.run(t);
        }
    }

    /// All questions about the queue whose first one is about the task with this rank; everything before it has run.
    constexpr void answer_queue(u32_t rank) {
        held_queue_ = run_.queue_of(order_[rank]);
        scanned_ = rank;
        usz ran = 0;
        for (held_ = run_.position_of(order_[rank]); held_ < run_.length_of(held_queue_) && !found_; ++held_) {
            const u32_t earlier = run_.task_at(held_queue_, held_);
            if (!asked_about(earlier)) continue;
            u32_t last = 0;
            for (u32_t i = begin_[earlier]; i < begin_[earlier + 1]; ++i)
                if (cut_[rank_[later_[i]]] > last) last = cut_[rank_[later_[i]]];
            ran = run_up_to(last, ran);
            for (u32_t i = begin_[earlier]; i < begin_[earlier + 1] && !found_; ++i)
                if (run_.done(later_[i])) found_ = true, unordered_ = {earlier, later_[i]};
        }
        while (ran != 0) run_.undo(log_[--ran]);
    }
    /// Runs all tasks up to a rank that can run without the held one. `ran` counts what this queue's questions have run.
    constexpr usz run_up_to(u32_t last, usz ran) {
        usz top = 0;
        const auto start = [&](u32_t t) {
            if (rank_[t] <= scanned_ && !held(t)) stack_[top++] = t;
        };
        const auto drain = [&] {
            while (top != 0) {
                const u32_t t = stack_[--top];
                log_[ran++] = t;
                run_.run(t, start);
            }
        };
        if (const u32_t head = run_.head_of(held_queue_); head != exact_run::never && run_.ready(head)) start(head);
        drain();
        while (scanned_ < last && scanned_ + 1 < run_.tasks()) {
            const u32_t t = order_[++scanned_];
            if (run_.ready(t)) start(t);
            drain();
        }
        return ran;
    }
    constexpr bool held(u32_t t) const { return run_.queue_of(t) == held_queue_ && run_.position_of(t) >= held_; }

    exact_run& run_;
    const scratch<u32_t>& order_;
    plain_joins joins_;
    scratch<u32_t> rank_;
    scratch<u32_t> cut_;
    usz capacity_;
    scratch<task_pair> asked_;
    usz count_ = 0;
    scratch<u32_t> begin_;  ///< of a task: where the later tasks of its questions begin
    scratch<u32_t> later_;
    scratch<u32_t> stack_;
    scratch<u32_t> log_;
    u32_t held_queue_ = 0;
    u32_t held_ = 0;     ///< the position in it that may not run, nor any later one
    u32_t scanned_ = 0;  ///< tasks up to this rank have run if they could
    task_pair unordered_{};
    bool found_ = false;
};

}  // namespace netra::inline v0::detail
