// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_result.hpp>

#include "support/catch.hpp"

#include <utility>
#include <vector>

using namespace netra;

namespace {

constexpr u32_t moved_sum() {
    exact_result r = detail::refuse_tasks(refuse(reason::data_race, "a", "b"), 3, 4);
    exact_result s = static_cast<exact_result&&>(r);
    r = detail::refuse_tasks(refuse(reason::deadlock, "a"), 20);
    u32_t sum = 0;
    for (const u32_t t : s.tasks) sum += t;
    for (const u32_t t : r.tasks) sum += t;
    return sum;
}
static_assert(moved_sum() == 27);

}  // namespace

TEST_CASE("a result is accepted until it says otherwise") {
    CHECK(exact_result{}.ok());
    CHECK(exact_result{}.tasks.size() == 0);
    const exact_result r = detail::refuse_tasks(refuse(reason::zero_size, "schedule", "queues"));
    CHECK_FALSE(r.ok());
    CHECK(r.tasks.size() == 0);
}

TEST_CASE("lists of tasks move") {
    task_list a(3);
    for (u32_t i = 0; i < 3; ++i) a[i] = 10 + i;
    task_list b = std::move(a);
    CHECK(a.size() == 0);  // NOLINT: a moved-from list is empty
    CHECK(std::vector<u32_t>(b.begin(), b.end()) == std::vector<u32_t>{10, 11, 12});
    task_list c(1);
    c = std::move(b);
    CHECK(c.size() == 3);
    CHECK(c[2] == 12);
}
