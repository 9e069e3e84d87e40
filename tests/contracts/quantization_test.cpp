// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/quantization.hpp>

using namespace netra;

// ggml's block sizes
static_assert(block_elements(q8_0) == 32 && block_bytes(q8_0) == 34);
static_assert(block_elements(q4_0) == 32 && block_bytes(q4_0) == 18);
static_assert(block_elements(q4_1) == 32 && block_bytes(q4_1) == 20);
static_assert(block_elements(bf16) == 1 && block_bytes(bf16) == 2 && bytes_of(f32, 7) == 28 && bytes_of(q4_1, 576) == 360);
static_assert(weight_format(bf16) == weight_format{bf16} && !(q4_0 == q4_1) && !(weight_format(f16) == weight_format(bf16)));
static_assert(name_of(q8_0)[1] == '8' && name_of(weight_format{f16})[1] == '1');
static_assert(bytes_of(q8_0, 0) == 0 && bytes_of(q8_0, 96) == 102 && bytes_of(q4_0, 64) == 36);
// two plain 4-bit elements share a byte
static_assert(block_elements(i4) == 2 && block_bytes(u4) == 1 && bytes_of(i4, 6) == 3 && bytes_of(u4, 32) == 16 && bytes_of(i8, 6) == 6);
static_assert(q4_0.quant.zero == 8 && q4_1.quant.zero == 0 && q4_1.quant.scheme == quantization_scheme::grouped_scale_min);
static_assert(weight_format{} == weight_format{f32} && !(weight_format{u4} == q4_0));
static_assert(name_of(q4_0)[3] == '0' && name_of(q4_1)[3] == '1' && name_of(weight_format{i8, {quantization_scheme::grouped_scale, 64, f32, 0}})[0] == 'g');
// 128 x fp8 with one fp32 scale: no kernel yet, but its size is defined
static_assert(block_bytes({f8e4m3, {quantization_scheme::grouped_scale, 128, f32, 0}}) == 132);
