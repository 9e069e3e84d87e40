// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Sixteen fp32 lanes, the width of every reduction, on as many vectors of the machine as that takes.
#pragma once

#include <netra/contracts/numerics.hpp>
#include <netra/contracts/weights.hpp>
#include <netra/detail/indices.hpp>

// Highway 1.0.3 does not compile with AVX3_DL as its baseline unless asked for it, and leaves AVX2 unused where AES is not enabled
// (x86-64-v3); netra uses neither AES nor carry-less products.
#if defined(__AVX512VBMI2__) && !defined(HWY_WANT_AVX3_DL)
#define HWY_WANT_AVX3_DL
#endif
#if defined(__AVX2__) && !defined(__AES__) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#include <hwy/highway.h>

/// Kernels live in a namespace of their target, so that files of one program may be compiled with different flags.
namespace netra::inline v0::cpu::inline HWY_NAMESPACE {

/// Whether fma() rounds once. Without that, results are those of the contracts within their tolerance only.
#if defined(__FMA__) || defined(__aarch64__)
inline constexpr bool fused = true;
#else
inline constexpr bool fused = false;
#endif

template <usz I>
struct constant {
    constexpr operator usz() const { return I; }  // NOLINT: an index
};
template <class F, usz... I>
HWY_INLINE void unroll(const F& f, detail::indices<I...>) {
    (f(constant<I>{}), ...);
}
/// f(0), ..., f(N - 1) with constant arguments: arrays indexed by them become registers before any loop is unrolled.
/// @pre f is [[gnu::always_inline]]
template <usz N, class F>
HWY_INLINE void unroll(const F& f) {
    unroll(f, detail::make_indices<N>{});
}

/// Writes `n` <= 16 of the lanes in `from`.
inline void copy_lanes(const float* from, u64_t n, float* to) {
    for (u64_t i = 0; i < n; ++i) to[i] = from[i];
}

}  // namespace netra::inline v0::cpu::inline HWY_NAMESPACE

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE
#include <netra/backends/cpu/simd_portable.hpp>
#else
#include <netra/backends/cpu/simd_highway.hpp>
#endif

namespace netra::inline v0::cpu::inline HWY_NAMESPACE {

HWY_INLINE f32x16 load_partial(const float* p, u64_t n, float rest = 0.0F) {
    alignas(64) float lanes[16];
    for (u64_t i = 0; i < 16; ++i) lanes[i] = i < n ? p[i] : rest;
    return load(lanes);
}

HWY_INLINE void store_partial(float* p, u64_t n, f32x16 v) {
    if (n >= 16) return store(p, v);
    alignas(64) float lanes[16];
    store(lanes, v);
    copy_lanes(lanes, n, p);
}

/// e^x within 1 ulp for every float; elementwise, so lanes do not matter.
HWY_INLINE f32x16 exp(f32x16 x) {
    const f32x16 bounded = min(splat(89.0F), max(splat(-104.0F), x));  // in this order NaN stays NaN
    const f32x16 n = round(bounded * splat(1.44269504F));
    const f32x16 r = fma(n, splat(-1.42860677e-6F), fma(n, splat(-0.693145752F), bounded));
    f32x16 p = fma(splat(1.0F / 5040), r, splat(1.0F / 720));
    p = fma(p, r, splat(1.0F / 120));
    p = fma(p, r, splat(1.0F / 24));
    p = fma(p, r, splat(1.0F / 6));
    p = fma(p, r, splat(0.5F));
    p = fma(p, r, splat(1.0F));
    p = fma(p, r, splat(1.0F));
    return scale_by_power(p, n);
}

}  // namespace netra::inline v0::cpu::inline HWY_NAMESPACE
