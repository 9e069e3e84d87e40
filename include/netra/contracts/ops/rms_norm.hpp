// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y = x / sqrt(mean(x^2) + eps) * w over the last dimension; with `plus_one`, times (1 + w).
#pragma once

#include <netra/contracts/checks.hpp>
#include <netra/contracts/numerics.hpp>

namespace netra::inline v0 {

/// x, w and y are fp32. `groups` > 1 normalises that many slices of `width` in every row with the same w (per-head q/k norm).
struct rms_norm {
    u32_t rows = 1;
    u32_t width = 0;
    float eps = 1e-5F;
    bool plus_one = false;
    u32_t groups = 1;
    numerics math{};
    friend constexpr bool operator==(const rms_norm&, const rms_norm&) = default;
};

constexpr verdict check(const rms_norm& c) {
    return detail::checking{"rms_norm"}
        .rows(c.rows)
        .size("width", c.width)
        .size("groups", c.groups)
        .parameter("eps", c.eps >= 0.0F && c.eps < 1.0F)
        .result;
}

constexpr u64_t bytes(const rms_norm& c) { return 4ULL * c.width + 8ULL * c.rows * c.groups * c.width; }
constexpr u64_t flops(const rms_norm& c) { return 4ULL * c.rows * c.groups * c.width; }

namespace detail {
template <class Sums>
float sum_of_squares(const rms_norm& c, const float* x) {
    Sums s;
    for (u64_t k = 0; k < c.width; ++k) s.add_product(k, x[k], x[k]);
    return s.total();
}
}  // namespace detail

/// The factor of one slice: 1 / sqrt(mean of squares + eps).
inline float rms_scale(const rms_norm& c, const float* x) {
    const bool wide = c.math.order == reduction_order::lanes256;
    const float sum = wide ? detail::sum_of_squares<partial_sums<256>>(c, x) : detail::sum_of_squares<lane_sums>(c, x);
    return 1.0F / __builtin_sqrtf(sum / static_cast<float>(c.width) + c.eps);
}

/// x, y: [rows][groups][width], w: [width]; x and y may be the same.
inline void reference(const rms_norm& c, const float* x, const float* w, float* y) {
    for (u64_t slice = 0; slice < u64_t{c.rows} * c.groups; ++slice) {
        const float* from = x + slice * c.width;
        float* to = y + slice * c.width;
        const float scale = rms_scale(c, from);
        for (u64_t k = 0; k < c.width; ++k) to[k] = from[k] * scale * (c.plus_one ? 1.0F + w[k] : w[k]);
    }
}

}  // namespace netra::inline v0
