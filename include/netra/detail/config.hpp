// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Integer names, the version and every macro of the library.
#pragma once

#define NETRA_VERSION_MAJOR 0
#define NETRA_VERSION_MINOR 1
#define NETRA_VERSION_PATCH 0

#if !defined(__GNUC__) || __cplusplus < 202002L
#error "netra needs C++20 and a compiler that understands GNU builtins: g++ 11, clang 14, nvcc 13 or newer"
#endif

/// Whether CPU kernels use g++'s vectors alone. Elsewhere they use Highway, which takes a second longer to compile.
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && !defined(__clang__) && !defined(HWY_COMPILE_ONLY_SCALAR) && \
    !defined(HWY_COMPILE_ONLY_STATIC) && !defined(__CUDACC__)
#define NETRA_PLAIN_AVX512 1
#define NETRA_CPU_TARGET avx512
#else
#define NETRA_PLAIN_AVX512 0
#define NETRA_CPU_TARGET HWY_NAMESPACE
#endif

namespace netra::inline v0 {

using i8_t = signed char;
using i32_t = int;
using i64_t = long long;
using u8_t = unsigned char;
using u16_t = unsigned short;
using u32_t = unsigned int;
using u64_t = unsigned long long;
using usz = decltype(sizeof 0);

namespace detail {
// note: how a compiler prints an array of characters in a template argument: g++ whole, clang from 16 on the first 32, others as numbers
#if defined(__CUDACC__) || (defined(__clang__) && __clang_major__ < 16)
inline constexpr bool prints_texts = false;
#else
inline constexpr bool prints_texts = true;
#endif
#if defined(__clang__)
inline constexpr usz piece_length = 30;
#else
inline constexpr usz piece_length = 400;
#endif
}  // namespace detail

static_assert(sizeof(u16_t) == 2 && sizeof(u32_t) == 4 && sizeof(u64_t) == 8 && sizeof(float) == 4);

}  // namespace netra::inline v0
