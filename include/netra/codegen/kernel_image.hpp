// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A finished kernel as backends load it: assembly text, entry point, target and launch shape.
#pragma once

#include <netra/contracts/target.hpp>

namespace netra::inline v0 {

/// One-dimensional: blocks of threads, and bytes of shared memory that the launch asks for.
struct kernel_launch {
    u32_t blocks = 1;
    u32_t threads = 32;
    u32_t shared_bytes = 0;
    bool resident = false;  ///< blocks wait for each other, so all must be on the GPU at once
    friend constexpr bool operator==(const kernel_launch&, const kernel_launch&) = default;
};

/// Owns nothing: `text` has `size` characters and a terminator, and outlives the image.
struct kernel_image {
    const char* text = "";
    usz size = 0;
    name entry{};
    target where{};
    kernel_launch launch{};
};

}  // namespace netra::inline v0
