// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cuda/driver.hpp>

#include "support/catch.hpp"
#include "support/skip.hpp"

#include <cstdio>

using namespace netra;

TEST_CASE("a machine without a driver is told so, each time it asks") {
    try {
        cuda::driver::get();
    } catch (const backend_error&) {
        // no library, a library that lacks a function, or one that finds no GPU
        CHECK_THROWS_WITH(cuda::driver::get(), test::containing("CUDA is not available: the driver's library libcuda.so.1") ||
                                                   test::containing("CUDA is not available: the driver has no function") ||
                                                   test::containing("CUDA is not available: cuInit failed"));
        return;
    }
    std::printf("skipped: this machine has a CUDA driver\n");
    test::skipped = true;
}
