// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_run.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/flat_oracle.hpp"
#include "support/flat_schedule.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

flat_schedule random_tasks(dice& d) {
    const u32_t queues = d.between(1, 4);
    std::vector<u64_t> counters;
    for (u32_t c = d.between(1, 4); c > 0; --c) counters.push_back(d.percent(80) ? 0 : d.below(3));
    std::vector<flat_task> tasks;
    for (u32_t t = d.between(1, 12); t > 0; --t) {
        flat_task x{.queue = d.below(queues)};
        for (u32_t i = d.below(3); i > 0; --i) x.waits.push_back({d.below(counters.size()), d.below(5)});
        for (u32_t i = d.below(3); i > 0; --i) x.signals.push_back(d.below(counters.size()));
        tasks.push_back(x);
    }
    return {{}, counters, queues, tasks};
}

struct snapshot {
    std::vector<bool> done{};
    std::vector<bool> ready{};
    std::vector<u32_t> came{};
    friend bool operator==(const snapshot&, const snapshot&) = default;
};
snapshot state_of(const detail::exact_run& run) {
    snapshot s;
    for (u32_t t = 0; t < run.tasks(); ++t) s.done.push_back(run.done(t)), s.ready.push_back(run.ready(t));
    for (u32_t c = 0; c < run.view().counter_count; ++c) s.came.push_back(run.came(c));
    return s;
}

}  // namespace

TEST_CASE("everything runs that can, and every step can be taken back") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    for (usz n = 0; n < 3000; ++n) {
        const flat_schedule made = random_tasks(d);
        const expanded_view v = made.view();
        INFO(dump(v));
        std::vector<char> expected(v.task_count, 1);
        {
            expanded_task last{};  // a task that nothing waits for is held instead: all others run as far as they come
            std::vector<expanded_task> tasks(v.tasks, v.tasks + v.task_count);
            last.queue = v.queues;
            tasks.push_back(last);
            expanded_view w = v;
            w.tasks = tasks.data();
            w.task_count = tasks.size();
            w.queues = v.queues + 1;
            expected = flat_oracle::runs_without_each(w).back();
            expected.pop_back();
        }
        detail::exact_run run(v);
        detail::scratch<u32_t> order(v.task_count);
        std::vector<snapshot> states{state_of(run)};
        const u32_t ran = detail::run_all(run, order);
        for (u32_t t = 0; t < run.tasks(); ++t) REQUIRE(run.done(t) == (expected[t] != 0));
        for (u32_t i = ran; i-- > 0;) run.undo(order[i]);
        REQUIRE(state_of(run) == states[0]);
        for (u32_t i = 0; i < ran; ++i) {
            REQUIRE(run.ready(order[i]));
            std::vector<u32_t> woken;
            run.run(order[i], [&](u32_t t) { woken.push_back(t); });
            for (const u32_t t : woken) REQUIRE((run.ready(t) && !states.back().ready[t]));
            states.push_back(state_of(run));
        }
        for (u32_t i = ran; i-- > 0;) {
            run.undo(order[i]);
            REQUIRE(state_of(run) == states[i]);
        }
    }
}

TEST_CASE("queues without tasks cost nothing") {
    std::vector<flat_task> tasks(3);
    tasks[0].queue = 4000000000U;
    tasks[1].queue = 7;
    tasks[2].queue = 4000000000U;
    const flat_schedule made({}, {}, ~u32_t{0}, tasks);
    const detail::exact_run run(made.view());
    CHECK(run.queues() == 2);
    CHECK(run.queue_of(0) == run.queue_of(2));
    CHECK(run.position_of(2) == 1);
    CHECK(run.task_at(run.queue_of(0), 1) == 2);
    CHECK(run.length_of(run.queue_of(1)) == 1);
}

TEST_CASE("a threshold counts from the initial value") {
    std::vector<flat_task> tasks(2);
    tasks[0].signals = {0, 0, 1};
    tasks[1].waits = {{0, 3}, {0, 7}, {0, 8}, {1, ~u64_t{0}}};
    const flat_schedule made({}, {5, ~u64_t{0} - 1}, 1, tasks);
    const detail::exact_run run(made.view());
    const expanded_wait* waits = made.view().waits;
    CHECK(run.needed(waits[0]) == 0);
    CHECK(run.needed(waits[1]) == 2);
    CHECK(run.needed(waits[2]) == detail::exact_run::never);
    CHECK(run.needed(waits[3]) == 1);
    CHECK(run.signals_to(0) == 2);
}
