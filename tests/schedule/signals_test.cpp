// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/signals.hpp>

#include "schedule/loose_schedule.hpp"
#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace netra;
using namespace netra::test;

namespace {

std::vector<usz> signallers(const signal_index& of, usz g, u32_t begin, u32_t end) {
    std::vector<usz> found;
    of.for_each(g, begin, end, [&](usz p) { found.push_back(p); });
    std::sort(found.begin(), found.end());
    return found;
}

/// Group by group, signal by signal.
u64_t count(const loose_schedule& s, usz before, u32_t counter) {
    u64_t n = 0;
    for (usz g = 0; g < before; ++g)
        for (u32_t t = 0; t < s.groups[g].tiles; ++t) n += s.groups[g].signal(t) == counter ? 1U : 0U;
    return n;
}

}  // namespace

TEST_CASE("groups by their counters") {
    loose_schedule s;
    s.finish(s.start("a", 3, true));  // 0, 1, 2
    s.counters += 1;
    s.finish(s.start("b", 3));  // 4
    group g = s.start("c", 5);
    g.signal = {1, 1, 2};  // 1, 1, 2, 2, 3
    s.finish(g);
    const signal_index index(view(s));
    CHECK(index.shared());
    CHECK(signallers(index, 3, 0, 1) == std::vector<usz>{0});
    CHECK(signallers(index, 0, 1, 4) == std::vector<usz>{0, 2});
    CHECK(signallers(index, 1, 0, 6) == std::vector<usz>{0, 1, 2});
    CHECK(index.only_signaller(3, 4, 5) == 1);
    CHECK(index.only_signaller(3, 3, 4) == 2);
    CHECK(index.only_signaller(3, 2, 3) == 3);
    CHECK(index.only_signaller(3, 3, 5) == 3);
    CHECK(index.count_before(3, 2, 5).signals == 3);
    CHECK(index.count_before(2, 2, 5).signals == 1);
}

TEST_CASE("signals of random schedules, counted one by one") {
    u64_t counters = 0;
    for (u64_t seed = 0; seed < 2000; ++seed) {
        const loose_schedule s = schedule_maker(0xc0ffee00 + seed).make();
        if (!check_structure(view(s)).ok()) continue;
        const signal_index index(view(s));
        for (usz g = 0; g <= s.groups.size(); ++g)
            for (u32_t c = 0; c < s.counters; ++c) {
                const auto found = index.count_before(g, c, s.counters);
                REQUIRE(found.next > c);
                for (u32_t same = c; same < found.next; ++same) REQUIRE(found.signals == count(s, g, same));
                ++counters;
            }
    }
    CHECK(counters > 10000);
}

TEST_CASE("tiles by counters, and counters by tiles") {
    group g;
    g.tiles = 7;
    g.signal = {10, 1, 3};
    CHECK(tiles_signalling(g, 10, 11) == interval{0, 3});
    CHECK(tiles_signalling(g, 11, 13) == interval{3, 7});
    g.signal = {10, 0, 1};
    CHECK(tiles_signalling(g, 10, 11) == interval{0, 7});
}

TEST_CASE("queues of a group") {
    loose_schedule s;
    s.queues = 4;
    const schedule_view v = view(s);
    group g;
    const auto on = [&](u32_t tiles, const index_map& map) {
        g.tiles = tiles;
        g.queue = map;
        return queues_of(v, g);
    };
    CHECK(on(8, {0, 1, 1}).covers({0, 3, true}));
    CHECK(on(8, {6, 0, 1}).single());
    CHECK(on(2, {1, 1, 1}).covers({1, 2, false}));
    CHECK_FALSE(on(2, {1, 1, 1}).covers({0, 0, true}));
    CHECK_FALSE(on(2, {1, 2, 1}).covers({2, 2, true}));  // queues 1 and 3
    CHECK_FALSE(on(2, {3, 1, 1}).covers({0, 0, true}));  // wraps around: nothing is claimed
    CHECK(on(2, {1, 2, 1}).covers({3, 3, true}));
    CHECK(on(3, {3, 2, 1}).covers({1, 1, true}));  // wraps around, through all odd queues
    CHECK(on(5, {2, 2, 1}).covers(on(2, {0, 2, 1})));
    CHECK_FALSE(on(5, {2, 2, 1}).covers(on(2, {0, 1, 1})));
    CHECK_FALSE(on(2, {0, 1, 1}).covers({1, 3, true, 2}));
}

TEST_CASE("what is claimed of queues holds for each of them") {
    for (u32_t queues = 1; queues <= 9; ++queues)
        for (u32_t first = 0; first < 10; ++first)
            for (u32_t num = 0; num <= 4; ++num)
                for (u32_t den = 1; den <= 2; ++den)
                    for (u32_t tiles = 1; tiles <= 10; ++tiles) {
                        loose_schedule s;
                        s.queues = queues;
                        group g;
                        g.tiles = tiles;
                        g.queue = {first, num, den};
                        const queue_range r = queues_of(view(s), g);
                        std::vector<bool> used(queues);
                        for (u32_t t = 0; t < tiles; ++t) used[view(s).queue_of(g, t)] = true;
                        for (u32_t q = 0; q < queues; ++q) {
                            if (used[q]) REQUIRE((r.first <= q && q <= r.last && (q - r.first) % r.step == 0));
                            if (r.covers({q, q, true})) REQUIRE(used[q]);
                        }
                    }
}
