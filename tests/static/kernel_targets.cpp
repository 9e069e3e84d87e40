// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// A kernel for every PTX target, made while this file is compiled.
#include <netra/codegen/kernel.hpp>

// note: at namespace scope of the file, because nvcc writes kernels that an unnamed namespace names in a way that its host compiler refuses
constexpr netra::linear contract{
    .rows = 4, .out = 576, .in = 1536, .weight = netra::bf16, .bias = true, .math = {.order = netra::reduction_order::lanes256}};
using ampere = netra::kernel<contract, netra::sm_80>;
using ada = netra::kernel<contract, netra::sm_89>;
using hopper = netra::kernel<contract, netra::sm_90a>;
using blackwell = netra::kernel<contract, netra::sm_100a>;
using desktop = netra::kernel<contract, netra::sm_120a>;
static_assert(sizeof(ampere::assembly) > 4000 && sizeof(ada::assembly) > 4000 && sizeof(hopper::assembly) > 4000);
static_assert(sizeof(blackwell::assembly) > 4000 && sizeof(desktop::assembly) > 4000);
static_assert(hopper::launch.blocks == 36);
