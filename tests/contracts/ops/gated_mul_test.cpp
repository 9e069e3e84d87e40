// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/gated_mul.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <string_view>
#include <vector>

using namespace netra;

static_assert(check(gated_mul{.rows = 2, .width = 6}).ok() && bytes(gated_mul{.rows = 2, .width = 6}) == 144 && flops(gated_mul{.rows = 2, .width = 6}) == 96);
static_assert(check(gated_mul{}).why == reason::zero_size);
static_assert(check(gated_mul{.rows = 20, .width = 6})[label::limit] == 16 && check(gated_mul{.rows = 0, .width = 6}).object == name{"rows"});
static_assert(check(gated_mul{.width = 1U << 29}).why == reason::too_large);
static_assert(std::string_view(sentence(check(gated_mul{})).d) == "gated_mul: width is 0; every size of a contract must be at least 1");

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
    for (const activation act : {activation::silu, activation::gelu, activation::gelu_tanh}) {
        const gated_mul c{.rows = 2, .width = 2, .act = act};
        const std::vector<float> gate_up{1, 2, 10, 100, 3, 4, -1, -2};
        std::vector<float> y(4);
        reference(c, gate_up.data(), y.data());
        for (usz r = 0; r < 2; ++r)
            for (usz k = 0; k < 2; ++k) CHECK(y[2 * r + k] == activate(c.act, gate_up[4 * r + k]) * gate_up[4 * r + 2 + k]);
    }
}

TEST_CASE("activations are zero at zero, the identity far right and nothing far left") {
    for (const activation act : {activation::silu, activation::gelu, activation::gelu_tanh}) {
        CHECK(activate(act, 0.0F) == 0.0F);
        CHECK(activate(act, 1e4F) == 1e4F);
        CHECK(std::abs(activate(act, -1e4F)) == 0.0F);
        CHECK(activate(act, 3e38F) == 3e38F);
    }
    // silu(1) = 1 / (1 + 1 / e), gelu(1) is the normal distribution's share below 1
    CHECK(std::abs(activate(activation::silu, 1.0F) - 0.7310585786F) < 1e-7F);
    CHECK(std::abs(activate(activation::gelu, 1.0F) - 0.8413447461F) < 1e-7F);
    CHECK(std::abs(activate(activation::gelu_tanh, 1.0F) - 0.8411919906F) < 2e-7F);
}
