// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The GPU of tests, where the machine has one.
#pragma once

#include <netra/backends/cuda.hpp>

#include "support/skip.hpp"

#include <cstdio>
#include <memory>

namespace netra::test {

/// GPU 0, or null with the reason printed; the program then counts as skipped.
inline std::unique_ptr<cuda::gpu> open_gpu() {
    try {
        return std::make_unique<cuda::gpu>();
    } catch (const backend_error& e) {
        std::printf("skipped: %s\n", e.what());
        skipped = true;
        return nullptr;
    }
}

}  // namespace netra::test
