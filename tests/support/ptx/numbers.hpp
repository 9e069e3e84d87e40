// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Values of registers as numbers: bit casts, narrow floats, exact to the last bit.
#pragma once

#include "support/ptx/program.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace netra::test::simt {

using i16_t = short;

template <class T>
T from_word(word w) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<u32_t>(w));
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(w);
    else
        return static_cast<T>(w);
}
template <class T>
word to_word(T v) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<u32_t>(v);
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<u64_t>(v);
    else if constexpr (std::is_same_v<T, bool>)
        return v ? 1U : 0U;
    else
        return static_cast<word>(static_cast<std::make_unsigned_t<T>>(v));
}

/// A float of one sign bit, `exponent` bits and `mantissa` bits; `finite` ones (e4m3) have no infinity and one NaN pattern.
struct narrow_float {
    int exponent;
    int mantissa;
    bool finite = false;

    constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
    constexpr u32_t magnitude_mask() const { return (1U << (exponent + mantissa)) - 1; }
    constexpr u32_t infinity() const { return ((1U << exponent) - 1) << mantissa; }
    constexpr u32_t largest() const { return finite ? magnitude_mask() - 1 : infinity() - 1; }
    constexpr u32_t nan() const { return magnitude_mask(); }

    double decode(word bits) const {
        const u32_t magnitude = static_cast<u32_t>(bits) & magnitude_mask();
        const bool negative = ((bits >> (exponent + mantissa)) & 1) != 0;
        const int e = static_cast<int>(magnitude >> mantissa);
        const u32_t m = magnitude & ((1U << mantissa) - 1);
        double v = 0.0;
        if (finite ? magnitude == nan() : magnitude > infinity())
            v = std::numeric_limits<double>::quiet_NaN();
        else if (!finite && magnitude == infinity())
            v = std::numeric_limits<double>::infinity();
        else if (e == 0)
            v = std::ldexp(static_cast<double>(m), 1 - bias() - mantissa);
        else
            v = std::ldexp(static_cast<double>(m | (1U << mantissa)), e - bias() - mantissa);
        return negative ? -v : v;
    }

    /// To nearest, ties to even; too large values become infinity, or the largest value with `saturate`.
    word encode(double v, bool saturate = false) const {
        const word sign = std::signbit(v) ? word{1} << (exponent + mantissa) : 0;
        if (std::isnan(v)) return nan();
        const double size = std::fabs(v);
        const word too_large = saturate ? largest() : finite ? nan() : infinity();
        if (std::isinf(v)) return sign | too_large;
        if (size == 0.0) return sign;
        int e = std::ilogb(size);
        if (e < 1 - bias()) e = 1 - bias();
        const double scaled = std::nearbyint(std::ldexp(size, mantissa - e));  // an integer below 2^(mantissa + 1), or equal
        if (e > (1 << exponent)) return sign | too_large;
        const word magnitude = static_cast<word>(static_cast<i64_t>(e + bias() - 1) << mantissa) + static_cast<word>(scaled);
        return sign | (magnitude > largest() ? too_large : magnitude);
    }
};

inline constexpr narrow_float half_format{5, 10}, bfloat_format{8, 7}, e4m3_format{4, 3, true}, e5m2_format{5, 2};

inline float half_to_float(word h) { return static_cast<float>(half_format.decode(h)); }
inline word float_to_half(float v) { return half_format.encode(static_cast<double>(v)); }
inline float bfloat_to_float(word b) { return from_word<float>((b & 0xffff) << 16); }
inline word float_to_bfloat(float v) { return bfloat_format.encode(static_cast<double>(v)); }
inline word packed(word high, word low, int bits = 16) { return (high << bits) | low; }

/// Subnormal numbers as zeros of the same sign.
inline float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v; }

/// A float as an integer T in a rounding direction; out of range values saturate, NaN is 0.
template <class T>
word float_to_integer(double rounded) {
    if (std::isnan(rounded)) return 0;
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return to_word(std::numeric_limits<T>::min());
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return to_word(std::numeric_limits<T>::max());
    return to_word(static_cast<T>(rounded));
}

/// prmt.b32 without a mode.
inline word permute_bytes(word a, word b, word selector) {
    const word both = (a & 0xffffffffU) | (b << 32);
    word made = 0;
    for (int i = 0; i < 4; ++i) {
        const word nibble = (selector >> (4 * i)) & 15;
        word byte = (both >> (8 * (nibble & 7))) & 255;
        if ((nibble & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
        made |= byte << (8 * i);
    }
    return made;
}

}  // namespace netra::test::simt
