// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// No order is claimed that does not hold; the usual ones are found.
#include <netra/schedule/order.hpp>

#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

TEST_CASE("claims against single runs of random schedules") {
    u64_t pairs = 0;
    u64_t hold = 0;
    u64_t claimed = 0;
    u64_t wrong = 0;
    for (u64_t seed = 0; seed < 20000; ++seed) {
        const loose_schedule s = schedule_maker(0xfeed0000 + seed).make();
        const schedule_view v = view(s);
        if (!check_structure(v).ok() || !check_waits(v).ok()) continue;
        const group_order order(v);
        const auto runs = oracle::runs_without_each(v);
        std::vector<usz> start;
        usz tasks = 0;
        for (const auto& g : s.groups) start.push_back(tasks), tasks += g.tiles;
        for (usz g = 0; g < s.groups.size(); ++g)
            for (usz p = 0; p < s.groups.size(); ++p) {
                const bool retired = order.retired_from(p) <= g;
                for (u32_t a = 0; a < s.groups[g].tiles; ++a)
                    for (u32_t b = 0; b < s.groups[p].tiles; ++b) {
                        const usz first = start[p] + b;
                        const usz second = start[g] + a;
                        const bool holds = first != second && runs[first][second] == 0;
                        const bool claims = order.ordered(g, a, p, b);
                        if ((claims || order.complete(g, p) || retired) && !holds) ++wrong;
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

TEST_CASE("a join orders whole groups, and joins chain") {
    loose_schedule s;
    s.queues = 4;
    group g = s.start("a", 4);
    g.queue = {0, 1, 1};
    added_group last = s.finish(g);
    for (const char* name : {"b", "c"}) {
        g = s.start(name, 3, true);
        g.queue = {1, 1, 1};
        join(g, last);
        last = s.finish(g);
    }
    const group_order order(view(s));
    CHECK(order.complete(1, 0));
    CHECK(order.complete(2, 1));
    CHECK(order.complete(2, 0));
    CHECK_FALSE(order.complete(0, 1));
    CHECK(order.retired_from(0) == 1);
    CHECK(order.retired_from(2) == 3);
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
    const group_order order(view(s));
    CHECK_FALSE(order.complete(1, 0));
    CHECK(order.ordered(1, 2, 0, 2));
    CHECK_FALSE(order.ordered(1, 1, 0, 2));
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
    const group_order order(view(s));
    CHECK(order.ordered(0, 2, 0, 0));
    CHECK_FALSE(order.ordered(0, 2, 0, 1));
    CHECK_FALSE(order.ordered(0, 0, 0, 2));
    CHECK(order.ordered(1, 0, 0, 3));
    CHECK_FALSE(order.ordered(1, 0, 0, 2));
}

TEST_CASE("a group on every queue ends after all that comes before it in any queue") {
    loose_schedule s;
    s.queues = 2;
    group g = s.start("a", 2);
    g.queue = {0, 1, 1};
    s.finish(g);
    g = s.start("b", 2);
    g.queue = {0, 1, 1};
    const added_group b = s.finish(g);
    g = s.start("c", 1);
    join(g, b);
    s.finish(g);
    const group_order order(view(s));
    CHECK_FALSE(order.complete(1, 0));
    CHECK(order.complete(2, 0));
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
    const group_order order(view(s));
    CHECK_FALSE(order.complete(1, 0));
    CHECK(order.ordered(1, 0, 0, 0));  // they share queue 0
    CHECK_FALSE(order.ordered(1, 0, 0, 1));
}

TEST_CASE("counters have the owner that signals them") {
    loose_schedule s;
    s.finish(s.start("a", 3, true));
    s.counters += 1;
    s.finish(s.start("b", 3));
    const counter_owners owners(view(s));
    CHECK((owners[0] == 0 && owners[2] == 0));
    CHECK(owners[3] == counter_owners::nobody);
    CHECK(owners[4] == 1);
}

TEST_CASE("a buffer is dead once all groups that use it are retired") {
    loose_schedule s;
    s.queues = 2;
    const u16_t used = s.add("used", buffer_kind::activation, 4);
    group g = s.start("a");
    writes(g, used, same_bytes(0, 4));
    const added_group a = s.finish(g);
    g = s.start("b");
    g.queue = {1, 0, 1};
    join(g, a);
    reads(g, used, same_bytes(0, 4));
    const added_group b = s.finish(g);
    g = s.start("c");
    join(g, b);
    s.finish(g);
    const schedule_view v = view(s);
    const buffer_lives lives(v, group_order(v));
    CHECK(lives.dead_from(used) == 2);
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
    const group_order order(view(s));
    CHECK(order.ordered(depth, 0, depth - 1, 1));
    CHECK(order.ordered(depth, 0, 0, 0));
    CHECK_FALSE(order.ordered(depth, 0, 0, 63));
}
