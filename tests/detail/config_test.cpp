// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/config.hpp>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

using namespace netra;

static_assert(CHAR_BIT == 8);
static_assert(sizeof(i8_t) == 1 && sizeof(i32_t) == 4 && sizeof(i64_t) == 8 && sizeof(u8_t) == 1);
static_assert(std::is_signed_v<i8_t> && std::is_signed_v<i32_t> && std::is_signed_v<i64_t>);
static_assert(std::is_unsigned_v<u8_t> && std::is_unsigned_v<u16_t> && std::is_unsigned_v<u32_t> && std::is_unsigned_v<u64_t>);
static_assert(std::is_same_v<usz, std::size_t>);
static_assert(detail::piece_length > 0 && detail::piece_length <= 400);
static_assert(NETRA_VERSION_MAJOR >= 0 && NETRA_VERSION_MINOR >= 0 && NETRA_VERSION_PATCH >= 0);
static_assert(std::is_same_v<netra::u64_t, netra::v0::u64_t>);  // v0 is an inline namespace: users do not name it

}  // namespace
