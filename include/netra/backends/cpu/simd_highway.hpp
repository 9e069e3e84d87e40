// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// f32x16 on Highway's vectors of 4, 8 or 16 lanes.
#pragma once

#include <netra/backends/cpu/simd_target.hpp>

#if !NETRA_PLAIN_AVX512 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_HAVE_SCALABLE

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET::vectors {
namespace hn = hwy::HWY_NAMESPACE;

using native_tag = hn::CappedTag<float, 16>;
using native = hn::Vec<native_tag>;
inline constexpr usz native_lanes = hn::MaxLanes(native_tag{});
/// Native vectors in 16 lanes.
inline constexpr usz parts = 16 / native_lanes;

struct f32x16 {
    native part[parts];
};

/// Part I; in code for targets with that many parts, which others compile but never run, any part.
template <usz I>
[[gnu::always_inline]] inline native nth(const f32x16& v) {
    return v.part[I < parts ? I : 0];
}

/// Applies `f(i)` to every part.
template <class F>
[[gnu::always_inline]] inline f32x16 each_part(F f) {
    if constexpr (parts == 1) return {{f(usz{0})}};
    else if constexpr (parts == 2) return {{f(usz{0}), f(usz{1})}};
    else return {{f(usz{0}), f(usz{1}), f(usz{2}), f(usz{3})}};
}

[[gnu::always_inline]] inline f32x16 load(const float* p) {
    return each_part([&](usz i) { return hn::LoadU(native_tag{}, p + i * native_lanes); });
}
[[gnu::always_inline]] inline void store(float* p, f32x16 v) {
    for (usz i = 0; i < parts; ++i) hn::StoreU(v.part[i], native_tag{}, p + i * native_lanes);
}
[[gnu::always_inline]] inline f32x16 splat(float v) {
    return each_part([&](usz) { return hn::Set(native_tag{}, v); });
}
[[gnu::always_inline]] inline f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
    return each_part([&](usz i) { return hn::MulAdd(a.part[i], b.part[i], c.part[i]); });
}
[[gnu::always_inline]] inline f32x16 operator+(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::Add(a.part[i], b.part[i]); });
}
[[gnu::always_inline]] inline f32x16 operator-(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::Sub(a.part[i], b.part[i]); });
}
[[gnu::always_inline]] inline f32x16 operator*(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::Mul(a.part[i], b.part[i]); });
}
[[gnu::always_inline]] inline f32x16 operator/(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::Div(a.part[i], b.part[i]); });
}
/// The larger; `b` where either is NaN on x86.
[[gnu::always_inline]] inline f32x16 max(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::Max(a.part[i], b.part[i]); });
}
[[gnu::always_inline]] inline f32x16 min(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::Min(a.part[i], b.part[i]); });
}
[[gnu::always_inline]] inline f32x16 round(f32x16 v) {
    return each_part([&](usz i) { return hn::Round(v.part[i]); });
}
/// The magnitude of `a` with the sign of `b`.
[[gnu::always_inline]] inline f32x16 copy_sign(f32x16 a, f32x16 b) {
    return each_part([&](usz i) { return hn::CopySign(a.part[i], b.part[i]); });
}
/// v where a < b, otherwise w.
[[gnu::always_inline]] inline f32x16 where_less(f32x16 a, f32x16 b, f32x16 v, f32x16 w) {
    return each_part([&](usz i) { return hn::IfThenElse(hn::Lt(a.part[i], b.part[i]), v.part[i], w.part[i]); });
}
/// v 2^n for integral n in [-252, 252], in two steps so that subnormal results are rounded once.
[[gnu::always_inline]] inline f32x16 scale_by_power(f32x16 v, f32x16 n) {
    const hn::RebindToSigned<native_tag> di;
    return each_part([&](usz i) {
        const auto whole = hn::ConvertTo(di, n.part[i]);
        const auto half = hn::ShiftRight<1>(whole);
        const auto power = [&](auto e) { return hn::BitCast(native_tag{}, hn::ShiftLeft<23>(hn::Add(e, hn::Set(di, 127)))); };
        return hn::Mul(hn::Mul(v.part[i], power(half)), power(hn::Sub(whole, half)));
    });
}

[[gnu::always_inline]] inline f32x16 load_bf16(const u8_t* p) {
    const hn::Rebind<hwy::bfloat16_t, native_tag> half;
    return each_part([&](usz i) {
        return hn::PromoteTo(native_tag{}, hn::LoadU(half, reinterpret_cast<const hwy::bfloat16_t*>(p) + i * native_lanes));
    });
}
[[gnu::always_inline]] inline f32x16 load_f16(const u8_t* p) {
    const hn::Rebind<hwy::float16_t, native_tag> half;
    return each_part([&](usz i) {
        return hn::PromoteTo(native_tag{}, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(p) + i * native_lanes));
    });
}
[[gnu::always_inline]] inline f32x16 load_i8(const u8_t* p) {
    const hn::RebindToSigned<native_tag> di;
    const hn::Rebind<signed char, native_tag> quarter;
    return each_part([&](usz i) {
        return hn::ConvertTo(native_tag{}, hn::PromoteTo(di, hn::LoadU(quarter, reinterpret_cast<const signed char*>(p) + i * native_lanes)));
    });
}
/// Rounds to nearest even; NaN to a quiet NaN.
[[gnu::always_inline]] inline void store_bf16(u8_t* p, f32x16 v) {
    const hn::RebindToUnsigned<native_tag> du;
    const hn::Rebind<unsigned short, native_tag> half;
    for (usz i = 0; i < parts; ++i) {
        const auto b = hn::BitCast(du, v.part[i]);
        const auto odd = hn::And(hn::ShiftRight<16>(b), hn::Set(du, 1));
        const auto rounded = hn::ShiftRight<16>(hn::Add(b, hn::Add(odd, hn::Set(du, 0x7fff))));
        const auto quiet = hn::Or(hn::ShiftRight<16>(b), hn::Set(du, 0x40));
        const auto is_nan = hn::Gt(hn::And(b, hn::Set(du, 0x7fffffffU)), hn::Set(du, 0x7f800000U));
        const hn::RebindToSigned<native_tag> di;
        const auto chosen = hn::BitCast(di, hn::IfThenElse(is_nan, quiet, rounded));
        hn::StoreU(hn::DemoteTo(half, chosen), half, reinterpret_cast<unsigned short*>(p) + i * native_lanes);
    }
}
[[gnu::always_inline]] inline void store_f16(u8_t* p, f32x16 v) {
    if constexpr (fused) {  // x86 with FMA has F16C
        const hn::Rebind<hwy::float16_t, native_tag> half;
        for (usz i = 0; i < parts; ++i)
            hn::StoreU(hn::DemoteTo(half, v.part[i]), half, reinterpret_cast<hwy::float16_t*>(p) + i * native_lanes);
    } else {
        alignas(64) float lanes[16];
        store(lanes, v);
        for (usz i = 0; i < 16; ++i) {
            const u16_t bits = f32_to_f16(lanes[i]);
            p[2 * i] = static_cast<u8_t>(bits);
            p[2 * i + 1] = static_cast<u8_t>(bits >> 8);
        }
    }
}

/// Elements 0..15 and 16..31 of a 4-bit block.
struct nibbles {
    f32x16 low, high;
};
/// scale * (q - 8) or, with a minimum, fma(scale, q, minimum): each of 16 possible values once, then picked, where a vector holds 16.
template <bool Minimum>
[[gnu::always_inline]] inline nibbles load_u4(const u8_t* p, float scale, float minimum) {
    const hn::RebindToUnsigned<native_tag> du;
    const hn::Rebind<unsigned char, native_tag> quarter;
    const auto value = [&](native q) {
        const native d = hn::Set(native_tag{}, scale);
        if constexpr (Minimum) return hn::MulAdd(d, q, hn::Set(native_tag{}, minimum));
        else return hn::Mul(d, hn::Sub(q, hn::Set(native_tag{}, 8.0F)));
    };
#if HWY_TARGET <= HWY_AVX3
    const native values = value(hn::Iota(native_tag{}, 0.0F));
    const auto bytes = hn::PromoteTo(du, hn::LoadU(quarter, p));
    return {{{hn::TableLookupLanes(values, hn::Indices512<float>{bytes.raw})}},
            {{hn::TableLookupLanes(values, hn::Indices512<float>{hn::ShiftRight<4>(bytes).raw})}}};
#else
    const hn::RebindToSigned<native_tag> di;
    const auto convert = [&](auto v) { return value(hn::ConvertTo(native_tag{}, hn::BitCast(di, v))); };
    const auto byte = [&](usz i) { return hn::PromoteTo(du, hn::LoadU(quarter, p + i * native_lanes)); };
    return {each_part([&](usz i) { return convert(hn::And(byte(i), hn::Set(du, 15))); }),
            each_part([&](usz i) { return convert(hn::ShiftRight<4>(byte(i))); })};
#endif
}

/// The fp16 scales (and minima, which follow them) of `n` <= 16 blocks `stride` bytes apart. @pre 4 bytes of each block may be read
[[gnu::always_inline]] inline void load_scales(const u8_t* first, u64_t stride, u64_t n, float* scale, float* minimum) {
    const hn::RebindToSigned<native_tag> di;
    const hn::Rebind<hwy::float16_t, native_tag> half;
    const hn::Rebind<unsigned short, native_tag> words;
    const auto promote = [&](auto v) { return hn::PromoteTo(native_tag{}, hn::BitCast(half, hn::DemoteTo(words, v))); };
    for (usz i = 0; i < parts; ++i) {
        const auto block = hn::Min(hn::Iota(di, static_cast<int>(i * native_lanes)), hn::Set(di, static_cast<int>(n) - 1));
        const auto pair = hn::GatherOffset(di, reinterpret_cast<const int*>(first), hn::Mul(block, hn::Set(di, static_cast<int>(stride))));
        hn::StoreU(promote(hn::And(pair, hn::Set(di, 0xffff))), native_tag{}, scale + i * native_lanes);
        if (minimum == nullptr) continue;
        const auto upper = hn::BitCast(di, hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<native_tag>{}, pair)));
        hn::StoreU(promote(upper), native_tag{}, minimum + i * native_lanes);
    }
}

/// The largest lane.
[[gnu::always_inline]] inline float largest(f32x16 v) {
    native m = v.part[0];
    for (usz i = 1; i < parts; ++i) m = hn::Max(m, v.part[i]);
    return hn::GetLane(hn::MaxOfLanes(native_tag{}, m));
}

/// The lanes as lane_sums::total adds them, of 16 vectors at once: lane i is the total of v[i].
[[gnu::always_inline]] inline f32x16 totals(const f32x16* v) {
    const native_tag d;
    const hn::Repartition<double, native_tag> d64;
    // note: half(i) is vector i folded to 8 lanes, quarter(i) a vector whose blocks of 4 lanes are vectors folded to 4 lanes
    const auto fold = [&](native a, native b) {  // lanes j and j + 2 of each block, of two vectors
        return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
    };
    const auto finish = [&](native a, native b) {  // the last two sums of each block
        const auto x = hn::BitCast(d64, a);
        const auto y = hn::BitCast(d64, b);
        return hn::Add(hn::BitCast(d, hn::InterleaveLower(d64, x, y)), hn::BitCast(d, hn::InterleaveUpper(d64, x, y)));
    };
    if constexpr (parts == 4) {
        return each_part([&](usz i) {
            const auto quarter = [&](usz j) {
                const f32x16& s = v[4 * i + j];
                return hn::Add(hn::Add(nth<0>(s), nth<2>(s)), hn::Add(nth<1>(s), nth<3>(s)));
            };
            return finish(fold(quarter(0), quarter(1)), fold(quarter(2), quarter(3)));
        });
    } else if constexpr (parts == 2) {
        return each_part([&](usz i) {
            const auto half = [&](usz j) { return hn::Add(nth<0>(v[j]), nth<1>(v[j])); };
            const auto quarter = [&](usz j) {  // vectors j and j + 4
                const native a = half(j);
                const native b = half(j + 4);
                return hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
            };
            const usz at = 8 * i;
            return finish(fold(quarter(at), quarter(at + 1)), fold(quarter(at + 2), quarter(at + 3)));
        });
    } else {
        const auto half = [&](usz j) {  // vectors j and j + 8
            return hn::Add(hn::ConcatLowerLower(d, v[j + 8].part[0], v[j].part[0]), hn::ConcatUpperUpper(d, v[j + 8].part[0], v[j].part[0]));
        };
        const auto quarter = [&](usz j) {  // vectors j, j + 4, j + 8, j + 12
            const native a = half(j);
            const native b = half(j + 4);
            return hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a), hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
        };
        return {{finish(fold(quarter(0), quarter(1)), fold(quarter(2), quarter(3)))}};
    }
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET::vectors

#endif
