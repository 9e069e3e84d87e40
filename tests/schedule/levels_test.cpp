// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/levels.hpp>

#include <vector>

#include "rejects/tiny_schedule.hpp"
#include "schedule/lowered.hpp"
#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

struct levels {
    std::vector<u32_t> of;
    u32_t count = 0;
};

levels levels_of(const expanded_view& s) {
    const task_levels found(s);
    levels all;
    all.count = found.count();
    for (usz t = 0; t < s.task_count; ++t) all.of.push_back(found[t]);
    return all;
}
levels levels_of(const schedule_view& s) { return levels_of(expanded_schedule(s).view()); }

constexpr auto good = tiny();
constexpr u32_t last_level = [] {
    const expanded_schedule written_out(view(good));
    const task_levels found(written_out.view());
    return found[11];
}();
static_assert(last_level == 5);

/// The same by its definition: the smallest numbers that waits and queue order allow, by repetition until nothing changes.
std::vector<u32_t> slow_levels(const expanded_view& s) {
    std::vector<u32_t> level(s.task_count, task_levels::never);
    for (u32_t now = 0; now <= s.task_count; ++now) {
        std::vector<u64_t> counters(s.counters, s.counters + s.counter_count);
        for (usz t = 0; t < s.task_count; ++t)
            for (u32_t i = 0; level[t] < now && i < s.tasks[t].signal_count; ++i) ++counters[s.signals[s.tasks[t].first_signal + i]];
        for (usz t = 0; t < s.task_count; ++t) {
            bool may = level[t] == task_levels::never;
            for (usz p = 0; p < t; ++p) may = may && (s.tasks[p].queue != s.tasks[t].queue || level[p] < now);
            for (u32_t i = 0; i < s.tasks[t].wait_count; ++i) {
                const expanded_wait& w = s.waits[s.tasks[t].first_wait + i];
                may = may && counters[w.counter] >= w.threshold;
            }
            if (may) level[t] = now;
        }
    }
    return level;
}

}  // namespace

TEST_CASE("tasks run as early as waits and queues allow") {
    const levels found = levels_of(view(good));
    CHECK(found.count == 6);
    CHECK(found.of == std::vector<u32_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
}

TEST_CASE("tasks that never run have no level") {
    auto s = tiny();
    s.groups[group_gate].waits[0].threshold = 5;
    const levels found = levels_of(view(s));
    CHECK(found.count == 2);
    CHECK(std::vector<u32_t>(found.of.begin() + 4, found.of.end()) == std::vector<u32_t>(8, task_levels::never));
}

TEST_CASE("initial values of counters and low thresholds count") {
    const expanded_task tasks[] = {{.queue = 0, .first_signal = 0, .signal_count = 1},
                                   {.queue = 0, .first_signal = 0, .signal_count = 1},
                                   {.queue = 1, .first_wait = 0, .wait_count = 1},
                                   {.queue = 2, .first_wait = 1, .wait_count = 1}};
    const u32_t signals[] = {0};
    const expanded_wait waits[] = {{0, 4}, {0, 3}};
    u64_t counters[] = {2};
    const expanded_view s{.tasks = tasks, .task_count = 4, .signals = signals, .signal_count = 1, .waits = waits, .wait_count = 2,
                          .counters = counters, .counter_count = 1, .queues = 3};
    CHECK(levels_of(s).of == std::vector<u32_t>{0, 1, 2, 1});
    counters[0] = 1;
    CHECK(levels_of(s).of == std::vector<u32_t>{0, 1, task_levels::never, 2});
    CHECK(levels_of(expanded_view{}).count == 0);
}

TEST_CASE("levels are those of the definition") {
    const u64_t seed = 20261130;
    INFO("seed " << seed);
    u32_t checked = 0;
    for (u64_t i = 0; i < 400; ++i) {
        test::loose_schedule s = test::schedule_maker(seed + i).make();
        if (!check_structure(view(s)).ok()) continue;
        const expanded_schedule written_out(view(s));
        REQUIRE(levels_of(written_out.view()).of == slow_levels(written_out.view()));
        ++checked;
    }
    CHECK(checked > 100);
}

TEST_CASE("every task of a lowered model has a level") {
    const test::loose_schedule s = test::lowered(test::odd_model, {.workers = 3, .tile_outputs = 2, .per_head_waits = true});
    for (const u32_t level : levels_of(view(s)).of) CHECK(level != task_levels::never);
}
