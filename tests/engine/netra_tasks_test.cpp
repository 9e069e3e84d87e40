// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/netra_tasks.hpp>

#include "schedule/random_schedule.hpp"
#include "support/refusal.hpp"

#include <algorithm>

using namespace netra;
using namespace netra::test;

namespace {

task_schedule read(const nlohmann::json& json) {
    static const std::string file = "f.json";
    return task_schedule_from_json({json, file});
}
template <class T>
bool same(const T* a, usz a_count, const T* b, usz b_count) {
    return std::equal(a, a + a_count, b, b + b_count);
}

nlohmann::json sample() {
    return nlohmann::json::parse(R"({"netra_schedule": 1, "queues": 2, "counters": [0, 5],
        "buffers": [{"name": "a", "kind": "output", "space": 0, "offset": 4, "rows": 2, "row_bytes": 8, "held_rows": 0}],
        "tasks": [{"name": "w", "queue": 1, "signals": [0], "waits": [[1, 6]], "accesses": [{"buffer": 0, "write": true, "rows": [0, 2], "bytes": [0, 8]}]}]})");
}

}  // namespace

TEST_CASE("written-out schedules are read as they were written") {
    const u64_t seed = 77;
    usz checked = 0;
    for (u64_t i = 0; i < 300; ++i) {
        INFO("seed " << seed + i);
        const loose_schedule groups = schedule_maker(seed + i).make();
        if (!check_structure(view(groups)).ok()) continue;
        ++checked;
        const expanded_schedule made(view(groups));
        const expanded_view v = made.view();
        const task_schedule again = read(nlohmann::json::parse(task_schedule_to_json(v).dump()));
        const expanded_view w = again.view();
        CHECK(same(v.signals, v.signal_count, w.signals, w.signal_count));
        CHECK(same(v.waits, v.wait_count, w.waits, w.wait_count));
        CHECK(same(v.accesses, v.access_count, w.accesses, w.access_count));
        CHECK(same(v.buffers, v.buffer_count, w.buffers, w.buffer_count));
        CHECK(same(v.counters, v.counter_count, w.counters, w.counter_count));
        CHECK(w.queues == v.queues);
        REQUIRE(w.task_count == v.task_count);
        for (usz t = 0; t < v.task_count; ++t) {
            CHECK(w.tasks[t].name == v.tasks[t].name);
            CHECK(w.tasks[t].queue == v.tasks[t].queue);
            CHECK(w.tasks[t].first_wait == v.tasks[t].first_wait);
            CHECK(w.tasks[t].wait_count == v.tasks[t].wait_count);
            CHECK(w.tasks[t].access_count == v.tasks[t].access_count);
            CHECK(w.tasks[t].signal_count == v.tasks[t].signal_count);
        }
    }
    CHECK(checked > 100);
}

TEST_CASE("what does not fit a record is refused by name") {
    const auto attempt = [](const char* where, const nlohmann::json& value) {
        nlohmann::json json = sample();
        json[nlohmann::json::json_pointer(where)] = value;
        return read(json);
    };
    CHECK(attempt("/counters/0", 3).counters[0] == 3);
    CHECK(attempt("/buffers/0/past_rows", 1).buffers[0].past_rows == 1);
    check_refused([&] { attempt("/netra_schedule", "1"); }, {"f.json: 'netra_schedule' is '1'"});
    check_refused([&] { attempt("/queues", 100000); }, {"'queues' is 100000"});
    check_refused([&] { attempt("/counters", 2); }, {"'counters' is 2", "an array"});
    check_refused([&] { attempt("/counters/1", -1); }, {"'counters[1]' is -1"});
    check_refused([&] { attempt("/buffers/0/kind", "x"); }, {"'buffers[0].kind' is 'x'"});
    check_refused([&] { attempt("/buffers/0/rows", nullptr); }, {"'buffers[0].rows' is null"});
    check_refused([&] { attempt("/tasks/0/queue", 4294967296); }, {"'tasks[0].queue' is 4294967296"});
    check_refused([&] { attempt("/tasks/0/waits/0", {1}); }, {"'tasks[0].waits[0]' is an array of 1 items", "a wait [counter, threshold]"});
    check_refused([&] { attempt("/tasks/0/accesses/0/rows", {1, 2, 3}); }, {"'tasks[0].accesses[0].rows'", "two numbers"});
    check_refused([&] { attempt("/tasks/0/accesses/0/write", "yes"); }, {"'tasks[0].accesses[0].write' is 'yes'"});
    check_refused([&] { attempt("/tasks/0/name", 1); }, {"'tasks[0].name' is 1"});
    CHECK(std::string(attempt("/tasks/0/name", std::string(100, 'n')).tasks[0].name.d) == std::string(31, 'n'));
}
