// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/operations_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/linear.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

std::string text_of_kernel(const linear& c) { return test::module_text(kernel_of(c), sm_90a).text(); }
constexpr linear contract(u32_t rows, u32_t out, u32_t in, const weight_format& weight, bool bias = false) {
    return {.rows = rows, .out = out, .in = in, .weight = weight, .bias = bias, .math = {.order = reduction_order::lanes256}};
}

}  // namespace

TEST_CASE("blocks cover all outputs") {
    for (const u32_t out : {1U, 31U, 32U, 33U, 4096U}) {
        const linear_kernel k = kernel_of(contract(1, out, 256, bf16));
        CHECK(k.launch().blocks * k.launch().threads / 32 * k.tactic.outs >= out);
        CHECK((k.launch().blocks - 1) * k.launch().threads / 32 * k.tactic.outs < out);
    }
}

TEST_CASE("every product of a step is one fused multiply-add") {
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 256, bf16)), "fma.rn.f32") == 4 * 8);       // 4 outputs, one step
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 1024, bf16)), "fma.rn.f32") == 2 * 4 * 8);  // a loop of two steps
    CHECK(test::occurrences(text_of_kernel(contract(16, 64, 256, bf16)), "fma.rn.f32") == 16 * 8);     // 1 output, 16 rows
}

TEST_CASE("weights are read 16 bytes at a time where rows are aligned, never beyond a row elsewhere") {
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 256, bf16)), "ld.global.nc.L1::no_allocate.v4") == 4);
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 260, bf16)), "ld.global.nc.L1::no_allocate.v4") == 0);
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 256, f32)), "ld.global.nc.L1::no_allocate.v4") == 8);
}

TEST_CASE("a bias is read only where the contract has one") {
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 256, f16)), "[bias]") == 0);
    CHECK(test::occurrences(text_of_kernel(contract(1, 64, 256, f16, true)), "[bias]") == 1);
}
