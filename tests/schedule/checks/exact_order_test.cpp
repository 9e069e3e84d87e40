// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_order.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/flat_oracle.hpp"
#include "support/flat_schedule.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

TEST_CASE("every question is answered as holding the earlier task back answers it") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    usz ordered = 0;
    usz unordered = 0;
    for (usz n = 0; n < 3000; ++n) {
        const flat_schedule made = mostly_running_tasks(d);
        const expanded_view v = made.view();
        INFO(dump(v));
        const auto ran = flat_oracle::runs_without_each(v);
        detail::exact_run run(v);
        detail::scratch<u32_t> order(v.task_count);
        REQUIRE(detail::run_all(run, order) == v.task_count);
        // pairs that are ordered, all at once and again and again; then each other pair
        detail::order_questions all(run, order);
        for (u32_t round = 0; round < 10; ++round)
            for (u32_t i = 0; i < v.task_count; ++i)
                for (u32_t k = 0; k < i; ++k)
                    if (ran[order[k]][order[i]] == 0) all.ask(order[k], order[i]), ++ordered;
        REQUIRE(all.answer());
        for (u32_t i = 0; i < v.task_count; ++i)
            for (u32_t k = 0; k < i; ++k) {
                detail::order_questions one(run, order);
                one.ask(order[k], order[i]);
                REQUIRE(one.answer() == (ran[order[k]][order[i]] == 0));
                if (one.all_ordered()) continue;
                ++unordered;
                REQUIRE(one.unordered().earlier == order[k]);
                REQUIRE(one.unordered().later == order[i]);
                REQUIRE(!one.answer());
            }
    }
    CHECK(ordered > 1000);
    CHECK(unordered > 1000);
}

TEST_CASE("one pair among many is found") {
    std::vector<flat_task> tasks;
    for (u32_t t = 0; t < 40; ++t) tasks.push_back({.queue = t % 4, .signals = {0}});
    for (u32_t t = 0; t < 40; ++t) tasks.push_back({.queue = t % 4, .waits = {{0, t == 1 ? 39U : 40U}}});
    const flat_schedule made({}, {0}, 4, tasks);
    detail::exact_run run(made.view());
    detail::scratch<u32_t> order(80);
    REQUIRE(detail::run_all(run, order) == 80);
    detail::order_questions q(run, order);
    for (u32_t i = 40; i < 80; ++i)
        for (u32_t k = 36; k < 40; ++k) q.ask(k, i);
    CHECK_FALSE(q.answer());
    CHECK(q.unordered().later == 41);
    CHECK(q.unordered().earlier != 37);  // which is on the same queue
}
