// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// FNV-1a with 64 bits: a short hash for tables, not proof against people who look for collisions.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0 {

class fnv1a {
public:
    /// @pre `Byte` has the size of a byte
    template <class Byte>
    constexpr void add(const Byte* data, usz n) {
        static_assert(sizeof(Byte) == 1);
        for (usz i = 0; i < n; ++i) value_ = (value_ ^ static_cast<u8_t>(data[i])) * 0x100000001b3ULL;
    }
    constexpr u64_t value() const { return value_; }

private:
    u64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace netra::inline v0
