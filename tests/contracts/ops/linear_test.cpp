// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

#include "support/catch.hpp"

#include <random>
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
