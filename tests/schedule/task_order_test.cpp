// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// No order of single tiles is claimed that does not hold; the usual ones are found.
#include <netra/schedule/task_order.hpp>

#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

/// A schedule's order, of groups and of tiles.
struct derived {
    schedule_view s;
    group_order groups;
    task_order tiles;
    explicit derived(const loose_schedule& of) : s(view(of)), groups(s), tiles(s, groups.view()) {}
};

}  // namespace

TEST_CASE("claims against single runs of random schedules") {
    u64_t pairs = 0;
    u64_t hold = 0;
    u64_t claimed = 0;
    u64_t wrong = 0;
    for (u64_t seed = 0; seed < 20000; ++seed) {
        const loose_schedule s = schedule_maker(0xfeed0000 + seed).make();
        const schedule_view v = view(s);
        if (!check_structure(v).ok()) continue;
        const group_order groups(v);
        if (!check_waits(v, groups.view()).ok()) continue;
        const task_order order(v, groups.view());
        const auto runs = oracle::runs_without_each(v);
        std::vector<usz> start;
        usz tasks = 0;
        for (const auto& g : s.groups) start.push_back(tasks), tasks += g.tiles;
        for (usz g = 0; g < s.groups.size(); ++g)
            for (usz p = 0; p < s.groups.size(); ++p) {
                for (u32_t a = 0; a < s.groups[g].tiles; ++a)
                    for (u32_t b = 0; b < s.groups[p].tiles; ++b) {
                        const usz first = start[p] + b;
                        const usz second = start[g] + a;
                        const bool holds = first != second && runs[first][second] == 0;
                        const bool claims = order.ordered(g, a, p, b);
                        if ((claims || groups.complete(g, p)) && !holds) ++wrong;
                        ++pairs;
                        hold += holds ? 1U : 0U;
                        claimed += claims ? 1U : 0U;
                    }
            }
    }
    std::printf("%llu pairs of tasks, %llu ordered, %llu of them known\n", pairs, hold, claimed);
    CHECK(wrong == 0);
    CHECK(claimed * 10 > hold * 8);
}

TEST_CASE("waiting tile by tile orders tiles, not groups") {
    loose_schedule s;
    s.queues = 2;
    group g = s.start("a", 4, true);
    g.queue = {0, 0, 1};
    const added_group a = s.finish(g);
    g = s.start("b", 4);
    g.queue = {1, 0, 1};
    join_tiles(g, a, 0, 1, 1);
    s.finish(g);
    const derived d(s);
    CHECK_FALSE(d.groups.complete(1, 0));
    CHECK(d.tiles.ordered(1, 2, 0, 2));
    CHECK_FALSE(d.tiles.ordered(1, 1, 0, 2));
}

TEST_CASE("a common queue orders, also tiles of one group") {
    loose_schedule s;
    s.queues = 2;
    group g = s.start("a", 4);
    g.queue = {0, 1, 1};
    s.finish(g);
    g = s.start("b", 1);
    g.queue = {1, 0, 1};
    s.finish(g);
    const derived d(s);
    CHECK(d.tiles.ordered(0, 2, 0, 0));
    CHECK_FALSE(d.tiles.ordered(0, 2, 0, 1));
    CHECK_FALSE(d.tiles.ordered(0, 0, 0, 2));
    CHECK(d.tiles.ordered(1, 0, 0, 3));
    CHECK_FALSE(d.tiles.ordered(1, 0, 0, 2));
}

TEST_CASE("a threshold below the number of signals joins nothing") {
    loose_schedule s;
    s.queues = 2;
    group g = s.start("a", 2);
    g.queue = {0, 1, 1};
    added_group a = s.finish(g);
    g = s.start("b", 1);
    a.tiles = 1;
    join(g, a);
    s.finish(g);
    const derived d(s);
    CHECK_FALSE(d.groups.complete(1, 0));
    CHECK(d.tiles.ordered(1, 0, 0, 0));  // they share queue 0
    CHECK_FALSE(d.tiles.ordered(1, 0, 0, 1));
}

TEST_CASE("a question with exponentially many paths ends") {
    loose_schedule s;
    s.queues = 64;
    const u32_t depth = 60;
    added_group last;
    for (u32_t i = 0; i <= depth; ++i) {  // tile t waits for tiles t and t + 1 of the group before
        group g = s.start("stencil", 64 - i, true);
        g.queue = {i, 1, 1};
        if (i != 0) g.waits.push_back({{last.signal.first, 1, 1}, 2, 1});
        last = s.finish(g);
    }
    const derived d(s);
    CHECK(d.tiles.ordered(depth, 0, depth - 1, 1));
    CHECK(d.tiles.ordered(depth, 0, 0, 0));
    CHECK_FALSE(d.tiles.ordered(depth, 0, 0, 63));
}
