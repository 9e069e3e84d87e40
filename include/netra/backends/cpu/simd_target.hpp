// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What the kernels are compiled for: AVX-512 for g++, else the target that Highway finds in the compile flags.
#pragma once

#include <netra/contracts/numerics.hpp>
#include <netra/contracts/weights.hpp>
#include <netra/detail/indices.hpp>

#if !NETRA_PLAIN_AVX512
// Highway 1.0.3 does not compile with AVX3_DL as its baseline unless asked for it, and leaves AVX2 unused where AES is not enabled
// (x86-64-v3); netra uses neither AES nor carry-less products.
#if defined(__AVX512VBMI2__) && !defined(HWY_WANT_AVX3_DL)
#define HWY_WANT_AVX3_DL
#endif
#if defined(__AVX2__) && !defined(__AES__) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#include <hwy/highway.h>
#endif

/// Kernels live in a namespace of their target, so that files of one program may be compiled with different flags.
namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

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
[[gnu::always_inline]] inline void unroll(const F& f, detail::indices<I...>) {
    (f(constant<I>{}), ...);
}
/// f(0), ..., f(N - 1) with constant arguments: arrays indexed by them become registers before any loop is unrolled.
/// @pre f is [[gnu::always_inline]]
template <usz N, class F>
[[gnu::always_inline]] inline void unroll(const F& f) {
    unroll(f, detail::make_indices<N>{});
}

/// Writes `n` <= 16 of the lanes in `from`.
inline void copy_lanes(const float* from, u64_t n, float* to) {
    for (u64_t i = 0; i < n; ++i) to[i] = from[i];
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
