// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact.hpp>

#include "support/catch.hpp"
#include "support/flat_schedule.hpp"

#include <algorithm>

using namespace netra;
using namespace netra::test;

namespace {

exact_result check(const std::vector<expanded_buffer>& buffers, const std::vector<u64_t>& counters, const std::vector<flat_task>& tasks) {
    u32_t queues = 1;
    for (const auto& t : tasks) queues = std::max(queues, t.queue + 1);
    const flat_schedule made(buffers, counters, queues, tasks);
    return check_exact(made.view());
}
std::vector<u32_t> tasks_of(const exact_result& r) { return {r.tasks.begin(), r.tasks.end()}; }
std::string words_of(const exact_result& r) { return sentence(r.found).d; }

constexpr expanded_access reads(u32_t buffer, u64_t begin, u64_t end) { return {.buffer = buffer, .first_byte = begin, .end_byte = end}; }
constexpr expanded_access writes(u32_t buffer, u64_t begin, u64_t end) { return {.buffer = buffer, .write = true, .first_byte = begin, .end_byte = end}; }
constexpr expanded_access rows_of(expanded_access a, u64_t first, u64_t end) {
    a.first_row = first, a.end_row = end;
    return a;
}
const expanded_buffer row{.name = "x", .space = 0, .row_bytes = 8};
const expanded_buffer other_row{.name = "y", .space = 1, .row_bytes = 8};

}  // namespace

// what must be refused

TEST_CASE("a wait that the counter's initial value satisfies orders nothing") {
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 8)}}, {.queue = 1, .waits = {{0, 1}}, .accesses = {reads(0, 2, 6)}}};
    CHECK(check({row}, {0}, tasks).ok());
    const exact_result r = check({row}, {1}, tasks);
    CHECK(r.found.why == reason::data_race);
    CHECK(tasks_of(r) == std::vector<u32_t>{0, 1});
    CHECK(words_of(r) == "data race: t0 tile 0 and t1 tile 0 touch bytes 2 to 6 of buffer 0, one of them writing, and nothing orders them");
}

TEST_CASE("two unordered writers of one buffer race") {
    const exact_result r = check({row}, {}, {{.queue = 0, .accesses = {writes(0, 0, 5)}}, {.queue = 1, .accesses = {writes(0, 4, 8)}}});
    CHECK(r.found.why == reason::data_race);
    CHECK(r.found[label::first_byte] == 4);
    CHECK(r.found[label::end_byte] == 5);
}

TEST_CASE("a reader of bytes that no tile covers names the uncovered range") {
    const exact_result r = check({row}, {0}, {{.signals = {0}, .accesses = {writes(0, 0, 3)}}, {.signals = {0}, .accesses = {writes(0, 5, 8)}},
                                              {.waits = {{0, 2}}, .accesses = {reads(0, 0, 8)}}});
    CHECK(r.found.why == reason::uncovered_read);
    CHECK(r.found[label::first_byte] == 3);
    CHECK(r.found[label::end_byte] == 5);
    CHECK(tasks_of(r) == std::vector<u32_t>{2});
    CHECK(r.found.object == name{"x"});
}

TEST_CASE("a task that reads what only it writes is refused") {
    CHECK(check({row}, {}, {{.accesses = {reads(0, 0, 8), writes(0, 0, 8)}}}).found.why == reason::uncovered_read);
    CHECK(check({row}, {}, {{.accesses = {writes(0, 0, 8), reads(0, 0, 8)}}}).found.why == reason::uncovered_read);
}

TEST_CASE("an output written in part is refused, one that nothing touches too") {
    const expanded_buffer out{.name = "out", .kind = buffer_kind::output, .rows = 2, .row_bytes = 8};
    const exact_result r = check({out}, {}, {{.accesses = {rows_of(writes(0, 0, 8), 0, 1), rows_of(writes(0, 1, 7), 1, 2)}}});
    CHECK(r.found.why == reason::incomplete_output);
    CHECK(r.found[label::row] == 1);
    CHECK(r.found[label::first_byte] == 0);
    CHECK(r.found[label::end_byte] == 1);
    CHECK(check({out}, {}, {}).found.why == reason::incomplete_output);
    CHECK(check({out}, {}, {{.accesses = {rows_of(writes(0, 0, 8), 0, 2)}}}).ok());
    expanded_buffer held = out;
    held.held_rows = 1;
    CHECK(check({held}, {}, {}).found[label::row] == 1);
    CHECK(check({held}, {}, {{.accesses = {rows_of(writes(0, 0, 8), 1, 2)}}}).ok());
}

TEST_CASE("memory reused before its last reader is done") {
    const std::vector<expanded_buffer> shared = {{.name = "a", .row_bytes = 8}, {.name = "b", .offset = 4, .row_bytes = 8}};
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 8)}},
                                          {.queue = 1, .signals = {1}, .waits = {{0, 1}}, .accesses = {reads(0, 0, 8)}},
                                          {.queue = 0, .waits = {{0, 1}}, .accesses = {writes(1, 0, 8)}}};
    const exact_result r = check(shared, {0, 0}, tasks);
    CHECK(r.found.why == reason::shared_memory_race);
    CHECK(tasks_of(r) == std::vector<u32_t>{1, 2});
    CHECK(r.found[label::first_byte] == 4);
    CHECK(r.found[label::end_byte] == 8);
    CHECK(r.found[label::buffer] == 0);
    CHECK(r.found[label::other_buffer] == 1);
    std::vector<flat_task> mended = tasks;
    mended[2].waits = {{1, 1}};
    CHECK(check(shared, {0, 0}, mended).ok());
}

TEST_CASE("what another buffer has overwritten is not read") {
    const std::vector<expanded_buffer> shared = {{.name = "a", .row_bytes = 8}, {.name = "b", .offset = 4, .row_bytes = 8}};
    const exact_result r = check(shared, {}, {{.accesses = {writes(0, 0, 8)}}, {.accesses = {writes(1, 0, 2)}}, {.accesses = {reads(0, 0, 8)}}});
    CHECK(r.found.why == reason::overwritten_read);
    CHECK(r.found[label::first_byte] == 4);
    CHECK(r.found[label::end_byte] == 6);
    CHECK(r.found[label::other_buffer] == 1);
    const std::vector<expanded_buffer> held = {{.name = "a", .row_bytes = 8, .held_rows = 1}, {.name = "b", .offset = 4, .row_bytes = 8}};
    CHECK(check(held, {}, {{.accesses = {reads(0, 0, 8)}}, {.accesses = {writes(1, 0, 2)}}}).ok());
    CHECK(check(held, {}, {{.accesses = {writes(1, 0, 2)}}, {.accesses = {reads(0, 0, 8)}}}).found.why == reason::overwritten_read);
}

TEST_CASE("an output that another buffer overwrites is refused") {
    const std::vector<expanded_buffer> shared = {{.name = "out", .kind = buffer_kind::output, .row_bytes = 8}, {.name = "b", .offset = 4, .row_bytes = 8}};
    const exact_result r = check(shared, {}, {{.accesses = {writes(0, 0, 8)}}, {.accesses = {writes(1, 1, 2)}}});
    CHECK(r.found.why == reason::overwritten_output);
    CHECK(r.found[label::first_byte] == 5);
    CHECK(r.found[label::end_byte] == 6);
    CHECK(check(shared, {}, {{.accesses = {writes(1, 1, 2)}}, {.accesses = {writes(0, 0, 8)}}}).ok());
}

TEST_CASE("one task may not use bytes through two buffers, unless it only reads them") {
    const std::vector<expanded_buffer> shared = {{.name = "a", .row_bytes = 8, .held_rows = 1}, {.name = "b", .offset = 4, .row_bytes = 8, .held_rows = 1}};
    const exact_result r = check(shared, {}, {{.accesses = {reads(0, 0, 6), writes(1, 0, 4)}}});
    CHECK(r.found.why == reason::aliased_operands);
    CHECK(r.found[label::first_byte] == 4);
    CHECK(r.found[label::end_byte] == 6);
    CHECK(check(shared, {}, {{.accesses = {reads(0, 0, 4), writes(1, 0, 4)}}}).ok());
    CHECK(check(shared, {}, {{.accesses = {reads(0, 0, 8), reads(1, 0, 8)}}}).ok());
    CHECK(check(shared, {}, {{.accesses = {writes(0, 0, 8), writes(0, 0, 8)}}}).ok());
}

TEST_CASE("a race among 10,000 tasks is found") {
    std::vector<flat_task> tasks;
    constexpr u32_t n = 5000;
    const expanded_buffer wide{.name = "wide", .row_bytes = n};
    for (u32_t i = 0; i < n; ++i) tasks.push_back({.queue = i % 50, .signals = {0}, .accesses = {writes(0, i, i + 1)}});
    for (u32_t i = 0; i < n; ++i) tasks.push_back({.queue = (i + 1) % 50, .signals = {1}, .waits = {{0, n}}, .accesses = {reads(0, i, i + 1)}});
    for (u32_t i = 0; i < n; ++i) tasks.push_back({.queue = i % 50, .waits = {{1, n}}, .accesses = {writes(0, i, i + 1)}});
    CHECK(check({wide}, {0, 0}, tasks).ok());
    tasks[2 * n].waits[0].threshold = n - 99;  // its reader is the first of 100 on a queue: without it, n - 100 signals come
    CHECK(check({wide}, {0, 0}, tasks).ok());
    tasks[2 * n].waits[0].threshold = n - 100;
    const exact_result raced = check({wide}, {0, 0}, tasks);
    CHECK(raced.found.why == reason::data_race);
    CHECK(tasks_of(raced) == std::vector<u32_t>{n, 2 * n});
}

// what must be accepted

TEST_CASE("write, read, rewrite, read of one buffer, totally ordered") {
    CHECK(check({row}, {0}, {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 8)}},
                             {.queue = 1, .signals = {0}, .waits = {{0, 1}}, .accesses = {reads(0, 0, 8)}},
                             {.queue = 0, .signals = {0}, .waits = {{0, 2}}, .accesses = {writes(0, 0, 8)}},
                             {.queue = 1, .signals = {0}, .waits = {{0, 3}}, .accesses = {reads(0, 0, 8)}}})
              .ok());
}

TEST_CASE("the residual in place between ordered readers") {
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 8), writes(1, 0, 8)}},
                                          {.queue = 1, .signals = {1}, .waits = {{0, 1}}, .accesses = {reads(0, 0, 8)}},
                                          {.queue = 0, .signals = {2}, .waits = {{1, 1}}, .accesses = {reads(0, 0, 8), reads(1, 0, 8), writes(0, 0, 8)}},
                                          {.queue = 1, .waits = {{2, 1}}, .accesses = {reads(0, 0, 8)}}};
    CHECK(check({row, other_row}, {0, 0, 0}, tasks).ok());
}

TEST_CASE("tiles on two counters, joined by the reader; a reader that waits for the tiles it needs alone") {
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 4)}},
                                          {.queue = 1, .signals = {1}, .accesses = {writes(0, 4, 8)}},
                                          {.queue = 2, .waits = {{0, 1}, {1, 1}}, .accesses = {reads(0, 0, 8)}},
                                          {.queue = 3, .waits = {{1, 1}}, .accesses = {reads(0, 5, 8)}}};
    CHECK(check({row}, {0, 0}, tasks).ok());
    std::vector<flat_task> wrong = tasks;
    wrong[3].accesses = {reads(0, 3, 8)};
    const exact_result r = check({row}, {0, 0}, wrong);
    CHECK(r.found.why == reason::data_race);
    CHECK(tasks_of(r) == std::vector<u32_t>{0, 3});
}

TEST_CASE("a partial threshold whose remaining producer is ordered anyway") {
    // two of three signals; the third producer comes before the reader in its queue
    const std::vector<flat_task> tasks = {{.queue = 0, .signals = {0}, .accesses = {writes(0, 0, 2)}},
                                          {.queue = 1, .signals = {0}, .accesses = {writes(0, 2, 4)}},
                                          {.queue = 2, .signals = {0, 0}, .accesses = {writes(0, 4, 8)}},
                                          {.queue = 2, .waits = {{0, 4}}, .accesses = {reads(0, 0, 8)}}};
    CHECK(check({row}, {0}, tasks).ok());
    std::vector<flat_task> weak = tasks;
    weak[3].waits[0].threshold = 3;
    CHECK(check({row}, {0}, weak).found.why == reason::data_race);
    weak[3].waits[0].threshold = 2;  // both signals of the task before it: nothing of the others
    CHECK(check({row}, {0}, weak).found.why == reason::data_race);
    std::vector<flat_task> chained = tasks;  // queue 0 is done when queue 1 is, so its signal need not be counted
    chained[1].waits = {{1, 1}};
    chained[0].signals = {0, 1};
    chained[2].signals = {};
    chained[3].waits = {{0, 2}};
    CHECK(check({row}, {0, 0}, chained).ok());
    chained[0].signals = {1};
    chained[3].waits = {{0, 1}};
    CHECK(check({row}, {0, 0}, chained).ok());
}

TEST_CASE("unordered appends to different rows of a cache, which also is read where it is held") {
    const expanded_buffer cache{.name = "cache", .kind = buffer_kind::state, .rows = 4096, .row_bytes = 8, .held_rows = 100, .past_rows = 100};
    std::vector<flat_task> tasks;
    for (u32_t r = 0; r < 8; ++r) tasks.push_back({.queue = r, .signals = {0}, .accesses = {rows_of(writes(0, 0, 8), 100 + r, 101 + r)}});
    tasks.push_back({.queue = 8, .accesses = {rows_of(reads(0, 2, 4), 0, 100)}});
    tasks.push_back({.queue = 9, .waits = {{0, 8}}, .accesses = {rows_of(reads(0, 2, 4), 0, 108)}});
    CHECK(check({cache}, {0}, tasks).ok());
    std::vector<flat_task> wrong = tasks;
    wrong[9].accesses[0].end_row = 109;
    const exact_result uncovered = check({cache}, {0}, wrong);
    CHECK(uncovered.found.why == reason::uncovered_read);
    CHECK(uncovered.found[label::row] == 108);
    wrong = tasks;
    wrong[3].accesses[0].first_row = 102;
    const exact_result raced = check({cache}, {0}, wrong);
    CHECK(raced.found.why == reason::data_race);
    CHECK(raced.found[label::row] == 102);
    wrong = tasks;
    wrong[3].accesses[0] = rows_of(writes(0, 0, 8), 99, 100);
    CHECK(check({cache}, {0}, wrong).found.why == reason::writes_read_only);
}

TEST_CASE("producer and consumer ordered by their common queue alone") {
    CHECK(check({row}, {}, {{.accesses = {writes(0, 0, 8)}}, {.accesses = {reads(0, 0, 8)}}}).ok());
}

TEST_CASE("rows of different sizes that share memory meet where their bytes do") {
    const std::vector<expanded_buffer> shared = {{.name = "a", .rows = 3, .row_bytes = 8}, {.name = "b", .rows = 4, .row_bytes = 6}};
    // a's bytes [8, 10) and [16, 18), b's [3, 6), [9, 12), ...: 9 is the first in common
    const exact_result r = check(shared, {}, {{.queue = 0, .accesses = {rows_of(writes(0, 0, 2), 1, 3)}}, {.queue = 1, .accesses = {rows_of(writes(1, 3, 6), 0, 4)}}});
    CHECK(r.found.why == reason::shared_memory_race);
    CHECK(r.found[label::first_byte] == 9);
    CHECK(r.found[label::end_byte] == 10);
    CHECK(check(shared, {}, {{.queue = 0, .accesses = {rows_of(writes(0, 6, 8), 0, 1)}}, {.queue = 1, .accesses = {rows_of(writes(1, 2, 6), 0, 2)}}}).ok());
}

TEST_CASE("a region that would need too many intervals is refused, not skipped") {
    const std::vector<expanded_buffer> shared = {{.name = "a", .rows = u64_t{1} << 40, .row_bytes = 8}, {.name = "b", .rows = u64_t{1} << 40, .row_bytes = 6}};
    const exact_result r = check(shared, {}, {{.accesses = {rows_of(writes(0, 0, 2), 0, u64_t{1} << 40), rows_of(writes(1, 0, 6), 7, 9)}}});
    CHECK(r.found.why == reason::too_large);
}
