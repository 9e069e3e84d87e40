// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// f32x16 as an array, for targets without vectors of a fixed size: compilers vectorise the loops.
#pragma once

#include <netra/backends/cpu/simd_target.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET::portable {

/// Decides register blocking: as narrow as the narrowest vectors.
inline constexpr usz parts = 4;

struct f32x16 {
    float part[16];
};

template <class F>
[[gnu::always_inline]] inline f32x16 each_lane(F f) {
    f32x16 v;
    for (usz i = 0; i < 16; ++i) v.part[i] = f(i);
    return v;
}

/// Of any alignment.
[[gnu::always_inline]] inline f32x16 load(const float* p) {
    f32x16 v;
    __builtin_memcpy(v.part, reinterpret_cast<const u8_t*>(p), sizeof v.part);
    return v;
}
[[gnu::always_inline]] inline void store(float* p, const f32x16& v) { copy_lanes(v.part, 16, p); }
[[gnu::always_inline]] inline f32x16 splat(float v) {
    return each_lane([&](usz) { return v; });
}
[[gnu::always_inline]] inline f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) {
    return each_lane([&](usz i) { return fused ? __builtin_fmaf(a.part[i], b.part[i], c.part[i]) : a.part[i] * b.part[i] + c.part[i]; });
}
[[gnu::always_inline]] inline f32x16 operator+(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return a.part[i] + b.part[i]; });
}
[[gnu::always_inline]] inline f32x16 operator-(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return a.part[i] - b.part[i]; });
}
[[gnu::always_inline]] inline f32x16 operator*(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return a.part[i] * b.part[i]; });
}
[[gnu::always_inline]] inline f32x16 operator/(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return a.part[i] / b.part[i]; });
}
/// The larger; `b` where either is NaN.
[[gnu::always_inline]] inline f32x16 max(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
}
[[gnu::always_inline]] inline f32x16 min(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return a.part[i] < b.part[i] ? a.part[i] : b.part[i]; });
}
/// To the nearest integer, ties to even. @pre magnitudes below 2^22
[[gnu::always_inline]] inline f32x16 round(const f32x16& v) {
    return each_lane([&](usz i) { return __builtin_copysignf((v.part[i] + 0x1.8p23F) - 0x1.8p23F, v.part[i]); });
}
[[gnu::always_inline]] inline f32x16 copy_sign(const f32x16& a, const f32x16& b) {
    return each_lane([&](usz i) { return __builtin_copysignf(a.part[i], b.part[i]); });
}
[[gnu::always_inline]] inline f32x16 where_less(const f32x16& a, const f32x16& b, const f32x16& v, const f32x16& w) {
    return each_lane([&](usz i) { return a.part[i] < b.part[i] ? v.part[i] : w.part[i]; });
}
/// v 2^n for integral n in [-252, 252], in two steps so that subnormal results are rounded once; NaN for NaN.
[[gnu::always_inline]] inline f32x16 scale_by_power(const f32x16& v, const f32x16& n) {
    return each_lane([&](usz i) {
        const i32_t whole = n.part[i] == n.part[i] ? static_cast<i32_t>(n.part[i]) : 0;
        const i32_t half = whole >> 1;
        const auto power = [](i32_t e) { return f32_from_bits(static_cast<u32_t>(e + 127) << 23); };
        return v.part[i] * power(half) * power(whole - half);
    });
}

[[gnu::always_inline]] inline f32x16 load_bf16(const u8_t* p) {
    return each_lane([&](usz i) { return bf16_to_f32(detail::load_u16(p + 2 * i)); });
}
[[gnu::always_inline]] inline f32x16 load_f16(const u8_t* p) {
    return each_lane([&](usz i) { return f16_to_f32(detail::load_u16(p + 2 * i)); });
}
[[gnu::always_inline]] inline f32x16 load_i8(const u8_t* p) {
    return each_lane([&](usz i) { return static_cast<float>(static_cast<i8_t>(p[i])); });
}
[[gnu::always_inline]] inline void store_u16(u8_t* p, u16_t v) {
    p[0] = static_cast<u8_t>(v);
    p[1] = static_cast<u8_t>(v >> 8);
}
[[gnu::always_inline]] inline void store_bf16(u8_t* p, const f32x16& v) {
    for (usz i = 0; i < 16; ++i) store_u16(p + 2 * i, f32_to_bf16(v.part[i]));
}
[[gnu::always_inline]] inline void store_f16(u8_t* p, const f32x16& v) {
    for (usz i = 0; i < 16; ++i) store_u16(p + 2 * i, f32_to_f16(v.part[i]));
}

/// Elements 0..15 and 16..31 of a 4-bit block.
struct nibbles {
    f32x16 low, high;
};
/// scale * (q - 8) or, with a minimum, fma(scale, q, minimum).
template <bool Minimum>
[[gnu::always_inline]] inline nibbles load_u4(const u8_t* p, float scale, float minimum) {
    const auto value = [&](const f32x16& q) {
        if constexpr (Minimum) return fma(splat(scale), q, splat(minimum));
        else return splat(scale) * (q - splat(8.0F));
    };
    return {value(each_lane([&](usz i) { return static_cast<float>(p[i] & 15); })),
            value(each_lane([&](usz i) { return static_cast<float>(p[i] >> 4); }))};
}

/// The fp16 scales (and minima, which follow them) of `n` <= 16 blocks `stride` bytes apart.
[[gnu::always_inline]] inline void load_scales(const u8_t* first, u64_t stride, u64_t n, float* scale, float* minimum) {
    for (u64_t i = 0; i < n; ++i) {
        scale[i] = f16_to_f32(detail::load_u16(first + i * stride));
        if (minimum != nullptr) minimum[i] = f16_to_f32(detail::load_u16(first + i * stride + 2));
    }
}

/// The largest lane.
[[gnu::always_inline]] inline float largest(const f32x16& v) {
    float m = v.part[0];
    for (usz i = 1; i < 16; ++i) m = v.part[i] > m ? v.part[i] : m;
    return m;
}

/// The lanes as lane_sums::total adds them, of 16 vectors: lane i is the total of v[i].
[[gnu::always_inline]] inline f32x16 totals(const f32x16* v) {
    return each_lane([&](usz i) {
        lane_sums s;
        copy_lanes(v[i].part, 16, s.lane);
        return s.total();
    });
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET::portable
