// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/builder.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

TEST_CASE("every group gets counters of its own") {
    loose_schedule s;
    const lower_config config{.workers = 3};
    schedule_builder<loose_schedule> build(s, config);
    CHECK(s.queues == 3);
    const added_group a = build.finish(build.start("a", 0, 0, 5));
    const added_group b = build.finish(build.start("b", 0, 1, 4, true));
    const added_group c = build.finish(build.start("c", 0, 2, 1));
    CHECK(a.signal == index_map{0, 0, 1});
    CHECK(b.signal == index_map{1, 1, 1});
    CHECK(c.signal == index_map{5, 0, 1});
    CHECK(s.counters == 6);
    CHECK((a.tiles == 5 && b.tiles == 4));
    CHECK((s.groups[1].layer == 1 && s.groups[1].name == name{"b"}));
}

TEST_CASE("blocked tiles stay together, round robin ones take turns") {
    loose_schedule s;
    const lower_config blocked{.workers = 3};
    const group a = schedule_builder<loose_schedule>(s, blocked).start("a", 0, 0, 6);
    const lower_config turns{.workers = 3, .assignment = queue_assignment::round_robin};
    const group b = schedule_builder<loose_schedule>(s, turns).start("b", 0, 0, 6);
    for (u32_t tile = 0; tile < 6; ++tile) {
        CHECK(view(s).queue_of(a, tile) == tile / 2);
        CHECK(view(s).queue_of(b, tile) == tile % 3);
    }
    CHECK(schedule_builder<loose_schedule>(s, blocked).start("one", 0, 0, 1).queue == index_map{});
}

TEST_CASE("added buffers and operations are numbered") {
    loose_schedule s;
    s.operations.clear();
    const lower_config config{};
    schedule_builder<loose_schedule> build(s, config);
    CHECK(build.add(buffer{.name = "a"}) == 0);
    CHECK(build.add(buffer{.name = "b"}) == 1);
    CHECK(build.add(operation{}) == 0);
    CHECK(build.add(operation{add{.rows = 1, .width = 4}}) == 1);
}

TEST_CASE("counting finds the sizes without storing") {
    counting_schedule counts;
    const lower_config config{.workers = 2};
    schedule_builder<counting_schedule> build(counts, config);
    build.add(buffer{});
    build.add(buffer{});
    build.add(operation{});
    build.finish(build.start("a", 0, 0, 7, true));
    CHECK(counts.size() == schedule_size{.groups = 1, .buffers = 2, .operations = 1});
    CHECK((counts.counters == 7 && counts.queues == 2));
}

TEST_CASE("ranges touch what their names say") {
    const byte_range same = same_bytes(8, 4);
    CHECK((same.begin_of(0) == 8 && same.end_of(0) == 12 && same.begin_of(9) == 8 && same.end_of(9) == 12));
    const byte_range pieces = cut(8, 10, 4);
    CHECK((pieces.begin_of(0) == 8 && pieces.end_of(0) == 12 && pieces.begin_of(2) == 16 && pieces.end_of(2) == 18));
    const byte_range shared = cut(0, 8, 4, 3);
    CHECK((shared.begin_of(2) == 0 && shared.begin_of(3) == 4 && shared.end_of(5) == 8));
    const byte_range part = cut_part(6, 5, 4);  // bytes 6 to 11 of a longer row
    CHECK((part.end_of(0) <= part.begin_of(0)));
    CHECK((part.begin_of(1) == 0 && part.end_of(1) == 2 && part.begin_of(2) == 2 && part.end_of(2) == 5));
    CHECK(part.end_of(3) <= part.begin_of(3));
}

TEST_CASE("a join waits for all signals, of one counter or of many") {
    group g;
    join(g, {{4, 0, 1}, 6});
    join(g, {{9, 1, 1}, 6});
    join_tiles(g, {{20, 1, 1}, 8}, 2, 3, 2);
    REQUIRE(g.waits.size() == 3);
    CHECK(g.waits[0] == netra::wait{{4, 0, 1}, 1, 6});
    CHECK(g.waits[1] == netra::wait{{9, 0, 1}, 6, 1});
    CHECK(g.waits[2].first(0) == 22);
    CHECK(g.waits[2].first(2) == 25);
    CHECK((g.waits[2].count == 3 && g.waits[2].threshold == 1));
}

TEST_CASE("accesses keep their direction and part") {
    group g;
    reads(g, 3, same_bytes(0, 4), row_part::past);
    writes(g, 5, same_bytes(4, 4));
    CHECK(g.accesses[0] == netra::access{3, false, row_part::past, same_bytes(0, 4)});
    CHECK(g.accesses[1] == netra::access{5, true, row_part::whole, same_bytes(4, 4)});
}
