// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/relative_l2.hpp>

#include "support/catch.hpp"

#include <limits>
#include <vector>

TEST_CASE("a distance is relative to the second vector, and never passes for small where it is not a number") {
    const std::vector<float> b{3.0F, 4.0F};
    const std::vector<float> a{3.0F, 4.5F};
    CHECK(netra::relative_l2(b, b) == 0.0);
    CHECK(netra::relative_l2(a, std::vector<double>{3.0, 4.0}) == 0.1);
    CHECK(netra::relative_l2(a, b) == 0.1);
    CHECK(netra::relative_l2(b, a) != 0.1);
    CHECK(netra::relative_l2(std::vector<float>{3.0F}, b) == 1e30);
    CHECK(netra::relative_l2(std::vector<float>{3.0F, std::numeric_limits<float>::quiet_NaN()}, b) == 1e30);
    CHECK(netra::relative_l2(b, std::vector<float>{0.0F, 0.0F}) == 1e30);
}
