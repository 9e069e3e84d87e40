// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/gated_mul.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <vector>

using namespace netra;

static_assert(check(gated_mul{.rows = 2, .width = 6}).ok() && bytes(gated_mul{.rows = 2, .width = 6}) == 144 && flops(gated_mul{.rows = 2, .width = 6}) == 96);
static_assert(check(gated_mul{}).why == reason::zero_size);

TEST_CASE("the three activations against fp64") {
    for (double x = -12.0; x <= 12.0; x += 0.03125) {
        const float f = static_cast<float>(x);
        INFO(x);
        CHECK(std::abs(static_cast<double>(activate(activation::silu, f)) - x / (1 + std::exp(-x))) <= 3e-7 * (1 + std::abs(x)));
        CHECK(std::abs(static_cast<double>(activate(activation::gelu, f)) - x * (1 + std::erf(x / std::sqrt(2.0))) / 2) <= 3e-7 * (1 + std::abs(x)));
        const double inner = std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
        CHECK(std::abs(static_cast<double>(activate(activation::gelu_tanh, f)) - x * (1 + std::tanh(inner)) / 2) <= 3e-7 * (1 + std::abs(x)));
    }
}

TEST_CASE("gates come before ups in every row") {
    const gated_mul c{.rows = 2, .width = 2};
    const std::vector<float> gate_up{1, 2, 10, 100, 3, 4, -1, -2};
    std::vector<float> y(4);
    reference(c, gate_up.data(), y.data());
    for (usz r = 0; r < 2; ++r)
        for (usz k = 0; k < 2; ++k) CHECK(y[2 * r + k] == activate(c.act, gate_up[4 * r + k]) * gate_up[4 * r + 2 + k]);
}
