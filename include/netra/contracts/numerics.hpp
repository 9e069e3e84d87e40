// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How sums are formed: accumulator type, reduction order and the tolerance against an fp64 reference.
#pragma once

#include <netra/contracts/dtype.hpp>

namespace netra::inline v0 {

/// lanes16: term k is added by fused multiply-add to partial sum k mod 16, in ascending k; then partial sums i and i + 8 are added,
/// then i and i + 4, i and i + 2, i and i + 1. lanes256 is the same with 256 partial sums: 8 terms for each lane of a warp.
/// The order depends on neither rows, tiles nor workers, so neither do the bits.
enum class reduction_order : u8_t { lanes16, lanes256 };

inline constexpr u32_t reduction_lanes = 16;

struct numerics {
    dtype accumulate = dtype::f32;
    reduction_order order = reduction_order::lanes16;
    float tolerance = 1e-5F;  ///< relative L2 distance to an fp64 reference on the same weights
    friend constexpr bool operator==(const numerics&, const numerics&) = default;
};

/// The partial sums of an order.
template <u32_t Lanes>
struct partial_sums {
    float lane[Lanes]{};

    void add_product(u64_t k, float a, float b) { lane[k % Lanes] = __builtin_fmaf(a, b, lane[k % Lanes]); }
    void add(u64_t k, float a) { lane[k % Lanes] += a; }
    float total() const {
        partial_sums s = *this;
        for (u32_t half = Lanes / 2; half != 0; half /= 2)
            for (u32_t i = 0; i < half; ++i) s.lane[i] += s.lane[i + half];
        return s.lane[0];
    }
};
using lane_sums = partial_sums<reduction_lanes>;

}  // namespace netra::inline v0
