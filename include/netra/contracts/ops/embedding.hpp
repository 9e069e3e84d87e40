// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y[rows][width] = table[token[rows]][width].
#pragma once

#include <netra/contracts/checks.hpp>
#include <netra/contracts/weights.hpp>

namespace netra::inline v0 {

/// tokens are i32 in [0, vocab), y is fp32; the table is stored row-major in `weight`'s format.
struct embedding {
    u32_t rows = 1;
    u32_t vocab = 0;
    u32_t width = 0;
    weight_format weight{};
    friend constexpr bool operator==(const embedding&, const embedding&) = default;
};

constexpr verdict check(const embedding& c) {
    return detail::checking{"embedding"}.rows(c.rows).size("vocab", c.vocab).size("width", c.width).format("weight", c.weight, c.width).result;
}

constexpr u64_t bytes(const embedding& c) { return c.rows * (4 + bytes_of(c.weight, c.width) + 4ULL * c.width); }
constexpr u64_t flops(const embedding&) { return 0; }

/// @pre every token is in [0, vocab)
inline void reference(const embedding& c, const i32_t* tokens, const u8_t* table, float* y) {
    const u64_t row_bytes = bytes_of(c.weight, c.width);
    for (u64_t r = 0; r < c.rows; ++r)
        for (u64_t k = 0; k < c.width; ++k) y[r * c.width + k] = weight_at(c.weight, table + static_cast<u64_t>(tokens[r]) * row_bytes, k);
}

}  // namespace netra::inline v0
