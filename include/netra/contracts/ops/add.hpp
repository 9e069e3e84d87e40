// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// h = h + delta: the residual connection.
#pragma once

#include <netra/contracts/checks.hpp>

namespace netra::inline v0 {

/// h, delta: [rows][width] fp32, h in place.
struct add {
    u32_t rows = 1;
    u32_t width = 0;
    friend constexpr bool operator==(const add&, const add&) = default;
};

constexpr verdict check(const add& c) { return detail::checking{"add"}.rows(c.rows).size("width", c.width).result; }
constexpr u64_t bytes(const add& c) { return 12ULL * c.rows * c.width; }
constexpr u64_t flops(const add& c) { return u64_t{c.rows} * c.width; }

inline void reference(const add& c, float* h, const float* delta) {
    for (u64_t i = 0; i < u64_t{c.rows} * c.width; ++i) h[i] += delta[i];
}

}  // namespace netra::inline v0
