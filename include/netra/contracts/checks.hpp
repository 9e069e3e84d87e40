// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The checks that contracts share.
#pragma once

#include <netra/contracts/quantization.hpp>
#include <netra/contracts/verdict.hpp>

namespace netra::inline v0 {

/// The most rows (tokens of one step) of any contract.
inline constexpr u32_t max_rows = 16;
/// The most elements of any one dimension: sizes in bytes then fit 64 bits with room to spare.
inline constexpr u64_t max_dimension = u64_t{1} << 28;

namespace detail {

/// Runs checks until one refuses: `checking{"linear"}.size("out", c.out).multiple(...).result`.
struct checking {
    name subject;
    verdict result{};

    constexpr checking& size(const char* what, u64_t value, u64_t limit = max_dimension) {
        if (!result.ok()) return *this;
        if (value == 0) result = refuse(reason::zero_size, subject, what);
        else if (value > limit) result = refuse(reason::too_large, subject, what).with(label::value, value).with(label::limit, limit);
        return *this;
    }
    constexpr checking& rows(u32_t value) {
        size("rows", value);
        if (result.ok() && value > max_rows)
            result = refuse(reason::too_many_rows, subject).with(label::rows, value).with(label::limit, max_rows);
        return *this;
    }
    constexpr checking& multiple(const char* what, u64_t value, u64_t of) {
        if (result.ok() && value % of != 0)
            result = refuse(reason::not_a_multiple, subject, what).with(label::value, value).with(label::multiple, of);
        return *this;
    }
    constexpr checking& equal(const char* what, u64_t actual, u64_t expected) {
        if (result.ok() && actual != expected)
            result = refuse(reason::shape_mismatch, subject, what).with(label::actual, actual).with(label::expected, expected);
        return *this;
    }
    constexpr checking& heads(u64_t heads, u64_t kv_heads) {
        size("heads", heads).size("kv_heads", kv_heads);
        if (result.ok() && heads % kv_heads != 0)
            result = refuse(reason::heads_not_divisible, subject).with(label::heads, heads).with(label::kv_heads, kv_heads);
        return *this;
    }
    /// @pre `good` is false for NaN: write it as a comparison that must hold.
    constexpr checking& parameter(const char* what, bool good) {
        if (result.ok() && !good) result = refuse(reason::bad_parameter, subject, what);
        return *this;
    }
    /// A weight of `in` elements a row: a known format, whole blocks in a row.
    constexpr checking& format(const char* what, const weight_format& f, u64_t in) {
        if (!result.ok()) return *this;
        const bool quantized = f.quant.scheme != quantization_scheme::none;
        if (quantized && !(f == q8_0 || f == q4_0 || f == q4_1)) {
            result = refuse(reason::unsupported_quantization, subject, what).with(label::value, f.quant.group);
        } else if (!quantized && f.element != f32 && f.element != f16 && f.element != bf16) {
            result = refuse(reason::unsupported_dtype, subject, what).with(label::bits, bits_of(f.element));
        }
        return multiple("in (elements of a weight row)", in, block_elements(f));
    }
    constexpr checking& nested(const verdict& v) {
        if (result.ok()) result = v;
        return *this;
    }
};

}  // namespace detail
}  // namespace netra::inline v0
