// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/team.hpp>

#include <chrono>
#include <random>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

/// Notes when each task of a step ended, after a random delay, and whether all that it waits for had ended before it began.
struct recorder {
    schedule_view s;
    unsigned seed;
    std::vector<std::vector<std::atomic<u32_t>>> runs;  ///< per group and tile: how many steps have run it
    std::atomic<u32_t> too_early{0};
    std::atomic<u64_t> tasks{0};
    u32_t step = 0;

    recorder(const schedule_view& of, unsigned with) : s(of), seed(with), runs(of.group_count) {
        for (usz g = 0; g < s.group_count; ++g) runs[g] = std::vector<std::atomic<u32_t>>(s.groups[g].tiles);
    }
    void operator()(u32_t queue, const task& t) {
        if (queue != s.queue_of(s.groups[t.group], t.tile)) too_early += 1;
        for_each_wait(s, t, [&](u32_t counter, u32_t threshold) {
            u32_t ended = 0;
            for (usz g = 0; g < s.group_count; ++g)
                for (u32_t tile = 0; tile < s.groups[g].tiles; ++tile)
                    if (s.groups[g].signal(tile) == counter) ended += runs[g][tile].load() == step + 1 ? 1U : 0U;
            if (ended < threshold) too_early += 1;
        });
        std::minstd_rand random(seed + t.group * 131 + t.tile * 7 + step);
        if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        runs[t.group][t.tile].fetch_add(1);
        tasks += 1;
    }
};

}  // namespace

TEST_CASE("every task runs once a step, after all that it waits for, whatever the delays") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    for (const u32_t workers : {1U, 2U, 3U, 7U}) {
        const test::loose_schedule lowered = test::lowered(test::grouped_model, {.workers = workers, .tile_outputs = 2, .per_head_waits = true});
        const schedule_view s = view(lowered);
        recorder record(s, seed);
        cpu::team team(s);
        team.start(record);
        u64_t tasks = 0;
        for_each_task(s, [&](u32_t, const task&) { ++tasks; });
        for (u32_t step = 0; step < 5; ++step) {
            record.step = step;
            team.step(record);
            CHECK(record.tasks == tasks * (step + 1));
        }
        CHECK(record.too_early == 0);
    }
}

TEST_CASE("a team that never steps, or was never started, ends") {
    const test::loose_schedule lowered = test::lowered(test::grouped_model, {.workers = 3});
    recorder record(view(lowered), 1);
    { cpu::team unused(view(lowered)); }
    {
        cpu::team idle(view(lowered));
        idle.start(record);
    }
    CHECK(record.tasks == 0);
}
