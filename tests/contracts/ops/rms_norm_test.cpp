// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/rms_norm.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

using namespace netra;

static_assert(check(rms_norm{.rows = 2, .width = 8}).ok() && bytes(rms_norm{.rows = 2, .width = 8}) == 32 + 128);
static_assert(flops(rms_norm{.rows = 2, .width = 8, .groups = 3}) == 4 * 2 * 3 * 8);
static_assert(check(rms_norm{.width = 0}).why == reason::zero_size);
static_assert(check(rms_norm{.width = 8, .eps = -1.0F}).why == reason::bad_parameter);
static_assert(check(rms_norm{.width = 8, .eps = __builtin_nanf("")}).why == reason::bad_parameter);
static_assert(check(rms_norm{.width = 8, .groups = 0}).why == reason::zero_size);
static_assert(check(rms_norm{.rows = 17, .width = 8})[label::rows] == 17 && check(rms_norm{.width = 8, .eps = 0.0F}).ok());
static_assert(check(rms_norm{.width = 8, .eps = 1.0F}).object == name{"eps"});
static_assert(bytes(rms_norm{.rows = 2, .width = 8, .groups = 3}) == 4 * 8 + 8 * 2 * 3 * 8);
static_assert(std::string_view(sentence(check(rms_norm{.width = 8, .eps = -1.0F})).d) == "rms_norm: eps is outside its range or not a number");

TEST_CASE("random rows against fp64, in place too") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    for (const u32_t width : {1U, 15U, 16U, 17U, 576U}) {
        for (const bool plus_one : {false, true}) {
            const rms_norm c{.rows = 3, .width = width, .eps = 1e-5F, .plus_one = plus_one};
            std::vector<float> x(3 * width), w(width), y(3 * width);
            for (auto* v : {&x, &w})
                for (auto& e : *v) e = normal(engine);
            reference(c, x.data(), w.data(), y.data());
            for (usz r = 0; r < 3; ++r) {
                double squares = 0;
                for (usz k = 0; k < width; ++k) squares += static_cast<double>(x[r * width + k]) * static_cast<double>(x[r * width + k]);
                const double scale = 1 / std::sqrt(squares / width + static_cast<double>(c.eps));
                for (usz k = 0; k < width; ++k) {
                    const double expected = static_cast<double>(x[r * width + k]) * scale * (static_cast<double>(w[k]) + (plus_one ? 1 : 0));
                    CHECK(std::abs(static_cast<double>(y[r * width + k]) - expected) <= 1e-6 * (1 + std::abs(expected)));
                }
            }
            reference(c, x.data(), w.data(), x.data());
            CHECK(x == y);
        }
    }
}

TEST_CASE("mean of squares, eps, weight, one plus weight, groups") {
    const std::vector<float> x{3, 4, 0, 0, 1, 1, 1, 1};
    const std::vector<float> w{1, 2, 3, 4};
    std::vector<float> y(8);
    reference(rms_norm{.rows = 1, .width = 4, .eps = 0.0F, .groups = 2}, x.data(), w.data(), y.data());
    for (usz k = 0; k < 4; ++k) {
        CHECK(std::abs(y[k] - x[k] / 2.5F * w[k]) < 1e-6F);  // the mean of 9, 16, 0, 0 is 6.25
        CHECK(std::abs(y[4 + k] - w[k]) < 1e-6F);
    }
    reference(rms_norm{.rows = 2, .width = 4, .eps = 3.0F, .plus_one = true}, x.data(), w.data(), y.data());
    for (usz k = 0; k < 4; ++k) CHECK(std::abs(y[4 + k] - 0.5F * (1 + w[k])) < 1e-6F);
    std::vector<float> zero(4, 0.0F);
    reference(rms_norm{.width = 4}, zero.data(), w.data(), zero.data());
    CHECK(zero == std::vector<float>(4, 0.0F));
}
