// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/operations_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/embedding.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

TEST_CASE("there is a warp for every 256 elements of every row") {
    CHECK(kernel_of(embedding{.rows = 1, .vocab = 10, .width = 256, .weight = bf16}).launch().blocks == 1);
    CHECK(kernel_of(embedding{.rows = 16, .vocab = 10, .width = 257, .weight = bf16}).launch().blocks == 8);
}

TEST_CASE("elements beyond a row are neither read nor written") {
    const auto ends = [](u32_t width) {
        return test::occurrences(test::module_text(kernel_of(embedding{.rows = 1, .vocab = 10, .width = width, .weight = f32}), sm_80).text(), "ret;");
    };
    CHECK(ends(256) == 3);      // the warp, the lane, the end
    CHECK(ends(255) == 3 + 7);  // and each element but the lane's first
}

TEST_CASE("a quantized table is refused") {
    CHECK(check_kernel(embedding{.rows = 1, .vocab = 10, .width = 64, .weight = q8_0}).why == reason::no_kernel);
}
