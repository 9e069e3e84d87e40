// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/scratch.hpp>

#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace netra;
using detail::bit_matrix;
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

TEST_CASE("a bit matrix keeps each bit where it was set") {
    const u32_t seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (const usz n : {usz{1}, usz{63}, usz{64}, usz{65}, usz{200}}) {
        bit_matrix matrix(n);
        bit_matrix other(n);
        std::vector<std::vector<bool>> expected(n, std::vector<bool>(n));
        auto expected_other = expected;
        for (usz i = 0; i < 2 * n; ++i) {
            const usz row = random() % n;
            const usz column = random() % n;
            matrix.set(row, column);
            expected[row][column] = true;
            other.set(column, row);
            expected_other[column][row] = true;
        }
        const usz to = random() % n;
        const usz from = random() % n;
        matrix.merge(to, other, from);
        for (usz c = 0; c < n; ++c) expected[to][c] = expected[to][c] || expected_other[from][c];
        CHECK(matrix.words() == (n + 63) / 64);
        for (usz r = 0; r < n; ++r) {
            u64_t word = 0;
            for (usz c = 0; c < n; ++c) {
                REQUIRE(matrix.get(r, c) == expected[r][c]);
                if (c < 64 && expected[r][c]) word |= u64_t{1} << c;
            }
            REQUIRE(matrix.word(r, 0) == word);
        }
    }
}

TEST_CASE("a row may take in another of the same matrix") {
    bit_matrix m(70);
    m.set(1, 69);
    m.set(2, 0);
    m.merge(2, m, 1);
    m.merge(1, m, 1);
    CHECK(m.get(2, 69));
    CHECK(m.get(2, 0));
    CHECK_FALSE(m.get(1, 0));
}
