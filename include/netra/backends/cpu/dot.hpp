// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Rows of weights times rows of activations: the dot products of `linear`, bit for bit, for a tile of outputs.
#pragma once

#include <netra/backends/cpu/formats.hpp>
#include <netra/contracts/ops/linear.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

/// How far weights are asked for before they are used. note: rows in flight side by side defeat the processor's own prefetching; this gave
/// 1.5 times the speed from memory, and 2 to 8 KiB made no difference.
inline constexpr u64_t prefetch_bytes = 8192;

/// One activation row and 16 weight rows at most, `Together` of them in flight.
template <storage S, u32_t Together>
[[gnu::always_inline]] inline void dot_one_row(const u8_t* w, u64_t in, u64_t count, const float* x, float* y) {
    const u64_t row_bytes = in_blocks<S> ? in / 32 * unit_bytes<S> : in * unit_bytes<S>;
    f32x16 sums[16];
    const u64_t together_bytes = Together * row_bytes;
    const u64_t ahead = (prefetch_bytes + together_bytes - 1) / together_bytes * together_bytes;  // the rows together then prefetch every line
    for (u64_t o = 0; o < 16; o += Together) {
        f32x16 acc[Together];
        const u8_t* row[Together];
        unroll<Together>([&](auto t) __attribute__((always_inline)) {
            acc[t] = splat(0.0F);
            row[t] = w + (o + t < count ? o + t : count - 1) * row_bytes;
        });
        if (o >= count) {
        } else if constexpr (in_blocks<S>) {
            constexpr u64_t most = block_scales<S>::capacity / Together;
            block_scales<S> scales;
            for (u64_t from = 0; from < in / 32; from += most) {
                const u64_t blocks = in / 32 - from < most ? in / 32 - from : most;
                for (u32_t t = 0; t < Together; ++t) scales.read(row[t] + from * unit_bytes<S>, blocks, t * most);
                for (u64_t b = 0; b < blocks; ++b) {
                    const f32x16 low = load(x + 32 * (from + b));
                    const f32x16 high = load(x + 32 * (from + b) + 16);
                    unroll<Together>([&](auto t) __attribute__((always_inline)) {
                        const u8_t* const block = row[t] + (from + b) * unit_bytes<S>;
                        __builtin_prefetch(block + ahead);
                        const nibbles v = scales.load(block, t * most + b);
                        acc[t] = fma(v.high, high, fma(v.low, low, acc[t]));
                    });
                }
            }
        } else {
            u64_t k = 0;
            for (; k + 16 <= in; k += 16) {
                const f32x16 activations = load(x + k);
                unroll<Together>([&](auto t) __attribute__((always_inline)) {
                    __builtin_prefetch(row[t] + k * unit_bytes<S> + ahead);
                    acc[t] = fma(load_plain<S>(row[t] + k * unit_bytes<S>), activations, acc[t]);
                });
            }
            if (k < in) {
                const f32x16 activations = load_partial(x + k, in - k);
                for (u32_t t = 0; t < Together; ++t)
                    acc[t] = fma(load_plain_partial<S>(row[t] + k * unit_bytes<S>, in - k), activations, acc[t]);
            }
        }
        unroll<Together>([&](auto t) __attribute__((always_inline)) { sums[o + t] = acc[t]; });
    }
    store_partial(y, count, totals(sums) + splat(0.0F));  // the reference's missing bias: -0 becomes +0
}

/// Elements of k for which 16 weight rows, 16 activation rows and their partial sums fit a first-level cache.
inline constexpr u64_t panel_depth = 192;
/// f32x16 accumulators that fit the registers.
inline constexpr u32_t tile_sums = parts == 1 ? 16 : parts == 2 ? 4 : 2;

/// Continues 16 x Rows dot products over `steps` vectors of k; sums[r * 16 + o] is of activation row r and weight row o.
template <u32_t Rows>
[[gnu::always_inline]] inline void dot_tile(const float* w, u64_t w_pitch, const float* x, u64_t x_pitch, u64_t steps, f32x16* sums) {
    constexpr u32_t outs = tile_sums / Rows;
    for (u32_t o = 0; o < 16; o += outs) {
        f32x16 acc[tile_sums];
        f32x16* const at = sums + o;
        const float* const panel = w + o * w_pitch;
        const auto sum = [](usz i) __attribute__((always_inline)) { return i / outs * 16 + i % outs; };
        unroll<tile_sums>([&](auto i) __attribute__((always_inline)) { acc[i] = at[sum(i)]; });
        for (u64_t k = 0; k < 16 * steps; k += 16) {
            f32x16 weight[outs];
            unroll<outs>([&](auto j) __attribute__((always_inline)) { weight[j] = load(panel + j * w_pitch + k); });
            unroll<Rows>([&](auto r) __attribute__((always_inline)) {
                const f32x16 activation = load(x + r * x_pitch + k);
                unroll<outs>([&](auto j) __attribute__((always_inline)) { acc[r * outs + j] = fma(weight[j], activation, acc[r * outs + j]); });
            });
        }
        unroll<tile_sums>([&](auto i) __attribute__((always_inline)) { at[sum(i)] = acc[i]; });
    }
}

/// dot_tile for any number of rows, in tiles of `Most` and fewer.
template <u32_t Most = tile_sums / 2>
inline void dot_tiles(const float* w, u64_t w_pitch, const float* x, u64_t x_pitch, u32_t rows, u64_t steps, f32x16* sums) {
    u32_t r = 0;
    for (; r + Most <= rows; r += Most) dot_tile<Most>(w, w_pitch, x + r * x_pitch, x_pitch, steps, sums + r * 16);
    if constexpr (Most > 1)
        if (r < rows) dot_tiles<Most / 2>(w, w_pitch, x + r * x_pitch, x_pitch, rows - r, steps, sums + r * 16);
}

/// Several activation rows and 16 weight rows at most: the weights are decoded once, a panel at a time.
inline void dot_few_rows(const weight_format& f, const u8_t* w, u64_t in, u64_t count, const float* x, u64_t x_pitch, u32_t rows, float* y,
                         u64_t y_pitch) {
    const u64_t row_bytes = bytes_of(f, in);
    const auto row = [&](u64_t o) { return w + (o < count ? o : count - 1) * row_bytes; };
    f32x16 sums[max_rows * 16];
    for (u32_t i = 0; i < rows * 16; ++i) sums[i] = splat(0.0F);
    alignas(64) float panel[16 * panel_depth];
    const u64_t whole = in / 16 * 16;
    for (u64_t k = 0; k < whole; k += panel_depth) {
        const u64_t depth = whole - k < panel_depth ? whole - k : panel_depth;
        for (u64_t o = 0; o < 16; ++o) decode(f, row(o), k, depth, panel + o * panel_depth);
        dot_tiles(panel, panel_depth, x + k, x_pitch, rows, depth / 16, sums);
    }
    if (whole < in) {
        alignas(64) float rest[max_rows * 16];
        for (u64_t i = 0; i < 16 * 16; ++i) panel[i] = -0.0F;  // adds nothing to any sum when multiplied by +0
        for (u64_t o = 0; o < 16; ++o) decode(f, row(o), whole, in - whole, panel + 16 * o);
        for (u32_t r = 0; r < rows; ++r) store(rest + 16 * r, load_partial(x + r * x_pitch + whole, in - whole));
        dot_tiles(panel, 16, rest, 16, rows, 1, sums);
    }
    for (u32_t r = 0; r < rows; ++r) store_partial(y + r * y_pitch, count, totals(sums + 16 * r) + splat(0.0F));
}

/// y[r * y_pitch + o] = weight row o . x row r, o < count, r < rows; pitches are in floats. The bits are those of linear's reference
/// whatever the rows, the tile and the target. Reads exactly `count` weight rows of `in` elements from `w`, of any alignment.
inline void dot_rows(const weight_format& f, const u8_t* w, u64_t in, u64_t count, const float* x, u64_t x_pitch, u32_t rows, float* y,
                     u64_t y_pitch) {
    const u64_t row_bytes = bytes_of(f, in);
    const auto some = [&](u64_t o) { return count - o < 16 ? count - o : 16; };
    for (u64_t o = 0; rows != 1 && o < count; o += 16) dot_few_rows(f, w + o * row_bytes, in, some(o), x, x_pitch, rows, y + o, y_pitch);
    if (rows != 1) return;
    with_storage(f, [&](auto s) {
        constexpr storage S = decltype(s)::value;
        for (u64_t o = 0; o < count; o += 16) dot_one_row<S, in_blocks<S> ? 4 : 8>(w + o * row_bytes, in, some(o), x, y + o);
    });
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
