// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Element types.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0 {

enum class dtype : u8_t { f32, f16, bf16, f8e4m3, f8e5m2, i32, i8, i4, u4 };

inline constexpr dtype f32 = dtype::f32;
inline constexpr dtype f16 = dtype::f16;
inline constexpr dtype bf16 = dtype::bf16;
inline constexpr dtype f8e4m3 = dtype::f8e4m3;
inline constexpr dtype f8e5m2 = dtype::f8e5m2;
inline constexpr dtype i32 = dtype::i32;
inline constexpr dtype i8 = dtype::i8;
inline constexpr dtype i4 = dtype::i4;
inline constexpr dtype u4 = dtype::u4;

/// Bits of one element.
constexpr u32_t bits_of(dtype t) {
    switch (t) {
        case dtype::f32:
        case dtype::i32: return 32;
        case dtype::f16:
        case dtype::bf16: return 16;
        case dtype::f8e4m3:
        case dtype::f8e5m2:
        case dtype::i8: return 8;
        case dtype::i4:
        case dtype::u4: return 4;
    }
    return 0;
}

constexpr const char* name_of(dtype t) {
    constexpr const char* names[] = {"f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i32", "i8", "i4", "u4"};
    return names[static_cast<int>(t)];
}

}  // namespace netra::inline v0
