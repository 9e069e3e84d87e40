// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// fp32 values as the bytes of any weight format.
#pragma once

#include <netra/contracts/quantization.hpp>
#include <netra/detail/bits.hpp>

#include "support/files.hpp"

#include <algorithm>
#include <cmath>

namespace netra::test {

inline int nearest(float x, int low, int high) { return std::clamp(static_cast<int>(std::lround(x)), low, high); }

inline void encode_block(const weight_format& format, std::span<const float> x, blob& out) {
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const float largest = std::max(std::abs(*low), std::abs(*high));
    const bool with_min = format == q4_1;
    const float step = with_min ? (*high - *low) / 15.0F : largest / (format == q8_0 ? 127.0F : 7.0F);
    const u16_t scale = f32_to_f16(step);
    const float d = f16_to_f32(scale);
    const u16_t min = f32_to_f16(*low);
    put(out, scale);
    if (with_min) put(out, min);
    const auto code = [&](float v) {
        if (d == 0) return format == q4_0 ? 8 : 0;
        if (format == q8_0) return nearest(v / d, -127, 127);
        return with_min ? nearest((v - f16_to_f32(min)) / d, 0, 15) : nearest(v / d, -8, 7) + 8;
    };
    if (format == q8_0) {
        for (const float v : x) put(out, static_cast<i8_t>(code(v)));
    } else {
        for (usz i = 0; i < 16; ++i) put(out, static_cast<u8_t>(code(x[i]) | code(x[i + 16]) << 4));
    }
}

/// `values` in the format f32, f16, bf16, q8_0, q4_0 or q4_1; whole blocks only.
inline blob encode(const weight_format& format, std::span<const float> values) {
    const usz block = block_elements(format);
    if (values.size() % block != 0) throw std::logic_error("encode: not whole blocks");
    blob out;
    if (format == weight_format{f32}) {
        for (const float v : values) put(out, v);
    } else if (format == weight_format{f16}) {
        for (const float v : values) put(out, f32_to_f16(v));
    } else if (format == weight_format{bf16}) {
        for (const float v : values) put(out, f32_to_bf16(v));
    } else if (format == q8_0 || format == q4_0 || format == q4_1) {
        for (usz i = 0; i < values.size(); i += block) encode_block(format, values.subspan(i, block), out);
    } else {
        throw std::logic_error("encode: unknown format");
    }
    return out;
}

}  // namespace netra::test
