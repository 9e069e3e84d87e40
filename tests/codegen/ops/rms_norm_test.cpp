// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/operations_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/rms_norm.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {
constexpr rms_norm contract(u32_t rows, u32_t width, u32_t groups = 1) {
    return {.rows = rows, .width = width, .groups = groups, .math = {.order = reduction_order::lanes256}};
}
}  // namespace

TEST_CASE("there is a warp for every slice") {
    CHECK(kernel_of(contract(1, 64)).launch() == kernel_launch{.blocks = 1, .threads = 128});
    CHECK(kernel_of(contract(16, 64, 9)).launch().blocks == 36);
}

TEST_CASE("a slice of whole steps has no rest, one shorter than a step no loop") {
    CHECK(test::module_text(kernel_of(contract(1, 512)), sm_80).text().find("setp.ge.u32 %p1, %r6") == std::string::npos);
    CHECK(test::module_text(kernel_of(contract(1, 255)), sm_80).text().find("sub.u32") == std::string::npos);
    CHECK(test::module_text(kernel_of(contract(1, 512)), sm_80).text().find("sub.u32") != std::string::npos);
}

TEST_CASE("an order that the kernel does not have is refused") {
    CHECK(check_kernel(contract(1, 64)).ok());
    CHECK(check_kernel(rms_norm{.rows = 1, .width = 64}).why == reason::unsupported_order);
    CHECK(check_kernel(contract(17, 64)).why == reason::too_many_rows);
}
