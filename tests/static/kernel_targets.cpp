// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// A kernel for every PTX target, made while this file is compiled.
#include <netra/codegen/kernel.hpp>

namespace {

using namespace netra;

constexpr linear contract{.rows = 4, .out = 576, .in = 1536, .weight = bf16, .bias = true, .math = {.order = reduction_order::lanes256}};
template <target Where>
constexpr bool complete = sizeof(kernel<contract, Where>::assembly) > 4000;
static_assert(complete<sm_80> && complete<sm_89> && complete<sm_90a> && complete<sm_100a> && complete<sm_120a>);
static_assert(kernel<contract, sm_90a>::launch.blocks == 36);

}  // namespace
