// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/sort.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <random>
#include <vector>

using namespace netra;

namespace {

constexpr bool sorts_constants() {
    int data[] = {5, 3, 9, 3, -1, 7, 7, 0, 2, 8, 4, 6, 1, 3, 20, -4};
    int spare[16]{};
    detail::sort(data, spare, 16, [](int a, int b) { return a < b; });
    for (int i = 1; i < 16; ++i)
        if (data[i] < data[i - 1]) return false;
    return data[0] == -4 && data[15] == 20;
}
static_assert(sorts_constants());

}  // namespace

TEST_CASE("arrays of any length are sorted, and equal elements keep their order") {
    const u32_t seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (usz n = 0; n < 300; ++n) {
        std::vector<std::pair<u32_t, usz>> data;
        for (usz i = 0; i < n; ++i) data.emplace_back(random() % (n / 3 + 1), i);
        std::vector<std::pair<u32_t, usz>> expected = data;
        std::sort(expected.begin(), expected.end());
        std::vector<std::pair<u32_t, usz>> spare(n);
        detail::sort(data.data(), spare.data(), n, [](const auto& a, const auto& b) { return a.first < b.first; });
        REQUIRE(data == expected);
    }
}

TEST_CASE("what occurs twice is dropped, and what is left can be searched") {
    u64_t data[] = {7, 2, 7, 7, 9, 2, 0};
    REQUIRE(detail::sort_unique(data, 7) == 4);
    CHECK(data[0] == 0);
    CHECK(data[1] == 2);
    CHECK(data[2] == 7);
    CHECK(data[3] == 9);
    CHECK(detail::first_not_less(data, 4, u64_t{0}) == 0);
    CHECK(detail::first_not_less(data, 4, u64_t{3}) == 2);
    CHECK(detail::first_not_less(data, 4, u64_t{9}) == 3);
    CHECK(detail::first_not_less(data, 4, u64_t{10}) == 4);
    CHECK(detail::first_not_less(data, 0, u64_t{1}) == 0);
}
