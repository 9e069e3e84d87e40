// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The activations of gated MLPs.
#pragma once

#include <netra/codegen/ptx/math.hpp>
#include <netra/contracts/ops/gated_mul.hpp>

namespace netra::inline v0::ptx {

/// activate(act, x), within 1e-6.
template <class Sink>
constexpr reg activated(assembler<Sink>& as, activation act, reg x) {
    if (act == activation::silu) return over_one_plus_exp(as, x, x);
    const reg inner = as.f32();
    if (act == activation::gelu_tanh) {  // (1 + tanh(t)) / 2 = 1 / (1 + e^-2t) loses nothing to cancellation
        const reg square = as.f32();
        as(op::mul_f32, square, x, x);
        as(op::mul_f32, square, square, 0.044715F);
        as(op::fma_f32, inner, square, x, x);
        as(op::mul_f32, inner, inner, 2 * 0.79788456F);
        return over_one_plus_exp(as, x, inner);
    }
    as(op::mul_f32, inner, x, 0.70710678F);
    const reg half = erf_of(as, inner);
    as(op::add_f32, half, half, 1.0F);
    as(op::mul_f32, half, half, x);
    as(op::mul_f32, half, half, 0.5F);
    return half;
}

}  // namespace netra::inline v0::ptx
