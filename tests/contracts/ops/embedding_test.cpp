// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/embedding.hpp>

#include "support/catch.hpp"

#include <string_view>
#include <vector>

using namespace netra;

constexpr embedding table{.rows = 2, .vocab = 100, .width = 64, .weight = q8_0};
static_assert(check(table).ok() && bytes(table) == 2 * (4 + 68 + 256) && flops(table) == 0);
static_assert(check(embedding{.vocab = 100, .width = 65, .weight = q8_0}).why == reason::not_a_multiple);
static_assert(check(embedding{.vocab = 0, .width = 64}).why == reason::zero_size);
static_assert(check(embedding{.rows = 17, .vocab = 4, .width = 4}).why == reason::too_many_rows);
static_assert(check(embedding{.vocab = 4, .width = 0}).object == name{"width"});
static_assert(check(embedding{.vocab = 4, .width = 4, .weight = f8e4m3})[label::bits] == 8);
static_assert(check(embedding{.vocab = 4, .width = 64, .weight = {i8, {quantization_scheme::grouped_scale, 64, f32, 0}}})[label::value] == 64);
static_assert(bytes(embedding{.rows = 3, .vocab = 100, .width = 64, .weight = bf16}) == 3 * (4 + 128 + 256));
static_assert(bytes(embedding{.vocab = 1000000, .width = 64, .weight = q4_1}) == 4 + 40 + 256);  // the table's size does not matter
static_assert(std::string_view(sentence(check(embedding{.vocab = 100, .width = 65, .weight = q8_0})).d) ==
              "embedding: in (elements of a weight row) is 65, which is not a multiple of 32");

TEST_CASE("rows of blocks: each starts after the whole blocks of those before") {
    const embedding c{.rows = 2, .vocab = 3, .width = 64, .weight = q8_0};
    std::vector<u8_t> rows;
    for (int block = 0; block < 6; ++block) {  // scale 1, all elements the number of the block
        rows.push_back(0x00);
        rows.push_back(0x3c);
        rows.insert(rows.end(), 32, static_cast<u8_t>(block));
    }
    const std::vector<i32_t> tokens{2, 1};
    std::vector<float> y(128);
    reference(c, tokens.data(), rows.data(), y.data());
    for (usz i = 0; i < 128; ++i) CHECK(y[i] == static_cast<float>(i < 64 ? 4 + i / 32 : 2 + (i - 64) / 32));
}

TEST_CASE("every row is its token's") {
    const embedding c{.rows = 3, .vocab = 4, .width = 2, .weight = f32};
    const std::vector<float> rows{0, 1, 10, 11, 20, 21, 30, 31};
    const std::vector<i32_t> tokens{3, 0, 3};
    std::vector<float> y(6);
    reference(c, tokens.data(), reinterpret_cast<const u8_t*>(rows.data()), y.data());
    CHECK(y == std::vector<float>{30, 31, 0, 1, 30, 31});
}
