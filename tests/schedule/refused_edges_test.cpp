// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact.hpp>
#include <netra/schedule/refused_edges.hpp>

#include <vector>

#include "rejects/tiny_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

/// Of the schedule as it stands, with a verdict of the same kind as the checker's.
template <class Schedule>
std::vector<refused_edge> edges_of(const Schedule& s, const verdict& v) {
    const expanded_schedule written_out(view(s));
    std::vector<refused_edge> all;
    for_each_refused_edge(written_out.view(), v, [&](const refused_edge& e) { all.push_back(e); });
    return all;
}
template <class Schedule>
std::vector<refused_edge> edges_of(const Schedule& s) {
    return edges_of(s, check_schedule(view(s)));
}
using edges = std::vector<refused_edge>;

// tasks of tiny(): 0..3 load, 4..7 gate, 8..11 store

}  // namespace

TEST_CASE("an accepted schedule has no refused edges") { CHECK(edges_of(tiny()).empty()); }

TEST_CASE("a race is between the two tiles that it names") {
    auto s = tiny();
    s.groups[group_store].waits = {};
    CHECK(edges_of(s, refuse(reason::data_race, "store", "gate").with(label::tile, 0).with(label::other_tile, 1)) == edges{{5, 8, false}});
    CHECK(edges_of(s, refuse(reason::data_race, "gate", "store").with(label::tile, 1).with(label::other_tile, 0)) == edges{{5, 8, false}});
    CHECK(edges_of(s).size() == 1);
}

TEST_CASE("a wait for a task behind the waiting one is refused") {
    auto s = tiny();
    const group first = s.groups[group_gate];
    s.groups[1] = s.groups[group_store];
    s.groups[2] = first;
    const verdict v = refuse(reason::queue_deadlock, "store", "gate").with(label::queue, 1).with(label::tile, 0).with(label::other_tile, 1);
    CHECK(edges_of(s, v) == edges{{9, 4, true}});
}

TEST_CASE("an unsatisfiable wait shows the signals that do not suffice") {
    auto s = tiny();
    s.groups[group_gate].waits[0].threshold = 5;
    const verdict v = refuse(reason::unsatisfiable_wait, "gate", "load").with(label::tile, 2).with(label::counter, 0);
    CHECK(edges_of(s, v) == edges{{0, 6, true}, {1, 6, true}, {2, 6, true}, {3, 6, true}});
    CHECK(edges_of(s, refuse(reason::unsatisfiable_wait, "gate").with(label::tile, 2).with(label::counter, 99)) == edges{{6, 6, true}});
}

TEST_CASE("a cycle shows the waits in both directions") {
    auto s = tiny();
    join(s.groups[group_load], {{1, 0, 1}, 1});  // every tile of load waits for tile 0 of gate
    const edges found = edges_of(s, refuse(reason::cyclic_wait, "load", "gate").with(label::counter, 1));
    REQUIRE(found.size() == 4 + 16);
    for (u32_t t = 0; t < 4; ++t) CHECK(found[t] == refused_edge{4, t, true});
    for (u32_t t = 0; t < 16; ++t) CHECK(found[4 + t] == refused_edge{t % 4, 4 + t / 4, true});
}

TEST_CASE("a witness goes before names") {
    const auto s = tiny();
    const expanded_schedule written_out(view(s));
    const u32_t witness[] = {4, 2, 9};
    const auto with = [&](reason why, usz count) {
        edges all;
        for_each_refused_edge(written_out.view(), refuse(why, "store", "gate"), witness, count, [&](const refused_edge& e) { all.push_back(e); });
        return all;
    };
    CHECK(with(reason::accepted, 3).empty());
    CHECK(with(reason::data_race, 2) == edges{{4, 2, false}});
    CHECK(with(reason::uncovered_read, 1) == edges{{4, 4, false}});
    CHECK(with(reason::cyclic_wait, 3) == edges{{2, 4, true}, {9, 2, true}, {4, 9, true}});
}

TEST_CASE("overlapping tiles are found by their bytes") {
    auto s = tiny();
    s.groups[group_load].accesses[1].range = cut(0, 64, 16, 2);  // tiles 2 and 3 write the bytes from 16 on
    CHECK(edges_of(s, refuse(reason::tiles_overlap, "load", "h").with(label::tile, 3)) == edges{{2, 3, false}});
}

TEST_CASE("where only one task or a buffer is named, tasks are marked alone") {
    CHECK(edges_of(tiny(), refuse(reason::uncovered_read, "gate", "h").with(label::tile, 3)) == edges{{7, 7, false}});
    CHECK(edges_of(tiny(), refuse(reason::incomplete_output, "y")) == edges{{8, 8, false}, {9, 9, false}, {10, 10, false}, {11, 11, false}});
    CHECK(edges_of(tiny(), refuse(reason::memory_reused_too_early, "x", "y")).size() == 8);
    CHECK(edges_of(tiny(), refuse(reason::data_race, "nobody", "gate")).empty());
}

TEST_CASE("the exact checker's witness is what is shown") {
    const auto shown = [](const auto& s) {
        const expanded_schedule written_out(view(s));
        const exact_result r = check_exact(written_out.view());
        edges all;
        for_each_refused_edge(written_out.view(), r.found, r.tasks.begin(), r.tasks.size(), [&](const refused_edge& e) { all.push_back(e); });
        INFO(sentence(r.found).d);
        CHECK(r.ok() == all.empty());
        return all;
    };
    CHECK(shown(tiny()).empty());

    auto race = tiny();
    race.groups[group_store].waits = {};
    const edges unordered = shown(race);
    REQUIRE(unordered.size() == 1);
    CHECK_FALSE(unordered[0].wait);
    CHECK(unordered[0].before / 4 == 1);  // a tile of gate
    CHECK(unordered[0].after / 4 == 2);   // one of store

    auto circle = tiny();
    join_tiles(circle.groups[group_load], {{1, 1, 1}, 4}, 0, 1, 1);  // tile i of load waits for tile i of gate
    const edges waits = shown(circle);
    REQUIRE(waits.size() >= 2);
    for (usz i = 0; i < waits.size(); ++i) {
        CHECK(waits[i].wait);
        CHECK(waits[i].before == waits[(i + 1) % waits.size()].after);
    }

    auto gap = tiny();
    gap.groups[group_load].accesses[1].range.high = 48;
    CHECK(shown(gap) == edges{{7, 7, false}});
}
