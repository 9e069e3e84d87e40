// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/add.hpp>

#include "support/catch.hpp"

#include <string_view>
#include <vector>

using namespace netra;

static_assert(check(add{.rows = 3, .width = 5}).ok() && bytes(add{.rows = 3, .width = 5}) == 180 && flops(add{.rows = 3, .width = 5}) == 15);
static_assert(check(add{.rows = 3}).why == reason::zero_size && check(add{.rows = 99, .width = 5}).why == reason::too_many_rows);

static_assert(check(add{.rows = 16, .width = 1U << 28}).ok() && check(add{.width = (1U << 28) + 1})[label::limit] == 1U << 28);
static_assert(check(add{.rows = 0, .width = 5}).object == name{"rows"} && check(add{.rows = 99, .width = 5})[label::rows] == 99);
static_assert(bytes(add{.rows = 16, .width = 1U << 28}) == 12ULL << 32);  // beyond 32 bits
static_assert(std::string_view(sentence(check(add{.rows = 17, .width = 5})).d) == "add: 17 rows a step, the most that is supported is 16");

TEST_CASE("h becomes h + delta") {
    std::vector<float> h{1, 2, 3, 4};
    const std::vector<float> delta{10, 20, 30, 40};
    reference(add{.rows = 2, .width = 2}, h.data(), delta.data());
    CHECK(h == std::vector<float>{11, 22, 33, 44});
}
