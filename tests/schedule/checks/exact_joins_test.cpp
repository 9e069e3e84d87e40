// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_joins.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/flat_oracle.hpp"
#include "support/flat_schedule.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

TEST_CASE("what is found to be ordered is") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    usz found = 0;
    usz missed = 0;
    for (usz n = 0; n < 4000; ++n) {
        const flat_schedule made = mostly_running_tasks(d);
        const expanded_view v = made.view();
        INFO(dump(v));
        const auto ran = flat_oracle::runs_without_each(v);
        detail::exact_run run(v);
        detail::scratch<u32_t> order(v.task_count);
        REQUIRE(detail::run_all(run, order) == v.task_count);
        detail::plain_joins joins(run, order);
        for (u32_t i = 0; i < v.task_count; ++i)
            for (u32_t k = 0; k < v.task_count; ++k) {
                if (k == i) continue;
                const bool ordered = ran[order[k]][order[i]] == 0;
                if (joins.ordered(order[k], order[i])) {
                    REQUIRE(ordered);
                    ++found;
                } else if (ordered) {
                    ++missed;
                }
            }
    }
    std::printf("found %zu, missed %zu\n", found, missed);
    CHECK(found > missed);
}

TEST_CASE("joins are followed through counters and queues") {
    // 0 and 1 signal counter 0; 2 joins it and signals 1; 3 follows 2 on its queue and signals 2; 4 joins that; 5 waits for a part of counter 0
    const flat_schedule made({}, {0, 0, 0}, 5,
                             {{.queue = 0, .signals = {0}},
                              {.queue = 1, .signals = {0}},
                              {.queue = 2, .signals = {1}, .waits = {{0, 2}}},
                              {.queue = 2, .signals = {2}},
                              {.queue = 3, .waits = {{2, 1}}},
                              {.queue = 4, .waits = {{0, 1}}}});
    detail::exact_run run(made.view());
    detail::scratch<u32_t> order(6);
    REQUIRE(detail::run_all(run, order) == 6);
    detail::plain_joins joins(run, order);
    for (u32_t t = 0; t < 4; ++t) CHECK(joins.ordered(t, 4));
    CHECK(joins.ordered(0, 3));
    CHECK_FALSE(joins.ordered(3, 2));
    CHECK_FALSE(joins.ordered(0, 5));
    CHECK_FALSE(joins.ordered(1, 5));
    CHECK(joins.last_signal(0) == 1);
}
