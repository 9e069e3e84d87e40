// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Kernels on rows of fp32: normalise, add, gate, and the embedding's decoding. An element's bits depend on nothing but its operands.
#pragma once

#include <netra/backends/cpu/formats.hpp>
#include <netra/contracts/ops/embedding.hpp>
#include <netra/contracts/ops/gated_mul.hpp>
#include <netra/contracts/ops/rms_norm.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

/// Calls `f(k, n)` for pieces of 16 elements from k on; the last one may have n < 16.
template <class F>
[[gnu::always_inline]] inline void for_each_16(u64_t count, F f) {
    u64_t k = 0;
    for (; k + 16 <= count; k += 16) f(k, u64_t{16});
    if (k < count) f(k, count - k);
}
[[gnu::always_inline]] inline f32x16 load_some(const float* p, u64_t n) { return n == 16 ? load(p) : load_partial(p, n); }

/// The sum of the lanes, as lane_sums::total.
inline float total(f32x16 v) {
    alignas(64) lane_sums s;
    store(s.lane, v);
    return s.total();
}

/// One slice of rms_norm's reference, bit for bit; x and y may be the same.
inline void rms_norm_row(const rms_norm& c, const float* x, const float* w, float* y) {
    f32x16 squares = splat(0.0F);
    for_each_16(c.width, [&](u64_t k, u64_t n) {
        const f32x16 v = load_some(x + k, n);
        squares = fma(v, v, squares);
    });
    const f32x16 scale = splat(1.0F / __builtin_sqrtf(total(squares) / static_cast<float>(c.width) + c.eps));
    for_each_16(c.width, [&](u64_t k, u64_t n) {
        const f32x16 weight = load_some(w + k, n);
        store_partial(y + k, n, load_some(x + k, n) * scale * (c.plus_one ? splat(1.0F) + weight : weight));
    });
}
inline void rms_norm_rows(const rms_norm& c, u32_t rows, const float* x, u64_t x_pitch, const float* w, float* y, u64_t y_pitch) {
    for (u32_t r = 0; r < rows; ++r)
        for (u32_t g = 0; g < c.groups; ++g) rms_norm_row(c, x + r * x_pitch + g * c.width, w, y + r * y_pitch + g * c.width);
}

/// y += x
inline void add_row(const float* x, u64_t count, float* y) {
    for_each_16(count, [&](u64_t k, u64_t n) { store_partial(y + k, n, load_some(y + k, n) + load_some(x + k, n)); });
}

[[gnu::always_inline]] inline f32x16 activate(activation a, f32x16 x) {
    const f32x16 one = splat(1.0F);
    switch (a) {
        case activation::silu: return x / (one + exp(splat(0.0F) - x));
        case activation::gelu: {
            alignas(64) float lanes[16];
            store(lanes, x);
            for (float& v : lanes) v = netra::activate(a, v);
            return load(lanes);
        }
        case activation::gelu_tanh: break;
    }
    const f32x16 inner = splat(0.79788456F) * fma(splat(0.044715F) * x * x, x, x);
    // note: tanh(t) = 1 - 2 / (e^2t + 1), and (1 + tanh(t)) / 2 = 1 - 1 / (e^2t + 1) = 1 / (1 + e^-2t) loses nothing to cancellation
    return x / (one + exp(splat(-2.0F) * inner));
}

/// y = activation(gate) * up
inline void gate_row(activation a, const float* gate, const float* up, u64_t count, float* y) {
    for_each_16(count, [&](u64_t k, u64_t n) { store_partial(y + k, n, activate(a, load_some(gate + k, n)) * load_some(up + k, n)); });
}

/// One row of the embedding's table as fp32.
inline void embed_row(const netra::embedding& c, const u8_t* row, float* y) {
    decode(c.weight, row, 0, c.width, y);
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
