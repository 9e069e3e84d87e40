// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Functions that PTX has no exactly rounded instruction for.
#pragma once

#include <netra/codegen/ptx/assembler.hpp>

namespace netra::inline v0::ptx {

/// e^x to about 2 units in the last place; x is clamped to [-87, 87], where the result is a normal number.
template <class Sink>
constexpr reg exp_of(assembler<Sink>& as, reg x) {
    const reg v = as.f32();
    const reg power = as.f32();
    const reg rest = as.f32();
    as(op::min_f32, v, x, 87.0F);
    as(op::max_f32, v, v, -87.0F);
    as(op::mul_f32, power, v, 1.44269504F);
    as(op::neg_f32, rest, power);
    as(op::fma_f32, rest, v, 1.44269504F, rest);  // what the rounding of the product lost
    as(op::fma_f32, rest, v, 1.92596299e-8F, rest);
    as(op::mul_f32, rest, rest, 0.693147182F);
    as(op::ex2_f32, power, power);
    as(op::fma_f32, power, power, rest, power);
    return power;
}

/// x / (1 + e^-y).
template <class Sink>
constexpr reg over_one_plus_exp(assembler<Sink>& as, reg x, reg y) {
    const reg negative = as.f32();
    as(op::neg_f32, negative, y);
    const reg result = exp_of(as, negative);
    as(op::add_f32, result, result, 1.0F);
    as(op::div_f32, result, x, result);
    return result;
}

/// erf(x) to 2e-7 absolute. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.
template <class Sink>
constexpr reg erf_of(assembler<Sink>& as, reg x) {
    const float factors[] = {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F};
    const reg size = as.f32();
    const reg t = as.f32();
    const reg sum = as.f32();
    as(op::abs_f32, size, x);
    as(op::fma_f32, t, size, 0.3275911F, 1.0F);
    as(op::rcp_f32, t, t);
    as(op::mov_f32, sum, 1.061405429F);
    for (const float f : factors) as(op::fma_f32, sum, sum, t, f);
    as(op::mul_f32, sum, sum, t);
    const reg square = as.f32();
    as(op::mul_f32, square, size, size);
    as(op::neg_f32, square, square);
    as(op::mul_f32, sum, sum, exp_of(as, square));
    as(op::sub_f32, sum, 1.0F, sum);
    as(op::copysign_f32, sum, x, sum);
    return sum;
}

}  // namespace netra::inline v0::ptx
