// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/rope.hpp>

#include "support/catch.hpp"

#include <vector>

using namespace netra;

constexpr rope_table whole{.rows = 2, .head_dim = 64};
static_assert(check(whole).ok() && rotary_dims(whole) == 64 && bytes(whole) == 512);
static_assert(rotary_dims(rope_table{.head_dim = 64, .frequencies = {.dims = 16}}) == 16);
static_assert(check(rope_table{.head_dim = 64, .frequencies = {.dims = 66}}).why == reason::too_large);
static_assert(check(rope_table{.head_dim = 63}).why == reason::not_a_multiple);
static_assert(check(rope_table{.head_dim = 64, .frequencies = {.theta = 0.5F}}).why == reason::bad_parameter);
static_assert(check(rope_table{.head_dim = 64, .frequencies = {.scaling = rope_scaling::llama3, .high_frequency_factor = 1.0F}}).why == reason::bad_parameter);

TEST_CASE("adjacent pairs are the halves' pairs in another order") {
    rope_table c{.head_dim = 8};
    std::vector<float> row(8), halves{1, 2, 3, 4, 5, 6, 7, 8}, adjacent{1, 5, 2, 6, 3, 7, 4, 8};
    reference(c, 3, nullptr, row.data());
    rotate(c, row.data(), halves.data());
    c.frequencies.pairing = rope_pairing::adjacent;
    rotate(c, row.data(), adjacent.data());
    for (usz i = 0; i < 4; ++i) CHECK((adjacent[2 * i] == halves[i] && adjacent[2 * i + 1] == halves[i + 4]));
}
