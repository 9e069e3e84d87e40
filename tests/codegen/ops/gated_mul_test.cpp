// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/operations_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/gated_mul.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

TEST_CASE("threads cover every element of every row") {
    CHECK(kernel_of(gated_mul{.rows = 3, .width = 128}).launch() == kernel_launch{.blocks = 3, .threads = 128});
    CHECK(kernel_of(gated_mul{.rows = 3, .width = 129}).launch().blocks == 6);
}

TEST_CASE("every activation has its own text") {
    const auto text = [](activation a) { return test::module_text(kernel_of(gated_mul{.rows = 1, .width = 64, .act = a}), sm_80).text(); };
    CHECK(text(activation::silu).find("copysign") == std::string::npos);
    CHECK(text(activation::gelu).find("copysign") != std::string::npos);
    CHECK(text(activation::gelu_tanh) != text(activation::silu));
}

TEST_CASE("a contract of no elements is refused") { CHECK(check_kernel(gated_mul{.rows = 1, .width = 0}).why == reason::zero_size); }
