// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/attention_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/add.hpp>

#include "support/attention_cases.hpp"
#include "support/catch.hpp"
#include "support/interpreted.hpp"

using namespace netra;

TEST_CASE("threads take four elements where rows allow it") {
    CHECK(kernel_of(add{.rows = 3, .width = 512}).launch() == kernel_launch{.blocks = 3, .threads = 128});
    CHECK(kernel_of(add{.rows = 3, .width = 511}).launch().blocks == 12);
    CHECK(test::module_text(kernel_of(add{.rows = 1, .width = 511}), sm_80).text().find(".v4") == std::string::npos);
}

TEST_CASE("an add of no elements is refused") { CHECK(check_kernel(add{.rows = 1, .width = 0}).why == reason::zero_size); }

TEST_CASE("add in the interpreter gives the bits of its reference") {
    test::interpreted on;
    test::check_add(on, on.dice(), 10);
}
