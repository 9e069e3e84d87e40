// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A schedule written out task by task that owns its lists, as readers of files make it.
#pragma once

#include <netra/engine/error.hpp>
#include <netra/schedule/expanded.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace netra::inline v0 {

struct task_schedule {
    std::vector<expanded_task> tasks;
    std::vector<u32_t> signals;
    std::vector<expanded_wait> waits;
    std::vector<expanded_access> accesses;
    std::vector<expanded_buffer> buffers;
    std::vector<u64_t> counters;
    u32_t queues = 1;

    /// Adds a task whose signals, waits and accesses are those added from now on.
    expanded_task& add_task(const name& called, u32_t queue) {
        tasks.push_back({.name = called,
                         .group = static_cast<u32_t>(tasks.size()),
                         .queue = queue,
                         .first_signal = count(signals),
                         .first_wait = count(waits),
                         .first_access = count(accesses)});
        return tasks.back();
    }
    void add_signal(u32_t counter) {
        signals.push_back(counter);
        ++tasks.back().signal_count;
    }
    void add_wait(const expanded_wait& w) {
        waits.push_back(w);
        ++tasks.back().wait_count;
    }
    void add_access(const expanded_access& a) {
        accesses.push_back(a);
        ++tasks.back().access_count;
    }

    expanded_view view() const {
        return {.tasks = tasks.data(),
                .task_count = tasks.size(),
                .signals = signals.data(),
                .signal_count = signals.size(),
                .waits = waits.data(),
                .wait_count = waits.size(),
                .accesses = accesses.data(),
                .access_count = accesses.size(),
                .buffers = buffers.data(),
                .buffer_count = buffers.size(),
                .counters = counters.data(),
                .counter_count = counters.size(),
                .queues = queues};
    }

private:
    template <class T>
    static u32_t count(const std::vector<T>& of) {
        return static_cast<u32_t>(of.size());
    }
};

/// What is wrong with a schedule, in the order in which it was found: a short name and a whole sentence each.
class schedule_faults {
public:
    struct fault {
        std::string reason;
        std::string sentence;  ///< without the reason's words at its beginning
    };

    /// `reason: sentence`, or the sentence alone where it is the reason.
    static std::string line(const std::string& reason, const std::string& sentence) {
        return sentence == reason ? sentence : reason + ": " + unnamed(reason, sentence);
    }

    void add(const std::string& reason, const std::string& sentence) {
        if (list_.size() < most)
            list_.push_back({reason, unnamed(reason, sentence)});
        else
            ++left_out_;
    }
    void add(const verdict& v) { add(name_of(v.why), sentence(v).d); }
    bool empty() const { return list_.empty(); }
    const std::vector<fault>& list() const { return list_; }
    usz left_out() const { return left_out_; }

private:
    /// "data race: x" is x where the reason is data_race: it stands before the sentence anyway.
    static std::string unnamed(std::string reason, const std::string& sentence) {
        std::replace(reason.begin(), reason.end(), '_', ' ');
        return sentence.starts_with(reason + ": ") ? sentence.substr(reason.size() + 2) : sentence;
    }

    static constexpr usz most = 32;
    std::vector<fault> list_;
    usz left_out_ = 0;
};

}  // namespace netra::inline v0
