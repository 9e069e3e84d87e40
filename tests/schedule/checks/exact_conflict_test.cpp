// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact_conflict.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace netra;
using namespace netra::test;
using detail::touched_bytes;

namespace {

bool conflicts(const touched_bytes& a, const touched_bytes& b) {
    return a.side != b.side && (a.write || b.write) && a.begin < b.end && b.begin < a.end;
}
constexpr bool finds_constants() {
    touched_bytes pieces[] = {{8, 12, 1, 0, false}, {0, 9, 2, 1, true}};
    const detail::conflict c = detail::find_conflict(pieces, 2);
    return c.found() && c.begin == 8 && c.end == 9;
}
static_assert(finds_constants());

}  // namespace

TEST_CASE("a conflict is found iff there is one") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    usz found = 0;
    for (usz n = 0; n < 20000; ++n) {
        std::vector<touched_bytes> pieces;
        for (u32_t i = d.below(6); i > 0; --i) {
            const u64_t begin = d.below(20);
            pieces.push_back({begin, begin + d.between(1, 6), d.below(3), i, d.percent(30)});
        }
        bool expected = false;
        for (const auto& a : pieces)
            for (const auto& b : pieces) expected = expected || conflicts(a, b);
        const detail::conflict c = detail::find_conflict(pieces.data(), pieces.size());
        REQUIRE(c.found() == expected);
        if (!c.found()) continue;
        ++found;
        REQUIRE(conflicts(c.first, c.second));
        REQUIRE(c.begin == std::max(c.first.begin, c.second.begin));
        REQUIRE(c.end == std::min(c.first.end, c.second.end));
    }
    CHECK(found > 1000);
}
