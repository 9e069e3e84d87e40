// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y = activation(gate) * up, the middle of a gated MLP: silu_mul or gelu_mul.
#pragma once

#include <netra/contracts/checks.hpp>

namespace netra::inline v0 {

/// silu: x / (1 + e^-x).  gelu: x (1 + erf(x / sqrt 2)) / 2.  gelu_tanh: its tanh approximation.
enum class activation : u8_t { silu, gelu, gelu_tanh };

/// gate_up: [rows][2][width] fp32, gates first; y: [rows][width] fp32.
struct gated_mul {
    u32_t rows = 1;
    u32_t width = 0;
    activation act = activation::silu;
    friend constexpr bool operator==(const gated_mul&, const gated_mul&) = default;
};

constexpr verdict check(const gated_mul& c) { return detail::checking{"gated_mul"}.rows(c.rows).size("width", c.width).result; }
constexpr u64_t bytes(const gated_mul& c) { return 12ULL * c.rows * c.width; }
constexpr u64_t flops(const gated_mul& c) { return 8ULL * c.rows * c.width; }

inline float activate(activation a, float x) {
    switch (a) {
        case activation::silu: return x / (1.0F + __builtin_expf(-x));
        case activation::gelu: return 0.5F * x * (1.0F + __builtin_erff(x * 0.70710678F));
        case activation::gelu_tanh: return 0.5F * x * (1.0F + __builtin_tanhf(0.79788456F * (x + 0.044715F * x * x * x)));
    }
    return x;
}

inline void reference(const gated_mul& c, const float* gate_up, float* y) {
    for (u64_t r = 0; r < c.rows; ++r)
        for (u64_t k = 0; k < c.width; ++k)
            y[r * c.width + k] = activate(c.act, gate_up[2 * r * c.width + k]) * gate_up[(2 * r + 1) * c.width + k];
}

}  // namespace netra::inline v0
