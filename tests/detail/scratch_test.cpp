// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/scratch.hpp>

#include "support/catch.hpp"

using namespace netra;
using detail::scratch;

namespace {

/// The n-th prime, by a sieve whose size follows from n.
constexpr usz prime(usz n) {
    scratch<bool> composite(20 * n + 10);
    usz found = 0;
    for (usz p = 2;; ++p) {
        if (composite[p]) continue;
        if (++found == n) return p;
        for (usz multiple = 2 * p; multiple < composite.size(); multiple += p) composite[multiple] = true;
    }
}
static_assert(prime(1) == 2 && prime(10) == 29 && prime(100) == 541);
static_assert(scratch<int>(0).size() == 0 && scratch<int>(3)[2] == 0);

}  // namespace

TEST_CASE("elements start as zero") {
    for (const usz n : {usz{1}, usz{2}, usz{1000}}) {
        scratch<u64_t> s(n);
        REQUIRE(s.size() == n);
        for (usz i = 0; i < n; ++i) CHECK(s[i] == 0);
        s[n - 1] = 7;
        const auto& constant = s;
        CHECK(constant[n - 1] == 7);
    }
}

TEST_CASE("a list grows, and can be emptied") {
    detail::growing<int> list;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 100; ++i) list.push_back(i * i);
        REQUIRE(list.size() == 100);
        for (usz i = 0; i < 100; ++i) CHECK(list[i] == static_cast<int>(i * i));
        list.clear();
        CHECK(list.size() == 0);
    }
}
