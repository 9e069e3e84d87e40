// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/expanded.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

/// Two tiles of "a" write the halves of a row; tile t of "b" reads half t and appends it to a state.
test::loose_schedule two_stages() {
    test::loose_schedule s;
    s.queues = 2;
    s.counters = 2;
    s.arena_bytes = 8;
    const u16_t row = s.add("row", buffer_kind::activation, 8);
    const u16_t cache = s.add("cache", buffer_kind::state, 8, 16);
    const byte_range halves{.first = 0, .stride = 4, .size = 4, .low = 0, .high = 8};
    s.groups.push_back({.name = "a", .tiles = 2, .queue = {0, 1, 1}, .signal = {0, 0, 1}});
    s.groups.back().accesses.push_back({.buffer = row, .write = true, .range = halves});
    s.groups.push_back({.name = "b", .tiles = 2, .queue = {1, 1, 1}, .signal = {1, 0, 1}});
    s.groups.back().accesses.push_back({.buffer = row, .range = halves});
    s.groups.back().accesses.push_back({.buffer = cache, .write = true, .part = row_part::fresh, .range = halves});
    return s;
}

}  // namespace

TEST_CASE("tasks are listed by group and tile, with their queue and counter") {
    const test::loose_schedule s = two_stages();
    const expanded_schedule made(view(s));
    const expanded_view v = made.view();
    REQUIRE(v.task_count == 4);
    CHECK(v.tasks[3].name == name{"b"});
    CHECK(v.tasks[3].tile == 1);
    CHECK(v.tasks[3].queue == 0);
    REQUIRE(v.tasks[3].signal_count == 1);
    CHECK(v.signals[v.tasks[3].first_signal] == 1);
    CHECK(v.wait_count == 0);
    CHECK(v.counter_count == 2);
}

TEST_CASE("this step's rows of a state are its row 1 and hold nothing yet") {
    const test::loose_schedule s = two_stages();
    const expanded_schedule made(view(s));
    const expanded_view v = made.view();
    CHECK(v.buffers[1].rows == 2);
    CHECK(v.buffers[1].held_rows == 1);
    CHECK(v.buffers[0].space != v.buffers[1].space);
    REQUIRE(v.tasks[3].access_count == 2);
    CHECK(v.accesses[v.tasks[3].first_access + 1] == expanded_access{.buffer = 1, .write = true, .first_row = 1, .end_row = 2, .first_byte = 4, .end_byte = 8});
}

TEST_CASE("a wait by word is a counter of its own for each tile that writes what is read") {
    test::loose_schedule s = two_stages();
    s.groups[1].words.push_back(0);
    const expanded_schedule made(view(s));
    const expanded_view v = made.view();
    CHECK(v.counter_count == 4);
    CHECK(v.tasks[0].signal_count == 2);
    CHECK(v.tasks[2].signal_count == 1);
    REQUIRE(v.tasks[3].wait_count == 1);
    CHECK(v.waits[v.tasks[3].first_wait] == expanded_wait{.counter = v.signals[v.tasks[1].first_signal + 1], .threshold = 1});
}
