// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/numerics.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("lanes16 adds term k to lane k mod 16 and then halves") {
    lane_sums s;
    for (u64_t k = 0; k < 40; ++k) s.add(k, static_cast<float>(k));
    for (u32_t i = 0; i < reduction_lanes; ++i) CHECK(s.lane[i] == static_cast<float>(i + (i + 16) + (i < 8 ? i + 32 : 0)));
    CHECK(s.total() == 780.0F);
}

TEST_CASE("the order is the one that is written down: another one gives other bits") {
    lane_sums s;
    s.add(0, 1e8F);
    s.add(8, -1e8F);  // folded with lane 0 first
    s.add(1, 1.0F);
    CHECK(s.total() == 1.0F);
    lane_sums t;
    t.add(0, 1e8F);
    t.add(1, -1e8F);  // folded last, after 1 was lost in lane 0
    t.add(8, 1.0F);
    CHECK(t.total() == 0.0F);
}

static_assert(numerics{} == numerics{.accumulate = f32, .order = reduction_order::lanes16, .tolerance = 1e-5F});
static_assert(!(numerics{} == numerics{.accumulate = f16}) && !(numerics{} == numerics{.tolerance = 1e-4F}));

TEST_CASE("lanes are summed as a tree of halves") {
    // 1e8 absorbs a 1: which of them survive says who was added to whom
    lane_sums s;
    for (const u64_t k : {0U, 4U, 12U}) s.add(k, k == 0 ? 1e8F : 1.0F);
    s.add(2, -1e8F);
    CHECK(s.total() == 0.0F);  // lanes 4 and 12 make 2, lost in 1e8; then lane 2 takes that away
    lane_sums t;
    t.add(0, 1e8F);
    t.add(2, -1e8F);
    for (const u64_t k : {1U, 9U, 5U, 13U, 3U}) t.add(k, 1.0F);
    CHECK(t.total() == 5.0F);  // odd lanes meet lane 0 last
    CHECK(lane_sums{}.total() == 0.0F);
}

TEST_CASE("products are fused: rounded once") {
    lane_sums s;
    s.add(0, -1.0F);
    s.add_product(16, 1.0F + 0x1p-12F, 1.0F - 0x1p-12F);
    CHECK(s.total() == -0x1p-24F);
}
