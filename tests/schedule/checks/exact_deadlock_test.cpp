// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact.hpp>

#include "support/catch.hpp"
#include "support/flat_schedule.hpp"

using namespace netra;
using namespace netra::test;

namespace {

/// `tasks` in list order on their queues, without memory.
exact_result check(u32_t queues, const std::vector<u64_t>& counters, const std::vector<flat_task>& tasks) {
    const flat_schedule made({}, counters, queues, tasks);
    return check_exact(made.view());
}
std::vector<u32_t> tasks_of(const exact_result& r) { return {r.tasks.begin(), r.tasks.end()}; }

}  // namespace

TEST_CASE("a wait for more signals than there are names counter, threshold and signals") {
    const exact_result r = check(2, {1}, {{.queue = 0, .signals = {0}}, {.queue = 1, .waits = {{0, 3}}}});
    CHECK(r.found.why == reason::unsatisfiable_wait);
    CHECK(r.found[label::counter] == 0);
    CHECK(r.found[label::threshold] == 3);
    CHECK(r.found[label::signals] == 2);
    CHECK(r.found.object == name{"t0"});
    CHECK(tasks_of(r) == std::vector<u32_t>{1});
    CHECK(check(1, {0}, {{.waits = {{0, 1}}}}).found.object == name{"no task"});
}

TEST_CASE("a task that waits for its own signal is a cycle of one") {
    const exact_result r = check(1, {0}, {{}, {.signals = {0}, .waits = {{0, 1}}}});
    CHECK(r.found.why == reason::cyclic_wait);
    CHECK(r.found[label::tasks] == 1);
    CHECK(tasks_of(r) == std::vector<u32_t>{1});
}

TEST_CASE("two tasks that wait for each other") {
    const exact_result r = check(2, {0, 0}, {{.queue = 0, .signals = {0}, .waits = {{1, 1}}}, {.queue = 1, .signals = {1}, .waits = {{0, 1}}}});
    CHECK(r.found.why == reason::cyclic_wait);
    CHECK(r.tasks.size() == 2);
}

TEST_CASE("a queue that runs a reader before its writer") {
    const exact_result r = check(1, {0}, {{.waits = {{0, 1}}}, {}, {.signals = {0}}});
    CHECK(r.found.why == reason::queue_deadlock);
    CHECK(tasks_of(r) == std::vector<u32_t>{0, 2});
    CHECK(r.found[label::queue] == 0);
    CHECK(r.found[label::counter] == 0);
}

TEST_CASE("queues that block each other although the waits alone have no cycle") {
    // queue 0: a waits for d, then b; queue 1: c waits for b, then d
    const exact_result r =
        check(2, {0, 0}, {{.queue = 0, .waits = {{1, 1}}}, {.queue = 0, .signals = {0}}, {.queue = 1, .waits = {{0, 1}}}, {.queue = 1, .signals = {1}}});
    CHECK(r.found.why == reason::deadlock);
    CHECK(tasks_of(r) == std::vector<u32_t>{0, 3, 2, 1});
    CHECK(r.found[label::tasks] == 4);
    CHECK(r.found.subject == name{"t0"});
    CHECK(r.found.object == name{"t3"});
}

TEST_CASE("the shortest of several cycles is shown") {
    std::vector<flat_task> tasks;
    std::vector<u64_t> counters(40, 0);
    for (u32_t i = 0; i < 30; ++i) tasks.push_back({.queue = i, .signals = {i}, .waits = {{(i + 1) % 30, 1}}});  // a cycle of 30
    tasks[11].waits.push_back({9, 1});                                                                            // and one of 3: 9, 10, 11
    for (u32_t i = 30; i < 40; ++i) tasks.push_back({.queue = i, .signals = {i}, .waits = {{i - 10, 1}}});        // these only wait
    const exact_result r = check(40, counters, tasks);
    CHECK(r.found.why == reason::cyclic_wait);
    CHECK(r.tasks.size() == 3);
    for (const u32_t t : r.tasks) CHECK((t >= 9 && t <= 11));
}

TEST_CASE("a cycle behind many tasks that wait for it is found at once") {
    constexpr u32_t n = 100000;
    std::vector<flat_task> tasks;
    for (u32_t i = 0; i + 1 < n; ++i) tasks.push_back({.queue = i, .signals = {i}, .waits = {{i + 1, 1}}});
    tasks.push_back({.queue = n - 1, .signals = {n - 1}, .waits = {{n - 2, 1}}});
    const exact_result r = check(n, std::vector<u64_t>(n, 0), tasks);
    CHECK(r.found.why == reason::cyclic_wait);
    CHECK(tasks_of(r) == std::vector<u32_t>{n - 2, n - 1});
}

TEST_CASE("thresholds that a part of the signals meets block nobody") {
    // the second signal of counter 0 comes from a task that waits for the reader
    CHECK(check(2, {0, 0}, {{.queue = 0, .signals = {0}}, {.queue = 0, .signals = {0}, .waits = {{1, 1}}}, {.queue = 1, .signals = {1}, .waits = {{0, 1}}}}).ok());
    CHECK_FALSE(check(2, {0, 0}, {{.queue = 0, .signals = {0}}, {.queue = 0, .signals = {0}, .waits = {{1, 1}}}, {.queue = 1, .signals = {1}, .waits = {{0, 2}}}}).ok());
}
