// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/embedding.hpp>

#include "support/catch.hpp"

#include <vector>

using namespace netra;

constexpr embedding table{.rows = 2, .vocab = 100, .width = 64, .weight = q8_0};
static_assert(check(table).ok() && bytes(table) == 2 * (4 + 68 + 256) && flops(table) == 0);
static_assert(check(embedding{.vocab = 100, .width = 65, .weight = q8_0}).why == reason::not_a_multiple);
static_assert(check(embedding{.vocab = 0, .width = 64}).why == reason::zero_size);

TEST_CASE("every row is its token's") {
    const embedding c{.rows = 3, .vocab = 4, .width = 2, .weight = f32};
    const std::vector<float> rows{0, 1, 10, 11, 20, 21, 30, 31};
    const std::vector<i32_t> tokens{3, 0, 3};
    std::vector<float> y(6);
    reference(c, tokens.data(), reinterpret_cast<const u8_t*>(rows.data()), y.data());
    CHECK(y == std::vector<float>{30, 31, 0, 1, 30, 31});
}
