// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Sixteen fp32 lanes, the width of every reduction, on as many vectors of the machine as that takes.
#pragma once

#include <netra/backends/cpu/simd_avx512.hpp>
#include <netra/backends/cpu/simd_highway.hpp>
#include <netra/backends/cpu/simd_portable.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

#if !NETRA_PLAIN_AVX512 && (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE)
using namespace portable;
#else
using namespace vectors;
#endif

[[gnu::always_inline]] inline f32x16 load_partial(const float* p, u64_t n, float rest = 0.0F) {
    alignas(64) float lanes[16];
    for (u64_t i = 0; i < 16; ++i) lanes[i] = i < n ? p[i] : rest;
    return load(lanes);
}

[[gnu::always_inline]] inline void store_partial(float* p, u64_t n, f32x16 v) {
    if (n >= 16) return store(p, v);
    alignas(64) float lanes[16];
    store(lanes, v);
    copy_lanes(lanes, n, p);
}

/// e^x within 1 ulp for every float; elementwise, so lanes do not matter.
[[gnu::always_inline]] inline f32x16 exp(f32x16 x) {
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

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
