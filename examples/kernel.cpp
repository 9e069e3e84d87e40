// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// One operation becomes PTX while this file is compiled; the program only prints what stands in its .rodata.
#include <netra/codegen/kernel.hpp>

#include <cstdio>

// The order of the sum is part of the contract: lanes256 is the one that warps are good at.
constexpr netra::linear q_proj{
    .rows = 1, .out = 4096, .in = 4096, .weight = netra::bf16, .math = {.order = netra::reduction_order::lanes256}};
using kernel = netra::kernel<q_proj, netra::sm_90a>;  // refuses here, with numbers, or not at all
static_assert(kernel::tactic.outs == 4 && kernel::launch.blocks == 128);

int main() { std::fputs(kernel::assembly.data(), stdout); }
