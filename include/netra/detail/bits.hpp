// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Bit casts and the conversions between fp32 and the 16-bit floating-point formats; rounding is to nearest, ties to even.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0 {

constexpr u32_t f32_bits(float v) { return __builtin_bit_cast(u32_t, v); }
constexpr float f32_from_bits(u32_t v) { return __builtin_bit_cast(float, v); }

/// bfloat16: the upper half of an fp32.
constexpr float bf16_to_f32(u16_t v) { return f32_from_bits(static_cast<u32_t>(v) << 16); }
constexpr u16_t f32_to_bf16(float f) {
    const u32_t b = f32_bits(f);
    if ((b & 0x7fffffffU) > 0x7f800000U) return static_cast<u16_t>((b >> 16) | 0x40U);  // a quiet NaN stays one
    return static_cast<u16_t>((b + 0x7fffU + ((b >> 16) & 1U)) >> 16);
}

/// IEEE 754 binary16.
constexpr float f16_to_f32(u16_t v) {
    const u32_t sign = (v & 0x8000U) << 16;
    const u32_t exponent = (v >> 10) & 31U;
    const u32_t mantissa = v & 1023U;
    if (exponent == 31) return f32_from_bits(sign | 0x7f800000U | mantissa << 13);
    if (exponent != 0) return f32_from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return f32_from_bits(sign | f32_bits(magnitude));
}
constexpr u16_t f32_to_f16(float f) {
    const u32_t b = f32_bits(f);
    const u32_t sign = (b >> 16) & 0x8000U;
    const u32_t magnitude = b & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<u16_t>(sign | 0x7e00U);
    if (magnitude >= 0x477ff000U) return static_cast<u16_t>(sign | 0x7c00U);  // rounds to 65536 or more
    if (magnitude < 0x38800000U) {                                           // subnormal: let fp32 addition round
        const float shifted = f32_from_bits(magnitude) + 0.5F;
        return static_cast<u16_t>(sign | (f32_bits(shifted) - 0x3f000000U));
    }
    const u32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
    return static_cast<u16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

}  // namespace netra::inline v0
