// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How the elements of a weight are stored: plain, or in groups along the input dimension that share a scale (and a minimum).
#pragma once

#include <netra/contracts/dtype.hpp>

namespace netra::inline v0 {

/// none: w = q.  grouped_scale: w = scale * (q - zero).  grouped_scale_min: w = scale * q + min.
enum class quantization_scheme : u8_t { none, grouped_scale, grouped_scale_min };

/// `zero` is a constant of the format; scale and min have type `scale` and stand, interleaved, in front of each group's elements.
struct quantization {
    quantization_scheme scheme = quantization_scheme::none;
    u32_t group = 1;
    dtype scale = dtype::f32;
    i32_t zero = 0;
    friend constexpr bool operator==(const quantization&, const quantization&) = default;
};

/// Element type and quantization of a weight. 4-bit groups hold elements 0..group/2-1 in the low halves of their bytes, the others
/// in the high halves.
struct weight_format {
    dtype element = dtype::f32;
    quantization quant{};

    constexpr weight_format() = default;
    constexpr weight_format(dtype e) : element(e) {}  // NOLINT: `.weight = netra::bf16` is the common case
    constexpr weight_format(dtype e, quantization q) : element(e), quant(q) {}
    friend constexpr bool operator==(const weight_format&, const weight_format&) = default;
};

/// The block formats that GGUF files carry (ggml's types 8, 2 and 3).
inline constexpr weight_format q8_0{i8, {quantization_scheme::grouped_scale, 32, f16, 0}};
inline constexpr weight_format q4_0{u4, {quantization_scheme::grouped_scale, 32, f16, 8}};
inline constexpr weight_format q4_1{u4, {quantization_scheme::grouped_scale_min, 32, f16, 0}};

/// Elements that are stored together; a row must be a multiple of it.
constexpr u32_t block_elements(const weight_format& f) {
    if (f.quant.scheme != quantization_scheme::none) return f.quant.group;
    return bits_of(f.element) < 8 ? 8 / bits_of(f.element) : 1;
}

/// Bytes of one block.
constexpr u64_t block_bytes(const weight_format& f) {
    const u64_t elements = block_elements(f) * bits_of(f.element) / 8;
    const u64_t scale = bits_of(f.quant.scale) / 8;
    switch (f.quant.scheme) {
        case quantization_scheme::none: return elements;
        case quantization_scheme::grouped_scale: return elements + scale;
        case quantization_scheme::grouped_scale_min: return elements + 2 * scale;
    }
    return 0;
}

/// Bytes of `elements` consecutive elements. @pre a multiple of block_elements(f)
constexpr u64_t bytes_of(const weight_format& f, u64_t elements) { return elements / block_elements(f) * block_bytes(f); }

constexpr const char* name_of(const weight_format& f) {
    if (f.quant.scheme == quantization_scheme::none) return name_of(f.element);
    if (f == q8_0) return "q8_0";
    if (f == q4_0) return "q4_0";
    if (f == q4_1) return "q4_1";
    return "grouped";
}

}  // namespace netra::inline v0
