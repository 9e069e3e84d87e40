// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/order.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

/// Two producers of 4 tiles on queues 0 to 3, then a group of 4 tiles that waits.
struct three_groups {
    loose_schedule s{};
    explicit three_groups(bool fine) {
        s.queues = 8;
        for (const char* name : {"a", "b"}) {
            group g = s.start(name, 4, fine);
            g.queue = {0, 1, 1};
            s.finish(g);
        }
        group g = s.start("waiting", 4);
        g.queue = {4, 1, 1};
        s.finish(g);
    }
    std::vector<detail::joined_tiles> joins(const wait& w) {
        const schedule_view v = view(s);
        const signal_index signals(v);
        const group_order order(v);
        const order_view groups = order.view();
        std::vector<detail::joined_tiles> found;
        if (!detail::counter_joins<order_view>(v, signals, groups).for_each(2, w, [&](const auto& j) { found.push_back(j); })) found.push_back({99});
        return found;
    }
};

}  // namespace

TEST_CASE("all signals of a counter") {
    three_groups t(false);
    const auto joins = t.joins({{1, 0, 1}, 1, 4});
    REQUIRE(joins.size() == 1);
    CHECK((joins[0].group == 1 && joins[0].tiles == interval{0, 4} && joins[0].fixed && joins[0].some));
}

TEST_CASE("some signals of a counter") {
    three_groups t(false);
    auto joins = t.joins({{1, 0, 1}, 1, 3});
    REQUIRE(joins.size() == 1);
    CHECK((joins[0].tiles.empty() && joins[0].some));
    t.s.groups[1].queue = {0, 0, 1};
    joins = t.joins({{1, 0, 1}, 1, 3});
    CHECK(joins[0].tiles == interval{0, 3});
}

TEST_CASE("too many signals") {
    three_groups t(false);
    CHECK(t.joins({{1, 0, 1}, 1, 5})[0].group == 99);
    CHECK(t.joins({{1, 0, 1}, 2, 1})[0].group == 99);  // counter 2 is the waiting group's own
}

TEST_CASE("tiles that wait for tiles") {
    three_groups t(true);
    auto joins = t.joins({{4, 1, 1}, 1, 1});
    REQUIRE(joins.size() == 1);
    CHECK((joins[0].group == 1 && joins[0].tiles == interval{0, 4} && !joins[0].fixed && joins[0].some));
    joins = t.joins({{0, 2, 1}, 1, 1});  // every other counter of both groups
    for (const auto& j : joins) CHECK(j.tiles.empty());
    joins = t.joins({{2, 1, 1}, 2, 1});
    REQUIRE(joins.size() == 2);
    for (const auto& j : joins) {
        CHECK(j.tiles == (j.group == 0 ? interval{2, 4} : interval{0, 3}));
        CHECK_FALSE(j.some);
    }
}

TEST_CASE("a counter of two groups") {
    three_groups t(false);
    t.s.groups[1].signal = {0, 0, 1};
    for (const auto& j : t.joins({{0, 0, 1}, 1, 8})) CHECK((j.tiles == interval{0, 4} && j.some));
    for (const auto& j : t.joins({{0, 0, 1}, 1, 4})) CHECK((j.tiles.empty() && !j.some));
    t.s.groups[1].waits.push_back({{0, 0, 1}, 1, 4});  // b follows a
    for (const auto& j : t.joins({{0, 0, 1}, 1, 4})) CHECK(j.tiles == (j.group == 0 ? interval{0, 4} : interval{}));
}

TEST_CASE("waits by word") {
    group p;
    p.tiles = 4;
    writes(p, 0, cut(0, 64, 16));
    group g;
    g.tiles = 2;
    reads(g, 0, cut(0, 64, 32));
    std::vector<detail::joined_tiles> found;
    const auto note = [&](const auto& j) { found.push_back(j); };
    detail::for_each_word_join(g, 7, p, note);
    REQUIRE(found.size() == 1);
    CHECK((found[0].group == 7 && found[0].tiles == interval{0, 4} && !found[0].fixed && found[0].some));
    g.accesses[0].range = same_bytes(16, 32);
    detail::for_each_word_join(g, 7, p, note);
    CHECK((found[1].tiles == interval{1, 3} && found[1].fixed && found[1].some));
    g.accesses[0].range = {.first = 0, .stride = 48, .size = 16, .low = 0, .high = 64};
    detail::for_each_word_join(g, 7, p, note);
    CHECK(found.size() == 2);  // with gaps: nothing is claimed
    g.accesses[0].range = {.first = 32, .stride = 32, .size = 32, .low = 0, .high = 64};
    detail::for_each_word_join(g, 7, p, note);
    CHECK((found[2].tiles == interval{2, 4} && !found[2].some));  // its second tile reads nothing, so it waits for nobody
}
