// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Worker threads that run a schedule's queues step after step, ordered by counters alone.
#pragma once

#include <netra/backends/error.hpp>
#include <netra/schedule/expanded.hpp>

#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace netra::inline v0::cpu {

/// A queue's tasks with all that the worker needs beside them in one array.
struct flat_queue {
    struct entry {
        task what{};
        u32_t first_wait = 0;
        u32_t waits = 0;
        u32_t first_signal = 0;
        u32_t signals = 0;
    };
    struct goal {
        u32_t counter = 0;
        u64_t threshold = 0;
    };
    std::vector<entry> tasks;
    std::vector<goal> goals;
    std::vector<u32_t> signals;
};

inline std::vector<flat_queue> flatten(const expanded_view& s) {
    std::vector<flat_queue> queues(s.queues);
    for (usz i = 0; i < s.task_count; ++i) {
        const expanded_task& t = s.tasks[i];
        flat_queue& q = queues[t.queue];
        q.tasks.push_back({.what = {t.group, t.tile}, .first_wait = static_cast<u32_t>(q.goals.size()), .waits = t.wait_count,
                           .first_signal = static_cast<u32_t>(q.signals.size()), .signals = t.signal_count});
        for (u32_t w = t.first_wait; w < t.first_wait + t.wait_count; ++w) q.goals.push_back({s.waits[w].counter, s.waits[w].threshold});
        q.signals.insert(q.signals.end(), s.signals + t.first_signal, s.signals + t.first_signal + t.signal_count);
    }
    return queues;
}

/// Tells the processor, then the operating system, that this thread only waits.
class backoff {
  public:
    void pause() {
        if (++spins_ < 4096) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        } else {
            std::this_thread::yield();
        }
    }
    bool spent() const { return spins_ > 8192; }

  private:
    u32_t spins_ = 0;
};

/// One thread a queue; the calling thread runs queue 0. Counters only grow: step n waits for n times a counter's signals a step more.
/// Publishing is a release increment, waiting an acquire load, so a task sees all that the tasks it waited for wrote.
class team {
  public:
    /// @throws backend_error when the machine does not start that many threads
    explicit team(const schedule_view& s) : team(expanded_schedule(s).view()) {}
    ~team() { stop(); }
    team(const team&) = delete;
    team& operator=(const team&) = delete;

    /// Starts the workers; each calls `run(queue, task)` for its tasks in every step. `run` must not throw and must outlive the team.
    template <class Run>
    void start(Run& run) {
        for (u32_t q = 1; q < queues_.size(); ++q) {
            try {
                threads_.emplace_back([this, q, &run] { work(q, run); });
            } catch (const std::system_error& e) {
                stop();
                throw backend_error("cannot start worker " + std::to_string(q + 1) + " of " + std::to_string(queues_.size()) + ": " + e.what() +
                                    "; use fewer workers");
            }
        }
    }

    /// Runs one step; returns when every worker has finished it.
    template <class Run>
    void step(Run& run) {
        const u64_t n = step_.fetch_add(1, std::memory_order_release) + 1;
        step_.notify_all();
        run_queue(0, n - 1, run);
        for (backoff wait; finished_.load(std::memory_order_acquire) < n * threads_.size();) wait.pause();
    }

  private:
    explicit team(const expanded_view& s) : queues_(flatten(s)), counters_(s.counter_count), per_step_(s.counter_count) {
        for (usz i = 0; i < s.signal_count; ++i) per_step_[s.signals[i]] += 1;
    }
    struct alignas(64) counter {
        std::atomic<u64_t> value{0};
    };

    template <class Run>
    void work(u32_t queue, Run& run) {
        for (u64_t seen = 0;; ++seen) {
            for (backoff wait; step_.load(std::memory_order_acquire) == seen;) {
                if (wait.spent()) step_.wait(seen, std::memory_order_acquire);
                else wait.pause();
            }
            if (stopping_.load(std::memory_order_acquire)) return;
            run_queue(queue, seen, run);
            finished_.fetch_add(1, std::memory_order_release);
        }
    }
    template <class Run>
    void run_queue(u32_t queue, u64_t steps_before, Run& run) {
        const flat_queue& q = queues_[queue];
        for (const auto& t : q.tasks) {
            for (u32_t i = 0; i < t.waits; ++i) {
                const auto& g = q.goals[t.first_wait + i];
                const u64_t goal = steps_before * per_step_[g.counter] + g.threshold;
                for (backoff wait; counters_[g.counter].value.load(std::memory_order_acquire) < goal;) wait.pause();
            }
            run(queue, t.what);
            for (u32_t i = 0; i < t.signals; ++i) counters_[q.signals[t.first_signal + i]].value.fetch_add(1, std::memory_order_release);
        }
    }
    void stop() {
        stopping_.store(true, std::memory_order_release);
        step_.fetch_add(1, std::memory_order_release);
        step_.notify_all();
        for (auto& t : threads_) t.join();
        threads_.clear();
    }

    std::vector<flat_queue> queues_;
    std::vector<counter> counters_;
    std::vector<u32_t> per_step_;
    std::vector<std::thread> threads_;
    std::atomic<u64_t> step_{0};
    std::atomic<u64_t> finished_{0};
    std::atomic<bool> stopping_{false};
};

}  // namespace netra::inline v0::cpu
