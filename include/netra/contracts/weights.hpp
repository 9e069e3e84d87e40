// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Single elements of stored weights, exactly as every kernel must see them: the scalar reference.
#pragma once

#include <netra/contracts/quantization.hpp>
#include <netra/detail/bits.hpp>

namespace netra::inline v0 {

namespace detail {
constexpr u16_t load_u16(const u8_t* p) { return static_cast<u16_t>(p[0] | p[1] << 8); }
constexpr u32_t load_u32(const u8_t* p) { return static_cast<u32_t>(load_u16(p)) | static_cast<u32_t>(load_u16(p + 2)) << 16; }
}  // namespace detail

/// Element `k` of a row that starts at `row`; at most one rounding, to fp32. @pre the format passed its contract's check
inline float weight_at(const weight_format& f, const u8_t* row, u64_t k) {
    if (f.quant.scheme == quantization_scheme::none) {
        switch (f.element) {
            case dtype::f16: return f16_to_f32(detail::load_u16(row + 2 * k));
            case dtype::bf16: return bf16_to_f32(detail::load_u16(row + 2 * k));
            default: return f32_from_bits(detail::load_u32(row + 4 * k));
        }
    }
    const u64_t group = f.quant.group;
    const u8_t* block = row + k / group * block_bytes(f);
    const u64_t i = k % group;
    const float scale = f16_to_f32(detail::load_u16(block));
    const bool has_min = f.quant.scheme == quantization_scheme::grouped_scale_min;
    const u8_t* q = block + (has_min ? 4 : 2);
    i32_t value = 0;
    if (f.element == dtype::i8) value = static_cast<i8_t>(q[i]);
    else value = i < group / 2 ? q[i] & 15 : q[i - group / 2] >> 4;
    const float minimum = has_min ? f16_to_f32(detail::load_u16(block + 2)) : 0.0F;
    return has_min ? __builtin_fmaf(scale, static_cast<float>(value), minimum) : scale * static_cast<float>(value - f.quant.zero);
}

}  // namespace netra::inline v0
