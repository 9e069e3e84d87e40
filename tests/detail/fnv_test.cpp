// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Vectors of the FNV reference code, and the empty string.
#include <netra/detail/fnv.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {

template <usz M>
constexpr u64_t hash_of(const char (&s)[M]) {
    fnv1a hash;
    hash.add(s, M - 1);
    return hash.value();
}
static_assert(hash_of("") == 0xcbf29ce484222325ULL);
static_assert(hash_of("a") == 0xaf63dc4c8601ec8cULL);
static_assert(hash_of("foobar") == 0x85944171f73967e8ULL);

}  // namespace

TEST_CASE("pieces hash like the whole, bytes above 127 as unsigned") {
    fnv1a pieces;
    pieces.add("foo", 3);
    pieces.add("", 0);
    pieces.add("bar", 3);
    CHECK(pieces.value() == 0x85944171f73967e8ULL);

    const u8_t high[] = {0xff};
    const char same[] = {'\xff'};
    fnv1a a;
    a.add(high, 1);
    fnv1a b;
    b.add(same, 1);
    CHECK(a.value() == b.value());
    CHECK(a.value() == (0xcbf29ce484222325ULL ^ 0xff) * 0x100000001b3ULL);
}
