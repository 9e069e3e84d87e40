// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Expanded schedules that tests put together task by task, and their text.
#pragma once

#include <netra/schedule/expanded.hpp>

#include "support/dice.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace netra::test {

struct flat_task {
    u32_t queue = 0;
    std::vector<u32_t> signals{};
    std::vector<expanded_wait> waits{};
    std::vector<expanded_access> accesses{};
};

/// The view of a list of tasks; it lives as long as this object.
class flat_schedule {
public:
    flat_schedule(const std::vector<expanded_buffer>& buffers, const std::vector<u64_t>& counters, u32_t queues,
                  const std::vector<flat_task>& tasks)
        : buffers_(buffers), counters_(counters), queues_(queues) {
        for (const flat_task& t : tasks) {
            expanded_task made{.queue = t.queue};
            made.name = "t";
            made.name.d[1] = static_cast<char>('0' + tasks_.size() % 10);
            made.group = static_cast<u32_t>(tasks_.size());
            append(signals_, t.signals, made.first_signal, made.signal_count);
            append(waits_, t.waits, made.first_wait, made.wait_count);
            append(accesses_, t.accesses, made.first_access, made.access_count);
            tasks_.push_back(made);
        }
    }
    expanded_view view() const {
        return {.tasks = tasks_.data(),
                .task_count = tasks_.size(),
                .signals = signals_.data(),
                .signal_count = signals_.size(),
                .waits = waits_.data(),
                .wait_count = waits_.size(),
                .accesses = accesses_.data(),
                .access_count = accesses_.size(),
                .buffers = buffers_.data(),
                .buffer_count = buffers_.size(),
                .counters = counters_.data(),
                .counter_count = counters_.size(),
                .queues = queues_};
    }

private:
    template <class T>
    static void append(std::vector<T>& to, const std::vector<T>& from, u32_t& first, u32_t& count) {
        first = static_cast<u32_t>(to.size());
        count = static_cast<u32_t>(from.size());
        to.insert(to.end(), from.begin(), from.end());
    }

    std::vector<expanded_buffer> buffers_;
    std::vector<u64_t> counters_;
    u32_t queues_;
    std::vector<expanded_task> tasks_;
    std::vector<u32_t> signals_;
    std::vector<expanded_wait> waits_;
    std::vector<expanded_access> accesses_;
};

/// One line a buffer and a task.
inline std::string dump(const expanded_view& s) {
    constexpr const char* kinds[] = {"input", "weight", "state", "activation", "output"};
    std::ostringstream o;
    o << "queues " << s.queues << ", counters start at";
    for (usz c = 0; c < s.counter_count; ++c) o << ' ' << s.counters[c];
    o << '\n';
    for (usz b = 0; b < s.buffer_count; ++b) {
        const expanded_buffer& x = s.buffers[b];
        o << "buffer " << b << ": " << kinds[static_cast<usz>(x.kind)] << ", " << x.rows << " x " << x.row_bytes << " bytes at " << x.offset
          << " of space " << x.space << ", rows held " << x.held_rows << '\n';
    }
    for (usz t = 0; t < s.task_count; ++t) {
        const expanded_task& x = s.tasks[t];
        o << "task " << t << ": queue " << x.queue;
        for (u32_t i = 0; i < x.wait_count; ++i)
            o << ", waits for c" << s.waits[x.first_wait + i].counter << " >= " << s.waits[x.first_wait + i].threshold;
        for (u32_t i = 0; i < x.access_count; ++i) {
            const expanded_access& a = s.accesses[x.first_access + i];
            o << (a.write ? ", WRITES b" : ", reads b") << a.buffer << " rows [" << a.first_row << ',' << a.end_row << ") bytes ["
              << a.first_byte << ',' << a.end_byte << ')';
        }
        for (u32_t i = 0; i < x.signal_count; ++i) o << ", signals c" << s.signals[x.first_signal + i];
        o << '\n';
    }
    return o.str();
}

/// Mostly schedules that run: waits are for signals of tasks listed earlier, some partial.
inline flat_schedule mostly_running_tasks(dice& d) {
    const u32_t queues = d.between(1, 6);
    std::vector<u64_t> counters(d.between(1, 8), 0);
    if (d.percent(20)) counters[0] = 2;
    std::vector<u64_t> reached = counters;
    std::vector<flat_task> tasks;
    for (u32_t t = d.between(2, 20); t > 0; --t) {
        flat_task x{.queue = d.below(queues)};
        for (u32_t i = d.below(3); i > 0; --i) {
            const u32_t c = d.below(counters.size());
            if (reached[c] != 0) x.waits.push_back({c, d.percent(70) ? reached[c] : d.between(1, static_cast<u32_t>(reached[c]))});
        }
        for (u32_t i = d.below(3); i > 0; --i) x.signals.push_back(d.below(counters.size()));
        for (const u32_t c : x.signals) ++reached[c];
        tasks.push_back(x);
    }
    return {{}, counters, queues, tasks};
}

}  // namespace netra::test
