// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/expand.hpp>

#include <utility>
#include <vector>

#include "rejects/tiny_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

TEST_CASE("every queue runs its tiles by group, then tile") {
    const auto s = tiny();
    std::vector<std::vector<task>> queues(2);
    for_each_task(view(s), [&](u32_t queue, const task& one) { queues[queue].push_back(one); });
    CHECK(queues[0] ==
          std::vector<task>{{group_load, 0}, {group_load, 2}, {group_gate, 0}, {group_gate, 2}, {group_store, 1}, {group_store, 3}});
    CHECK(queues[1] ==
          std::vector<task>{{group_load, 1}, {group_load, 3}, {group_gate, 1}, {group_gate, 3}, {group_store, 0}, {group_store, 2}});
}

TEST_CASE("waits and signals of a task") {
    auto s = tiny();
    s.groups[group_store].waits[0] = {{1, 1, 2}, 2, 1};  // counters t / 2 + 1 and the next
    const auto waits_of = [&](const task& one) {
        std::vector<std::pair<u32_t, u32_t>> found;
        for_each_wait(view(s), one, [&](u32_t counter, u32_t threshold) { found.emplace_back(counter, threshold); });
        return found;
    };
    CHECK(waits_of({group_load, 0}).empty());
    CHECK(waits_of({group_gate, 3}) == std::vector<std::pair<u32_t, u32_t>>{{0, 4}});
    CHECK(waits_of({group_store, 3}) == std::vector<std::pair<u32_t, u32_t>>{{2, 1}, {3, 1}});
    CHECK(signal_of(view(s), {group_load, 3}) == 0);
    CHECK(signal_of(view(s), {group_gate, 3}) == 4);
}
