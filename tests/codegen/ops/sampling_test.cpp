// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the text does on a GPU is judged by tests/gpu/operations_test.cpp, what assemblers say of it by tests/codegen/emitted_kernels.py.
#include <netra/codegen/ops/sampling.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

TEST_CASE("one block keeps a key a warp in shared memory") {
    CHECK(kernel_of(sampling{.vocab = 49152}).launch() == kernel_launch{.blocks = 1, .threads = 1024, .shared_bytes = 256});
    const std::string text = test::module_text(kernel_of(sampling{.vocab = 49152}), sm_80).text();
    CHECK(text.find(".extern .shared") != std::string::npos);
    CHECK(text.find("bar.sync 0;") != std::string::npos);
}

TEST_CASE("a contract of no tokens is refused") { CHECK(check_kernel(sampling{.vocab = 0}).why == reason::zero_size); }
