// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Weights of plain formats on their way into fp32 registers.
#pragma once

#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/quantization.hpp>
#include <netra/contracts/verdict.hpp>

namespace netra::inline v0::ptx {

/// Eight elements as they are stored: 32-bit words, 4 of a 16-bit format, 8 of fp32.
using raw_terms = fragment<terms_of_lane>;

constexpr u32_t element_bytes(const weight_format& f) { return bits_of(f.element) / 8; }
constexpr u32_t words_of_terms(const weight_format& f) { return terms_of_lane * element_bytes(f) / 4; }

/// Asks for eight elements from `from` + offset. @pre f is f32, f16 or bf16; `aligned`: the address is a multiple of 16 bytes
template <class Sink>
constexpr raw_terms load_raw(assembler<Sink>& as, const weight_format& f, reg from, u64_t offset, bool aligned) {
    raw_terms raw;
    for (u32_t i = 0; i < words_of_terms(f); ++i) raw[i] = as.b32();
    for (u32_t i = 0; i < words_of_terms(f); ++i) {
        if (aligned) {
            if (i % 4 == 0) as(op::ld_weights_v4_b32, fragment<4>{{raw[i], raw[i + 1], raw[i + 2], raw[i + 3]}}, at(from, offset + 4 * i));
        } else if (element_bytes(f) == 4) {
            as(op::ld_global_nc_b32, raw[i], at(from, offset + 4 * i));
        } else {
            const auto halves = as.template fragment_of<2>(register_class::b16);
            for (u32_t h = 0; h < 2; ++h) as(op::ld_global_nc_b16, halves[h], at(from, offset + 4 * i + 2 * h));
            as(op::mov_b32, raw[i], halves);
        }
    }
    return raw;
}

/// The values of eight stored elements, or of fewer.
template <class Sink>
constexpr lane_terms decode(assembler<Sink>& as, const weight_format& f, const raw_terms& raw, u32_t terms = terms_of_lane) {
    const auto out = as.template fragment_of<terms_of_lane>(register_class::f32);
    for (u32_t j = 0; j < terms; ++j) {
        if (f.element == dtype::f32) {
            as(op::mov_b32, out[j], raw[j]);
        } else if (f.element == dtype::bf16) {
            if (j % 2 == 0) as(op::shl_b32, out[j], raw[j / 2], 16U);
            else as(op::and_b32, out[j], raw[j / 2], 0xffff0000U);
        } else if (j % 2 == 0) {
            const auto halves = as.template fragment_of<2>(register_class::b16);
            as(op::mov_b32, halves, raw[j / 2]);
            for (u32_t h = 0; h < 2; ++h) as(op::cvt_f32_f16, out[j + h], halves[h]);
        }
    }
    return out;
}

/// One element's value.
template <class Sink>
constexpr reg load_element(assembler<Sink>& as, const weight_format& f, reg from, u64_t offset) {
    const reg out = as.f32();
    if (f.element == dtype::f32) {
        as(op::ld_global_nc_f32, out, at(from, offset));
        return out;
    }
    const reg half = as.b16();
    as(op::ld_global_nc_b16, half, at(from, offset));
    if (f.element == dtype::f16) {
        as(op::cvt_f32_f16, out, half);
    } else {
        const reg zero = as.b16();
        as(op::mov_b16, zero, 0U);
        as(op::mov_b32, out, fragment<2>{{zero, half}});
    }
    return out;
}

/// Refuses what the functions above cannot read.
constexpr verdict check_plain(const char* operation, const weight_format& f) {
    return f.quant.scheme == quantization_scheme::none ? verdict{} : refuse(reason::no_kernel, operation, "quantized weights");
}

}  // namespace netra::inline v0::ptx
