// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/add.hpp>

#include "support/catch.hpp"

#include <vector>

using namespace netra;

static_assert(check(add{.rows = 3, .width = 5}).ok() && bytes(add{.rows = 3, .width = 5}) == 180 && flops(add{.rows = 3, .width = 5}) == 15);
static_assert(check(add{.rows = 3}).why == reason::zero_size && check(add{.rows = 99, .width = 5}).why == reason::too_many_rows);

TEST_CASE("h becomes h + delta") {
    std::vector<float> h{1, 2, 3, 4};
    const std::vector<float> delta{10, 20, 30, 40};
    reference(add{.rows = 2, .width = 2}, h.data(), delta.data());
    CHECK(h == std::vector<float>{11, 22, 33, 44});
}
