// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/schedule.hpp>

#include "rejects/tiny_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

TEST_CASE("an index map rounds down") {
    const index_map halves{7, 1, 2};
    CHECK(halves(0) == 7);
    CHECK(halves(1) == 7);
    CHECK(halves(5) == 9);
    CHECK(index_map{3, 0, 1}(1000) == 3);
    CHECK(index_map{0, 5, 2}(3) == 7);
    CHECK(index_map{0, 268435456, 268435456}(4000000000U) == 4000000000U);  // the product needs 64 bits
}

TEST_CASE("counters and signals of a group, against counting") {
    for (u32_t tiles = 1; tiles <= 9; ++tiles)
        for (u32_t num = 0; num <= 1; ++num)
            for (u32_t den = 1; den <= 4; ++den) {
                group g;
                g.tiles = tiles;
                g.signal = {11, num, den};
                u32_t counted[32]{};
                for (u32_t tile = 0; tile < tiles; ++tile) ++counted[g.signal(tile)];
                u32_t used = 0;
                for (u32_t c = 0; c < 32; ++c) {
                    used += counted[c] != 0 ? 1U : 0U;
                    if (counted[c] != 0) CHECK(signals_of(g, c) == counted[c]);
                }
                CHECK(counters_of(g) == used);
            }
}

TEST_CASE("a range is clipped on both sides") {
    const byte_range r{.first = -6, .stride = 4, .size = 4, .low = 0, .high = 7};
    CHECK(r.end_of(0) <= r.begin_of(0));
    CHECK((r.begin_of(1) == 0 && r.end_of(1) == 2));
    CHECK((r.begin_of(2) == 2 && r.end_of(2) == 6));
    CHECK((r.begin_of(3) == 6 && r.end_of(3) == 7));
    CHECK(r.end_of(4) <= r.begin_of(4));
    const byte_range pairs{.first = 0, .stride = 4, .size = 4, .low = 0, .high = 8, .per = 2};
    CHECK((pairs.begin_of(1) == 0 && pairs.begin_of(2) == 4 && pairs.end_of(3) == 8));
}

TEST_CASE("a view shows what its schedule holds") {
    const auto s = tiny();
    const schedule_view v = view(s);
    CHECK(v.groups == s.groups.begin());
    CHECK((v.group_count == 3 && v.buffer_count == 4 && v.operation_count == 2));
    CHECK((v.counters == 9 && v.queues == 2 && v.arena_bytes == 128));
    CHECK(v.where == s.where);
    CHECK(&v.op_of(v.groups[group_gate]) == &s.operations[1]);
    CHECK(v.queue_of(v.groups[group_store], 0) == 1);
    CHECK(v.queue_of(v.groups[group_store], 1) == 0);
    CHECK(bytes(buffer{.rows = 3, .row_bytes = 20}) == 60);
}
