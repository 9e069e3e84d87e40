// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "support/explorer.hpp"

#include "support/catch.hpp"
#include "support/flat_schedule.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr expanded_buffer row_of(u32_t space, u64_t bytes = 2, buffer_kind kind = buffer_kind::activation) {
    return {.kind = kind, .space = space, .row_bytes = bytes, .held_rows = kind == buffer_kind::input ? 1U : 0U};
}
constexpr expanded_access reads(u32_t buffer, u64_t first = 0, u64_t end = 2) {
    return {.buffer = buffer, .first_byte = first, .end_byte = end};
}
constexpr expanded_access writes(u32_t buffer, u64_t first = 0, u64_t end = 2) {
    return {.buffer = buffer, .write = true, .first_byte = first, .end_byte = end};
}
explorer explored(const std::vector<expanded_buffer>& buffers, const std::vector<u64_t>& counters, const std::vector<flat_task>& tasks) {
    const flat_schedule s(buffers, counters, 3, tasks);
    explorer e;
    e.explore(s.view());
    return e;
}

}  // namespace

TEST_CASE("one task: not started, running, ended") {
    const explorer e = explored({}, {0}, {{.queue = 0, .signals = {0}}});
    CHECK(e.state_count() == 3);
    CHECK(e.safe());
}
TEST_CASE("two tasks on two queues have nine states, on one queue five") {
    CHECK(explored({}, {}, {{.queue = 0}, {.queue = 1}}).state_count() == 9);
    const explorer e = explored({}, {}, {{.queue = 0}, {.queue = 0}});
    CHECK(e.state_count() == 5);
    CHECK(e.ordered(0, 1));
    CHECK_FALSE(e.ordered(1, 0));
}
TEST_CASE("a threshold above all signals blocks, an initial value may meet it") {
    CHECK(explored({}, {0}, {{.signals = {0}}, {.queue = 1, .waits = {{0, 2}}}}).blocks());
    CHECK_FALSE(explored({}, {1}, {{.signals = {0}}, {.queue = 1, .waits = {{0, 2}}}}).blocks());
}
TEST_CASE("a task that signals a counter twice adds 2") {
    CHECK_FALSE(explored({}, {0}, {{.signals = {0, 0}}, {.queue = 1, .waits = {{0, 2}}}}).blocks());
}
TEST_CASE("queues block each other although no wait is part of a cycle") {
    // a waits for d and is listed before b, c waits for b and is listed before d
    CHECK(
        explored(
            {}, {0, 0},
            {{.queue = 0, .waits = {{1, 1}}}, {.queue = 0, .signals = {0}}, {.queue = 1, .waits = {{0, 1}}}, {.queue = 1, .signals = {1}}})
            .blocks());
}
TEST_CASE("write, read, rewrite, read of one buffer on two queues, ordered by counters") {
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0)}},
                                          {.queue = 1, .signals = {1}, .waits = {{0, 1}}, .accesses = {reads(0)}},
                                          {.queue = 0, .signals = {0}, .waits = {{1, 1}}, .accesses = {writes(0)}},
                                          {.queue = 1, .signals = {1}, .waits = {{0, 2}}, .accesses = {reads(0)}}};
    CHECK(explored({row_of(0)}, {0, 0}, tasks).safe());
    auto early = tasks;
    early[3].waits[0].threshold = 1;  // reads while the buffer is written again
    CHECK(explored({row_of(0)}, {0, 0}, early).races());
    CHECK(explored({row_of(0)}, {0, 1}, tasks).races());  // the initial value lets the second write pass
}
TEST_CASE("one signal, which either of two tasks may give first, orders neither of them") {
    const explorer e = explored({row_of(0)}, {0},
                                {{.queue = 0, .signals = {0}, .accesses = {writes(0)}},
                                 {.queue = 1, .signals = {0}},
                                 {.queue = 2, .waits = {{0, 1}}, .accesses = {reads(0)}}});
    CHECK(e.races());
    CHECK(e.reads_uncovered());
    CHECK_FALSE(e.ordered(0, 2));
}
TEST_CASE("a partial threshold orders what its remaining producer is ordered after") {
    // 1 waits for 0; whoever sees one signal of counter 0 has seen that of 0
    const explorer e = explored({row_of(0)}, {0, 0},
                                {{.queue = 0, .signals = {0, 1}, .accesses = {writes(0)}},
                                 {.queue = 1, .signals = {0}, .waits = {{1, 1}}},
                                 {.queue = 2, .waits = {{0, 1}}, .accesses = {reads(0)}}});
    CHECK(e.safe());
    CHECK(e.ordered(0, 2));
    CHECK_FALSE(e.ordered(1, 2));
}
TEST_CASE("halves written apart and joined cover the whole, one of them alone does not") {
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 1)}},
                                          {.queue = 1, .signals = {0}, .accesses = {writes(0, 1, 2)}},
                                          {.queue = 2, .waits = {{0, 2}}, .accesses = {reads(0)}}};
    CHECK(explored({row_of(0)}, {0}, tasks).safe());
    auto half = tasks;
    half[1].accesses.clear();
    CHECK(explored({row_of(0)}, {0}, half).reads_uncovered());
    half[2].accesses = {reads(0, 0, 1)};
    CHECK(explored({row_of(0)}, {0}, half).safe());
}
TEST_CASE("appends to different rows need no order, the same row does") {
    const expanded_buffer cache{.kind = buffer_kind::state, .rows = 3, .row_bytes = 2, .held_rows = 1};
    expanded_access first = writes(0);
    first.first_row = 1, first.end_row = 2;
    expanded_access second = writes(0);
    second.first_row = 2, second.end_row = 3;
    CHECK(explored({cache}, {}, {{.queue = 0, .accesses = {first}}, {.queue = 1, .accesses = {second}}}).safe());
    CHECK(explored({cache}, {}, {{.queue = 0, .accesses = {first}}, {.queue = 1, .accesses = {first}}}).races());
    expanded_access all = reads(0);
    all.end_row = 2;
    CHECK(explored({cache}, {}, {{.queue = 0, .accesses = {first}}, {.queue = 0, .accesses = {all}}}).safe());
    CHECK(explored({cache}, {}, {{.queue = 0, .accesses = {second}}, {.queue = 0, .accesses = {all}}}).reads_uncovered());
    CHECK_FALSE(explored({cache}, {}, {{.accesses = {writes(0)}}}).writes_read_only());
    expanded_buffer with_past = cache;
    with_past.past_rows = 1;
    CHECK(explored({with_past}, {}, {{.accesses = {writes(0)}}}).writes_read_only());
}
TEST_CASE("in place: a task reads what was there, not what it writes") {
    CHECK(explored({row_of(0)}, {}, {{.accesses = {reads(0), writes(0)}}}).reads_uncovered());
    CHECK(explored({row_of(0)}, {}, {{.accesses = {writes(0)}}, {.accesses = {reads(0), writes(0)}}, {.accesses = {reads(0)}}}).safe());
}
TEST_CASE("memory that another buffer has taken over does not hold the old data") {
    const std::vector<expanded_buffer> shared = {row_of(0), row_of(0)};
    const std::vector<flat_task> reuse = {
        {.accesses = {writes(0)}}, {.accesses = {reads(0)}}, {.accesses = {writes(1)}}, {.accesses = {reads(1)}}};
    CHECK(explored(shared, {}, reuse).safe());
    auto late = reuse;
    late.push_back({.accesses = {reads(0)}});
    CHECK(explored(shared, {}, late).reads_uncovered());
    auto other_queue = reuse;
    other_queue[1].queue = 1;
    other_queue[1].waits = {{0, 1}};
    other_queue[0].signals = {0};
    CHECK(explored(shared, {0}, other_queue).races());
    CHECK(explored(shared, {}, {{.accesses = {writes(0), writes(1)}}}).mixes_buffers());
}
TEST_CASE("an output must be complete at the end, in its own bytes") {
    const std::vector<expanded_buffer> output = {row_of(0, 2, buffer_kind::output)};
    CHECK(explored(output, {}, {{}}).leaves_output_incomplete());
    CHECK(explored(output, {}, {{.accesses = {writes(0, 0, 1)}}}).leaves_output_incomplete());
    CHECK(explored(output, {}, {{.queue = 0, .accesses = {writes(0, 0, 1)}}, {.queue = 1, .accesses = {writes(0, 1, 2)}}}).safe());
}
TEST_CASE("inputs may be read at once and never written; accesses stay in bounds") {
    const std::vector<expanded_buffer> input = {row_of(0, 2, buffer_kind::input)};
    CHECK(explored(input, {}, {{.accesses = {reads(0)}}}).safe());
    CHECK(explored(input, {}, {{.accesses = {writes(0)}}}).writes_read_only());
    CHECK(explored({row_of(0)}, {}, {{.accesses = {writes(0, 0, 3)}}}).leaves_bounds());
}
