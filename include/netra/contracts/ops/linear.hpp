// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y[rows][out] = x[rows][in] . w[out][in] (+ bias[out]): the batch-1 GEMV and its few-row relatives.
#pragma once

#include <netra/contracts/checks.hpp>
#include <netra/contracts/numerics.hpp>
#include <netra/contracts/weights.hpp>

namespace netra::inline v0 {

/// x and y are fp32; the weight is stored row-major in `weight`'s format, the bias in fp32.
struct linear {
    u32_t rows = 1;
    u32_t out = 0;
    u32_t in = 0;
    weight_format weight{};
    bool bias = false;
    numerics math{};
    friend constexpr bool operator==(const linear&, const linear&) = default;
};

constexpr verdict check(const linear& c) {
    return detail::checking{"linear"}.rows(c.rows).size("out", c.out).size("in", c.in).format("weight", c.weight, c.in).result;
}

/// Bytes of one row of the weight.
constexpr u64_t weight_row_bytes(const linear& c) { return bytes_of(c.weight, c.in); }
/// Bytes that must move at least: weight and bias once, x and y once.
constexpr u64_t bytes(const linear& c) {
    return c.out * weight_row_bytes(c) + (c.bias ? 4ULL * c.out : 0) + 4ULL * c.rows * (u64_t{c.in} + c.out);
}
constexpr u64_t flops(const linear& c) { return 2ULL * c.rows * c.out * c.in; }

namespace detail {
template <class Sums>
float row_product(const linear& c, const float* x, const u8_t* w) {
    Sums s;
    for (u64_t k = 0; k < c.in; ++k) s.add_product(k, weight_at(c.weight, w, k), x[k]);
    return s.total();
}
}  // namespace detail

/// The promise, one element at a time. x: [rows][in], w: out rows of weight_row_bytes, bias: [out] or null, y: [rows][out].
inline void reference(const linear& c, const float* x, const u8_t* w, const float* bias, float* y) {
    for (u64_t r = 0; r < c.rows; ++r)
        for (u64_t o = 0; o < c.out; ++o) {
            const float* row = x + r * c.in;
            const u8_t* weights = w + o * weight_row_bytes(c);
            const bool wide = c.math.order == reduction_order::lanes256;
            const float product = wide ? detail::row_product<partial_sums<256>>(c, row, weights) : detail::row_product<lane_sums>(c, row, weights);
            y[r * c.out + o] = product + (c.bias ? bias[o] : 0.0F);
        }
}

}  // namespace netra::inline v0
