// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Weight formats as vectors of fp32, bit for bit as weight_at gives their elements (a signalling NaN comes out quiet).
#pragma once

#include <netra/backends/cpu/simd.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

/// The formats that have kernels.
enum class storage : u8_t { f32, f16, bf16, q8_0, q4_0, q4_1 };

template <storage S>
struct storage_constant {
    static constexpr storage value = S;
};

/// Calls `f(storage_constant<...>{})` for a format. @pre the format passed its contract's check
template <class F>
[[gnu::always_inline]] inline void with_storage(const weight_format& format, F f) {
    if (format == q4_1) return f(storage_constant<storage::q4_1>{});
    if (format == q4_0) return f(storage_constant<storage::q4_0>{});
    if (format == q8_0) return f(storage_constant<storage::q8_0>{});
    if (format.element == f16) return f(storage_constant<storage::f16>{});
    if (format.element == bf16) return f(storage_constant<storage::bf16>{});
    f(storage_constant<storage::f32>{});
}

template <storage S>
inline constexpr bool in_blocks = S == storage::q8_0 || S == storage::q4_0 || S == storage::q4_1;
template <storage S>
inline constexpr bool has_minimum = S == storage::q4_1;
/// Bytes of an element, or of a block of 32.
template <storage S>
inline constexpr u64_t unit_bytes = S == storage::f32 ? 4 : S == storage::q8_0 ? 34 : S == storage::q4_0 ? 18 : S == storage::q4_1 ? 20 : 2;

/// 16 elements of a plain format.
template <storage S>
[[gnu::always_inline]] inline f32x16 load_plain(const u8_t* p) {
    if constexpr (S == storage::f32) return load(reinterpret_cast<const float*>(p));
    else if constexpr (S == storage::f16) return load_f16(p);
    else return load_bf16(p);
}

/// The first `n` < 16 elements of a plain format; the rest is -0, which adds nothing to any sum when multiplied by +0.
template <storage S>
[[gnu::always_inline]] inline f32x16 load_plain_partial(const u8_t* p, u64_t n) {
    constexpr u64_t size = unit_bytes<S>;
    if (n >= 16) __builtin_unreachable();  // g++ warns of n it cannot rule out
    alignas(64) u8_t bytes[16 * size];
    for (u64_t i = 0; i < 16 * size; ++i) bytes[i] = i % size == size - 1 ? u8_t{0x80} : u8_t{0};
    __builtin_memcpy(bytes, p, n * size);
    return load_plain<S>(bytes);
}

/// The 32 elements of a block; `scale` and `minimum` are its own.
template <storage S>
[[gnu::always_inline]] inline nibbles load_block(const u8_t* block, float scale, float minimum) {
    if constexpr (S == storage::q8_0) return {splat(scale) * load_i8(block + 2), splat(scale) * load_i8(block + 18)};
    else return load_u4<has_minimum<S>>(block + (has_minimum<S> ? 4 : 2), scale, minimum);
}

/// Scales and minima of up to 256 blocks that lie side by side.
template <storage S>
struct block_scales {
    static constexpr u64_t capacity = 256;
    alignas(64) float scale[capacity];
    alignas(64) float minimum[has_minimum<S> ? capacity : 1];

    [[gnu::always_inline]] inline void read(const u8_t* first, u64_t blocks, u64_t at = 0) {
        for (u64_t b = 0; b < blocks; b += 16)
            load_scales(first + b * unit_bytes<S>, unit_bytes<S>, blocks - b < 16 ? blocks - b : 16, scale + at + b,
                        has_minimum<S> ? minimum + at + b : nullptr);
    }
    [[gnu::always_inline]] inline nibbles load(const u8_t* block, u64_t b) const { return load_block<S>(block, scale[b], has_minimum<S> ? minimum[b] : 0.0F); }
};

/// Elements [from, from + n) of a row as fp32. @pre from and n are multiples of 32 for block formats; from is a multiple of 16
template <storage S>
inline void decode(const u8_t* row, u64_t from, u64_t n, float* to) {
    if constexpr (in_blocks<S>) {
        block_scales<S> scales;
        constexpr u64_t step = block_scales<S>::capacity * 32;
        for (u64_t at = 0; at < n; at += step) {
            const u64_t blocks = (n - at < step ? n - at : step) / 32;
            const u8_t* first = row + (from + at) / 32 * unit_bytes<S>;
            scales.read(first, blocks);
            for (u64_t b = 0; b < blocks; ++b) {
                const nibbles w = scales.load(first + b * unit_bytes<S>, b);
                store(to + at + 32 * b, w.low);
                store(to + at + 32 * b + 16, w.high);
            }
        }
    } else {
        const u8_t* p = row + from * unit_bytes<S>;
        u64_t k = 0;
        for (; k + 16 <= n; k += 16) store(to + k, load_plain<S>(p + k * unit_bytes<S>));
        if (k < n) store_partial(to + k, n - k, load_plain_partial<S>(p + k * unit_bytes<S>, n - k));
    }
}
inline void decode(const weight_format& format, const u8_t* row, u64_t from, u64_t n, float* to) {
    with_storage(format, [&](auto s) { decode<decltype(s)::value>(row, from, n, to); });
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
