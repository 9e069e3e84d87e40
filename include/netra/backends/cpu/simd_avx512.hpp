// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// f32x16 on g++'s own vectors of 16 lanes: what Highway would make of them on AVX-512, at half the cost of compiling.
#pragma once

#include <netra/backends/cpu/simd_target.hpp>

#if NETRA_PLAIN_AVX512

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET::vectors {

/// Decides register blocking: f32x16 is one vector.
inline constexpr usz parts = 1;

using native [[gnu::vector_size(64)]] = float;
using words [[gnu::vector_size(64)]] = u32_t;
using signed_words [[gnu::vector_size(64)]] = i32_t;
using halves [[gnu::vector_size(32)]] = short;
using bytes [[gnu::vector_size(16)]] = char;
inline constexpr short all_lanes = -1;
inline constexpr u16_t every_lane = 0xffff;  // the builtins differ in the type of their mask
inline constexpr int current_rounding = 4;

struct f32x16 {
    native part;
};

template <class Vector, class T>
[[gnu::always_inline]] inline Vector read(const T* p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
[[gnu::always_inline]] inline words bits_of(native v) { return read<words>(&v); }
[[gnu::always_inline]] inline native from_bits(words v) { return read<native>(&v); }

[[gnu::always_inline]] inline f32x16 load(const float* p) { return {read<native>(p)}; }
[[gnu::always_inline]] inline void store(float* p, f32x16 v) { __builtin_ia32_storeups512_mask(p, v.part, every_lane); }
[[gnu::always_inline]] inline f32x16 splat(float v) { return {native{v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v}}; }
[[gnu::always_inline]] inline f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
    return {__builtin_ia32_vfmaddps512_mask(a.part, b.part, c.part, all_lanes, current_rounding)};
}
[[gnu::always_inline]] inline f32x16 operator+(f32x16 a, f32x16 b) { return {a.part + b.part}; }
[[gnu::always_inline]] inline f32x16 operator-(f32x16 a, f32x16 b) { return {a.part - b.part}; }
[[gnu::always_inline]] inline f32x16 operator*(f32x16 a, f32x16 b) { return {a.part * b.part}; }
[[gnu::always_inline]] inline f32x16 operator/(f32x16 a, f32x16 b) { return {a.part / b.part}; }
/// The larger; `b` where either is NaN.
[[gnu::always_inline]] inline f32x16 max(f32x16 a, f32x16 b) { return {a.part > b.part ? a.part : b.part}; }
[[gnu::always_inline]] inline f32x16 min(f32x16 a, f32x16 b) { return {a.part < b.part ? a.part : b.part}; }
/// The magnitude of `a` with the sign of `b`.
[[gnu::always_inline]] inline f32x16 copy_sign(f32x16 a, f32x16 b) {
    return {from_bits((bits_of(a.part) & 0x7fffffffU) | (bits_of(b.part) & 0x80000000U))};
}
/// To the nearest integer, ties to even. @pre magnitudes below 2^22
[[gnu::always_inline]] inline f32x16 round(f32x16 v) { return copy_sign({(v.part + 0x1.8p23F) - 0x1.8p23F}, v); }
/// v where a < b, otherwise w.
[[gnu::always_inline]] inline f32x16 where_less(f32x16 a, f32x16 b, f32x16 v, f32x16 w) { return {a.part < b.part ? v.part : w.part}; }
/// v 2^n for integral n in [-252, 252], in two steps so that subnormal results are rounded once.
[[gnu::always_inline]] inline f32x16 scale_by_power(f32x16 v, f32x16 n) {
    const signed_words whole = __builtin_ia32_cvttps2dq512_mask(n.part, signed_words{}, all_lanes, current_rounding);
    const signed_words half = whole >> 1;
    const words first = (read<words>(&half) + 127U) << 23;
    const words second = (read<words>(&whole) - read<words>(&half) + 127U) << 23;
    return {v.part * from_bits(first) * from_bits(second)};
}
// note: __builtin_convertvector goes lane by lane where widths differ
[[gnu::always_inline]] inline halves low_halves(words v) {
    return __builtin_ia32_pmovdw512_mask(read<signed_words>(&v), halves{}, every_lane);
}
[[gnu::always_inline]] inline f32x16 from_halves(halves v) {
    return {__builtin_ia32_vcvtph2ps512_mask(v, native{}, all_lanes, current_rounding)};
}
[[gnu::always_inline]] inline f32x16 load_f16(const u8_t* p) { return from_halves(read<halves>(p)); }
[[gnu::always_inline]] inline f32x16 load_bf16(const u8_t* p) {
    const signed_words low = __builtin_ia32_pmovzxwd512_mask(read<halves>(p), signed_words{}, every_lane);
    return {from_bits(read<words>(&low) << 16)};
}
[[gnu::always_inline]] inline f32x16 load_i8(const u8_t* p) {
    return {__builtin_convertvector(__builtin_ia32_pmovsxbd512_mask(read<bytes>(p), signed_words{}, every_lane), native)};
}
/// Rounds to nearest even; NaN to a quiet NaN.
[[gnu::always_inline]] inline void store_bf16(u8_t* p, f32x16 v) {
    const words b = bits_of(v.part);
    const words rounded = (b + (0x7fffU + ((b >> 16) & 1U))) >> 16;
    const words quiet = (b >> 16) | 0x40U;
    const halves out = low_halves((b & 0x7fffffffU) > 0x7f800000U ? quiet : rounded);
    __builtin_memcpy(p, &out, sizeof out);
}
[[gnu::always_inline]] inline void store_f16(u8_t* p, f32x16 v) {
    constexpr int nearest_even = 8;  // and no exceptions
    const halves out = __builtin_ia32_vcvtps2ph512_mask(v.part, nearest_even, halves{}, every_lane);
    __builtin_memcpy(p, &out, sizeof out);
}

/// Elements 0..15 and 16..31 of a 4-bit block.
struct nibbles {
    f32x16 low, high;
};
/// scale * (q - 8) or, with a minimum, fma(scale, q, minimum): each of 16 possible values once, then picked.
template <bool Minimum>
[[gnu::always_inline]] inline nibbles load_u4(const u8_t* p, float scale, float minimum) {
    const f32x16 q{native{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    f32x16 values;
    if constexpr (Minimum) values = fma(splat(scale), q, splat(minimum));
    else values = splat(scale) * (q - splat(8.0F));
    const signed_words both = __builtin_ia32_pmovzxbd512_mask(read<bytes>(p), signed_words{}, every_lane);
    return {{__builtin_shuffle(values.part, both)}, {__builtin_shuffle(values.part, both >> 4)}};  // of an index, the low 4 bits count
}

/// The fp16 scales (and minima, which follow them) of `n` <= 16 blocks `stride` bytes apart. @pre 4 bytes of each block may be read
[[gnu::always_inline]] inline void load_scales(const u8_t* first, u64_t stride, u64_t n, float* scale, float* minimum) {
    const signed_words each{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const signed_words last = signed_words{} + (static_cast<i32_t>(n) - 1);
    const signed_words offsets = (each < last ? each : last) * static_cast<i32_t>(stride);
    const signed_words stored = __builtin_ia32_gathersiv16si(signed_words{}, first, offsets, all_lanes, 1);
    const words pairs = read<words>(&stored);
    store(scale, from_halves(low_halves(pairs)));
    if (minimum != nullptr) store(minimum, from_halves(low_halves(pairs >> 16)));
}

/// The largest lane.
[[gnu::always_inline]] inline float largest(f32x16 v) {
    float m = v.part[0];
    for (int i = 1; i < 16; ++i) m = v.part[i] > m ? v.part[i] : m;
    return m;
}

/// The lanes as lane_sums::total adds them, of 16 vectors at once: lane i is the total of v[i].
[[gnu::always_inline]] inline f32x16 totals(const f32x16* v) {
    using at = signed_words;
    const auto half = [&](usz j) __attribute__((always_inline)) {  // vectors j and j + 8, folded to 8 lanes
        constexpr at low{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
        return __builtin_shuffle(v[j].part, v[j + 8].part, low) + __builtin_shuffle(v[j].part, v[j + 8].part, low + 8);
    };
    const auto quarter = [&](usz j) __attribute__((always_inline)) {  // vectors j, j + 4, j + 8, j + 12, to 4 lanes each
        constexpr at even{0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27};
        const native a = half(j);
        const native b = half(j + 4);
        return __builtin_shuffle(a, b, even) + __builtin_shuffle(a, b, even + 4);
    };
    const auto fold = [](native a, native b) __attribute__((always_inline)) {  // lanes i and i + 2 of each block of 4, of two vectors
        constexpr at low{0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29};
        return __builtin_shuffle(a, b, low) + __builtin_shuffle(a, b, low + 2);
    };
    const native a = fold(quarter(0), quarter(1));
    const native b = fold(quarter(2), quarter(3));
    constexpr at low{0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};  // the last two sums of each block
    return {__builtin_shuffle(a, b, low) + __builtin_shuffle(a, b, low + 2)};
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET::vectors

#endif
