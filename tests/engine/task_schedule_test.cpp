// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/task_schedule.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("a task owns what is added after it") {
    task_schedule s;
    s.buffers.push_back({.name = "a", .row_bytes = 8});
    s.counters = {0, 5};
    s.queues = 2;
    s.add_task("first", 0);
    s.add_signal(1);
    s.add_access({.buffer = 0, .write = true, .end_byte = 8});
    s.add_task("second", 1);
    s.add_wait({1, 6});
    s.add_wait({0, 1});
    s.add_signal(0);
    s.add_signal(1);
    const expanded_view v = s.view();
    REQUIRE(v.task_count == 2);
    CHECK(v.tasks[0].signal_count == 1);
    CHECK(v.tasks[0].wait_count == 0);
    CHECK(v.tasks[0].access_count == 1);
    CHECK(v.tasks[1].first_signal == 1);
    CHECK(v.tasks[1].signal_count == 2);
    CHECK(v.tasks[1].wait_count == 2);
    CHECK(v.waits[v.tasks[1].first_wait].threshold == 6);
    CHECK(v.tasks[1].queue == 1);
    CHECK(v.counters[1] == 5);
    CHECK(v.queues == 2);
    CHECK(v.buffer_count == 1);
}

TEST_CASE("faults beyond those that are kept are counted") {
    schedule_faults faults;
    CHECK(faults.empty());
    for (int i = 0; i < 40; ++i) faults.add("reason", "sentence " + std::to_string(i));
    CHECK_FALSE(faults.empty());
    CHECK(faults.list().size() == 32);
    CHECK(faults.list()[31].sentence == "sentence 31");
    CHECK(faults.left_out() == 8);
    schedule_faults one;
    one.add(refuse(reason::zero_size, "schedule", "queues"));
    CHECK(one.list()[0].reason == "zero_size");
    CHECK(one.list()[0].sentence == "schedule: queues is 0; every size of a contract must be at least 1");
}
