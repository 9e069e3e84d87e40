// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// netra's own JSON form of a schedule that is written out task by task.
#pragma once

#include <netra/engine/netra_schedule.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

/// One object; docs/schedule-format.md says what its keys mean.
inline nlohmann::ordered_json task_schedule_to_json(const expanded_view& v) {
    using json = nlohmann::ordered_json;
    json buffers = json::array();
    for (usz i = 0; i < v.buffer_count; ++i) {
        const expanded_buffer& b = v.buffers[i];
        buffers.push_back({{"name", b.name.d},
                           {"kind", detail::buffer_kind_names[static_cast<usz>(b.kind)]},
                           {"space", b.space},
                           {"offset", b.offset},
                           {"rows", b.rows},
                           {"row_bytes", b.row_bytes},
                           {"held_rows", b.held_rows},
                           {"past_rows", b.past_rows}});
    }
    json tasks = json::array();
    for (usz i = 0; i < v.task_count; ++i) {
        const expanded_task& t = v.tasks[i];
        json signals = json::array();
        for (u32_t k = 0; k < t.signal_count; ++k) signals.push_back(v.signals[t.first_signal + k]);
        json waits = json::array();
        for (u32_t k = 0; k < t.wait_count; ++k)
            waits.push_back(json::array({v.waits[t.first_wait + k].counter, v.waits[t.first_wait + k].threshold}));
        json accesses = json::array();
        for (u32_t k = 0; k < t.access_count; ++k) {
            const expanded_access& a = v.accesses[t.first_access + k];
            accesses.push_back({{"buffer", a.buffer},
                                {"write", a.write},
                                {"rows", json::array({a.first_row, a.end_row})},
                                {"bytes", json::array({a.first_byte, a.end_byte})}});
        }
        tasks.push_back({{"name", t.name.d}, {"queue", t.queue}, {"signals", signals}, {"waits", waits}, {"accesses", accesses}});
    }
    json counters = json::array();
    for (usz i = 0; i < v.counter_count; ++i) counters.push_back(v.counters[i]);
    return {
        {"netra_schedule", netra_schedule_version}, {"queues", v.queues}, {"counters", counters}, {"buffers", buffers}, {"tasks", tasks}};
}

namespace detail {

/// Reads the records; refuses what does not fit into them. Indices are judged by the exact checker.
class task_reader {
public:
    explicit task_reader(const json_place& root) : root_(root) {}

    task_schedule read() const {
        task_schedule s;
        s.queues = word(root_["queues"], netra_reader::most_queues);
        const auto counters = root_["counters"];
        for (usz i = 0; i < counters.size(); ++i) s.counters.push_back(number(counters.at(i)));
        const auto buffers = root_["buffers"];
        for (usz i = 0; i < buffers.size(); ++i) {
            const auto b = buffers.at(i);
            s.buffers.push_back({.name = called(b["name"]),
                                 .kind = static_cast<buffer_kind>(index_in(b["kind"], buffer_kind_names)),
                                 .space = word(b["space"]),
                                 .offset = number(b["offset"]),
                                 .rows = number(b["rows"]),
                                 .row_bytes = number(b["row_bytes"]),
                                 .held_rows = number(b["held_rows"]),
                                 .past_rows = b["past_rows"].missing() ? 0 : number(b["past_rows"])});
        }
        const auto tasks = root_["tasks"];
        for (usz i = 0; i < tasks.size(); ++i) task(tasks.at(i), s);
        return s;
    }

private:
    static constexpr u64_t most = u64_t{1} << 62;

    static u64_t number(const json_place& at) { return at.whole_in(0, most); }
    static u32_t word(const json_place& at, u64_t limit = ~u32_t{0}) { return static_cast<u32_t>(at.whole_in(0, limit)); }
    /// Names are for messages: a long one is cut.
    static name called(const json_place& at) { return name{at.text().c_str()}; }
    static void pair(const json_place& at, u64_t& first, u64_t& second) {
        if (at.size() != 2) at.refuse("two numbers are expected");
        first = number(at.at(0)), second = number(at.at(1));
    }
    static void task(const json_place& at, task_schedule& s) {
        s.add_task(called(at["name"]), word(at["queue"]));
        const auto signals = at["signals"];
        for (usz i = 0; i < signals.size(); ++i) s.add_signal(word(signals.at(i)));
        const auto waits = at["waits"];
        for (usz i = 0; i < waits.size(); ++i) {
            const auto w = waits.at(i);
            if (w.size() != 2) w.refuse("a wait [counter, threshold] is expected");
            s.add_wait({.counter = word(w.at(0)), .threshold = number(w.at(1))});
        }
        const auto accesses = at["accesses"];
        for (usz i = 0; i < accesses.size(); ++i) {
            const auto a = accesses.at(i);
            expanded_access made{.buffer = word(a["buffer"]), .write = a["write"].truth()};
            pair(a["rows"], made.first_row, made.end_row);
            pair(a["bytes"], made.first_byte, made.end_byte);
            s.add_access(made);
        }
    }

    json_place root_;
};

}  // namespace detail

/// The schedule of a file; nothing is judged but that its numbers fit their fields.
inline task_schedule task_schedule_from_json(const detail::json_place& root) {
    const auto version = root["netra_schedule"];
    if (version.whole() != netra_schedule_version) version.refuse(fmt::format("version {} is expected", netra_schedule_version));
    return detail::task_reader(root).read();
}

}  // namespace netra::inline v0
