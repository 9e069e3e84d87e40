// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/dtype.hpp>

using namespace netra;

static_assert(bits_of(f32) == 32 && bits_of(i32) == 32 && bits_of(f16) == 16 && bits_of(bf16) == 16);
static_assert(bits_of(f8e4m3) == 8 && bits_of(f8e5m2) == 8 && bits_of(i8) == 8 && bits_of(i4) == 4 && bits_of(u4) == 4);

namespace {
constexpr bool same(const char* a, const char* b) {
    while (*a != 0 && *a == *b) ++a, ++b;
    return *a == *b;
}
}  // namespace
static_assert(same(name_of(f16), "f16") && same(name_of(f8e4m3), "f8e4m3") && same(name_of(i32), "i32") && same(name_of(i8), "i8") && same(name_of(i4), "i4"));
static_assert(same(name_of(f32), "f32") && same(name_of(bf16), "bf16") && same(name_of(f8e5m2), "f8e5m2") && same(name_of(u4), "u4"));
