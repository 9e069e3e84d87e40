// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_history.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/flat_schedule.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace netra;
using namespace netra::test;

namespace {

struct past_access {
    u32_t task = 0;
    u32_t buffer = 0;
    bool write = false;
};

/// Whether `a` comes before `b` as far as the pairs so far say.
using order_so_far = std::vector<std::vector<char>>;
void note(order_so_far& known, u32_t earlier, u32_t later) {
    for (u32_t t = 0; t < known.size(); ++t)
        if (t == earlier || known[t][earlier] != 0) known[t][later] = 1;
}

}  // namespace

TEST_CASE("the tasks that are named order all conflicting accesses, and each of them conflicts") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    usz gaps = 0;
    for (usz n = 0; n < 2000; ++n) {
        const u32_t count = d.between(2, 25);
        const u32_t queues = d.between(1, 8);
        const usz places = d.between(1, 12);
        std::vector<flat_task> tasks(count);
        for (auto& t : tasks) t.queue = d.below(queues);
        const flat_schedule made({}, {}, queues, tasks);
        detail::exact_run run(made.view());
        detail::scratch<u32_t> order(count);
        REQUIRE(detail::run_all(run, order) == count);
        detail::order_questions questions(run, order);
        detail::latest_tasks found(run, questions);
        detail::access_history history(run, questions, found, places);

        std::vector<std::vector<past_access>> past(places);
        order_so_far known(count, std::vector<char>(count, 0));
        for (u32_t t = 0; t < count; ++t) {
            REQUIRE(order[t] == t);
            for (u32_t u = 0; u < t; ++u)
                if (tasks[u].queue == tasks[t].queue) note(known, u, t);
            const auto touches = [&](usz place, bool write) {
                std::vector<u32_t> conflicts;
                for (const past_access& a : past[place])
                    if (a.task != t && (a.write || write)) conflicts.push_back(a.task);
                return conflicts;
            };
            std::set<u32_t> must;
            std::vector<std::pair<usz, past_access>> added;
            found.start(t);
            for (u32_t pass = 0; pass < 2; ++pass)
                for (u32_t i = d.below(3); i > 0; --i) {
                    const usz begin = d.below(places);
                    const usz end = begin + 1 + d.below(places - begin);
                    const past_access a{t, d.below(2), pass == 1};
                    const bool held = d.percent(50);
                    for (usz p = begin; p < end; ++p) {
                        for (const u32_t u : touches(p, a.write)) must.insert(u);
                        added.push_back({p, a});
                    }
                    if (a.write) {
                        history.write(t, begin, end, a.buffer);
                        continue;
                    }
                    const auto owner = [&](usz p) -> u32_t {
                        for (usz k = past[p].size(); k-- > 0;)
                            if (past[p][k].write) return past[p][k].buffer + 1;
                        return detail::access_history::nobody;
                    };
                    const auto bad = [&](usz p) { return owner(p) != a.buffer + 1 && !(owner(p) == detail::access_history::nobody && held); };
                    usz first = begin;
                    while (first < end && !bad(first)) ++first;
                    detail::access_history::gap gap;
                    REQUIRE(history.read(t, begin, end, a.buffer, held, gap) == (first == end));
                    if (first == end) continue;
                    ++gaps;
                    REQUIRE(gap.begin == first);
                    REQUIRE(gap.owner == owner(first));
                    usz last = first;
                    while (last < end && bad(last) && owner(last) == owner(first)) ++last;
                    REQUIRE(gap.end == last);
                }
            for (const auto& [p, a] : added) past[p].push_back(a);
            std::vector<u32_t> named;
            found.for_each([&](u32_t u) { named.push_back(u); });
            for (const u32_t u : named) {
                if (u == t) continue;
                REQUIRE(must.count(u) == 1);
                note(known, u, t);
            }
            for (const u32_t u : must) REQUIRE(known[u][t] != 0);
        }
    }
    CHECK(gaps > 1000);
}

TEST_CASE("bytes hold the data of who wrote them last") {
    const flat_schedule made({}, {}, 3, {{.queue = 0}, {.queue = 1}, {.queue = 2}});
    detail::exact_run run(made.view());
    detail::scratch<u32_t> order(3);
    REQUIRE(detail::run_all(run, order) == 3);
    detail::order_questions questions(run, order);
    detail::latest_tasks found(run, questions);
    detail::access_history history(run, questions, found, 9);
    detail::access_history::gap gap;
    found.start(0);
    history.write(0, 0, 6, 0);
    CHECK(history.holds(0, 6, 0, false, gap));
    CHECK_FALSE(history.holds(0, 9, 0, false, gap));
    CHECK(gap.begin == 6);
    CHECK(gap.end == 9);
    CHECK(gap.owner == detail::access_history::nobody);
    CHECK(history.holds(0, 9, 0, true, gap));
    found.start(1);
    history.write(1, 2, 4, 1);
    CHECK_FALSE(history.holds(0, 6, 0, true, gap));
    CHECK(gap.begin == 2);
    CHECK(gap.end == 4);
    CHECK(gap.owner == 2);
    CHECK(history.holds(4, 9, 0, true, gap));
}
