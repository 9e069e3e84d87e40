// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Rotary position embedding: pairs of a head's elements turn by position x frequency; full or partial, plain or scaled.
#pragma once

#include <netra/contracts/checks.hpp>

namespace netra::inline v0 {

/// none: frequency i is theta^(-2 i / dims).  linear: positions divided by `factor`.  llama3: low frequencies divided by `factor`, high ones
/// kept, those between blended by wavelength.  table: frequency i divided by element i of a weight of dims / 2 factors.
enum class rope_scaling : u8_t { none, linear, llama3, table };

/// halves: element i pairs with i + dims / 2.  adjacent: element 2 i pairs with 2 i + 1.
enum class rope_pairing : u8_t { halves, adjacent };

/// `dims` = 0 rotates the whole head, otherwise only its first `dims` elements.
struct rope_frequencies {
    float theta = 10000.0F;
    u32_t dims = 0;
    rope_scaling scaling = rope_scaling::none;
    float factor = 1.0F;
    float low_frequency_factor = 1.0F;
    float high_frequency_factor = 4.0F;
    u32_t original_context = 8192;
    rope_pairing pairing = rope_pairing::halves;
    friend constexpr bool operator==(const rope_frequencies&, const rope_frequencies&) = default;
};

/// The table of a step: cos and sin of every pair for each row, [rows][2][dims / 2] fp32.
struct rope_table {
    u32_t rows = 1;
    u32_t head_dim = 0;
    rope_frequencies frequencies{};
    friend constexpr bool operator==(const rope_table&, const rope_table&) = default;
};

constexpr u32_t rotary_dims(const rope_table& c) { return c.frequencies.dims == 0 ? c.head_dim : c.frequencies.dims; }

constexpr verdict check(const rope_table& c) {
    const auto& f = c.frequencies;
    return detail::checking{"rope"}
        .rows(c.rows)
        .size("head_dim", c.head_dim)
        .size("dims", rotary_dims(c), c.head_dim)
        .multiple("dims", rotary_dims(c), 2)
        .parameter("theta", f.theta >= 1.0F && f.theta <= 1e12F)
        .parameter("factor", f.factor >= 1.0F && f.factor <= 1e6F)
        .parameter("low and high frequency factor", f.scaling != rope_scaling::llama3 || (f.low_frequency_factor > 0.0F && f.high_frequency_factor > f.low_frequency_factor))
        .parameter("original_context", f.scaling != rope_scaling::llama3 || f.original_context > 0)
        .result;
}

constexpr u64_t bytes(const rope_table& c) { return 4ULL * c.rows * rotary_dims(c); }
constexpr u64_t flops(const rope_table& c) { return 40ULL * c.rows * rotary_dims(c); }

/// The angle per position of pair `i`, in fp64. `factors`: dims / 2 values for rope_scaling::table, otherwise unused.
inline double rope_frequency(const rope_table& c, u32_t i, const float* factors) {
    const auto& f = c.frequencies;
    const double plain = __builtin_pow(static_cast<double>(f.theta), -2.0 * i / rotary_dims(c));
    switch (f.scaling) {
        case rope_scaling::none: return plain;
        case rope_scaling::linear: return plain / static_cast<double>(f.factor);
        case rope_scaling::table: return plain / static_cast<double>(factors[i]);
        case rope_scaling::llama3: break;
    }
    const double turns = f.original_context * plain / 6.283185307179586;  // full turns within the original context
    const double low = static_cast<double>(f.low_frequency_factor);
    const double high = static_cast<double>(f.high_frequency_factor);
    const double scaled = plain / static_cast<double>(f.factor);
    if (turns < low) return scaled;
    if (turns > high) return plain;
    const double blend = (turns - low) / (high - low);
    return (1.0 - blend) * scaled + blend * plain;
}

/// Writes row `row` of the table for `position`: dims / 2 cosines, then dims / 2 sines, computed in fp64 and rounded once.
inline void reference(const rope_table& c, u64_t position, const float* factors, float* row) {
    const u32_t pairs = rotary_dims(c) / 2;
    for (u32_t i = 0; i < pairs; ++i) {
        const double angle = static_cast<double>(position) * rope_frequency(c, i, factors);
        row[i] = static_cast<float>(__builtin_cos(angle));
        row[pairs + i] = static_cast<float>(__builtin_sin(angle));
    }
}

/// Turns one head of head_dim elements in place by one row of the table.
inline void rotate(const rope_table& c, const float* row, float* head) {
    const u32_t pairs = rotary_dims(c) / 2;
    const bool halves = c.frequencies.pairing == rope_pairing::halves;
    for (u32_t i = 0; i < pairs; ++i) {
        float& a = head[halves ? i : 2 * i];
        float& b = head[halves ? i + pairs : 2 * i + 1];
        const float x = a;
        const float y = b;
        a = x * row[i] - y * row[pairs + i];
        b = y * row[i] + x * row[pairs + i];
    }
}

}  // namespace netra::inline v0
