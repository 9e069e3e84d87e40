// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

using namespace netra;

constexpr linear q_proj{.rows = 2, .out = 576, .in = 576, .weight = q4_1, .bias = true};
static_assert(accepted_contract<q_proj>);
static_assert(weight_row_bytes(q_proj) == 360 && bytes(q_proj) == 576 * 360 + 4 * 576 + 4 * 2 * (576 + 576));
static_assert(flops(q_proj) == 2ULL * 2 * 576 * 576);
static_assert(check(linear{.out = 0, .in = 4}).why == reason::zero_size);
static_assert(check(linear{.rows = 17, .out = 4, .in = 4}).why == reason::too_many_rows);
static_assert(check(linear{.rows = 17, .out = 4, .in = 4})[label::limit] == 16);
static_assert(check(linear{.out = 4, .in = 40, .weight = q8_0}).why == reason::not_a_multiple);
static_assert(check(linear{.out = 4, .in = 40, .weight = i8}).why == reason::unsupported_dtype);
static_assert(check(linear{.out = 4, .in = 64, .weight = {i8, {quantization_scheme::grouped_scale, 64, f32, 0}}}).why == reason::unsupported_quantization);
static_assert(check(linear{.out = 1U << 29, .in = 4}).why == reason::too_large);
static_assert(weight_row_bytes({.out = 4, .in = 64, .weight = bf16}) == 128 && weight_row_bytes({.out = 4, .in = 64, .weight = q8_0}) == 68);
static_assert(bytes(linear{.out = 1U << 28, .in = 1U << 10, .weight = f16}) == (1ULL << 39) + 4 * ((1ULL << 28) + 1024));  // beyond 32 bits
static_assert(check(linear{.out = 4, .in = 64, .weight = {i8, {quantization_scheme::grouped_scale, 64, f32, 0}}})[label::value] == 64);
static_assert(check(linear{.out = 4, .in = 40, .weight = i8})[label::bits] == 8);
static_assert(check(linear{.out = 4, .in = 0}).object == name{"in"});
static_assert(std::string_view(sentence(check(linear{.rows = 17, .out = 4, .in = 4})).d) == "linear: 17 rows a step, the most that is supported is 16");
static_assert(std::string_view(sentence(check(linear{.out = 4, .in = 40, .weight = q4_0})).d) ==
              "linear: in (elements of a weight row) is 40, which is not a multiple of 32");

TEST_CASE("stored weights give the bits of their dequantized values, alone or in a step of many rows") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 engine(seed);
    for (const weight_format format : {q8_0, q4_0, q4_1, weight_format{f16}, weight_format{bf16}}) {
        const linear c{.rows = 4, .out = 3, .in = 96, .weight = format};
        std::vector<u8_t> stored(c.out * weight_row_bytes(c));
        for (auto& b : stored) b = static_cast<u8_t>(engine());
        // no infinities: the highest exponent bit of every 16-bit element, scale and minimum is 0
        const u64_t block = block_bytes(format);
        const u64_t halves = format.quant.scheme == quantization_scheme::grouped_scale_min ? 2 : 1;
        for (u64_t at = 0; at < stored.size(); at += block)
            for (u64_t h = 0; h < halves; ++h) stored[at + 2 * h + 1] &= 0xbf;
        std::vector<float> w(c.out * c.in);
        for (u64_t o = 0; o < c.out; ++o)
            for (u64_t k = 0; k < c.in; ++k) w[o * c.in + k] = weight_at(format, stored.data() + o * weight_row_bytes(c), k);
        std::vector<float> x(c.rows * c.in);
        for (auto& e : x) e = static_cast<float>(static_cast<i32_t>(engine() % 2001) - 1000) / 500.0F;
        std::vector<float> y(c.rows * c.out), expected(c.rows * c.out), alone(c.out);
        reference(c, x.data(), stored.data(), nullptr, y.data());
        linear plain = c;
        plain.weight = f32;
        reference(plain, x.data(), reinterpret_cast<const u8_t*>(w.data()), nullptr, expected.data());
        INFO(name_of(format));
        CHECK(y == expected);
        linear one = c;
        one.rows = 1;
        for (u64_t r = 0; r < c.rows; ++r) {
            reference(one, x.data() + r * c.in, stored.data(), nullptr, alone.data());
            CHECK(std::equal(alone.begin(), alone.end(), y.begin() + static_cast<std::ptrdiff_t>(r * c.out)));
        }
    }
}

TEST_CASE("the reference is close to fp64 and adds the bias") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    const linear c{.rows = 3, .out = 5, .in = 77, .weight = f32, .bias = true};
    std::vector<float> x(3 * 77), w(5 * 77), bias(5), y(15);
    for (auto* v : {&x, &w, &bias})
        for (auto& e : *v) e = normal(engine);
    reference(c, x.data(), reinterpret_cast<const u8_t*>(w.data()), bias.data(), y.data());
    for (usz r = 0; r < 3; ++r)
        for (usz o = 0; o < 5; ++o) {
            double sum = static_cast<double>(bias[o]);
            for (usz k = 0; k < 77; ++k) sum += static_cast<double>(x[r * 77 + k]) * static_cast<double>(w[o * 77 + k]);
            CHECK(std::abs(static_cast<double>(y[r * 5 + o]) - sum) <= 1e-5 * (1 + std::abs(sum)));
        }
}
