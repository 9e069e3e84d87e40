// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/rms_norm.hpp>

#include "support/catch.hpp"

#include <limits>
#include <vector>

using namespace netra;

static_assert(check(rms_norm{.rows = 2, .width = 8}).ok() && bytes(rms_norm{.rows = 2, .width = 8}) == 32 + 128);
static_assert(flops(rms_norm{.rows = 2, .width = 8, .groups = 3}) == 4 * 2 * 3 * 8);
static_assert(check(rms_norm{.width = 0}).why == reason::zero_size);
static_assert(check(rms_norm{.width = 8, .eps = -1.0F}).why == reason::bad_parameter);
static_assert(check(rms_norm{.width = 8, .eps = __builtin_nanf("")}).why == reason::bad_parameter);
static_assert(check(rms_norm{.width = 8, .groups = 0}).why == reason::zero_size);

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
