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
// 128 x fp8 with one fp32 scale: no kernel yet, but its size is defined
static_assert(block_bytes({f8e4m3, {quantization_scheme::grouped_scale, 128, f32, 0}}) == 132);
