// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/text.hpp>

#include <cstdio>
#include <string>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr u64_t numbers[] = {
    0, 1, 9, 10, 11, 99, 100, 12345, 4294967295, 4294967296, 9999999999999999999ULL, 10000000000000000000ULL, ~0ULL, 1ULL << 63};

/// Every way of writing, many times.
struct mixture {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        for (const u64_t v : numbers) {
            out.lit("v=");
            out.dec(v);
            out.str(", in hex ");
            out.hex(v, 16);
            out.ch(';');
        }
    }
};
struct nothing {
    template <class Sink>
    constexpr void operator()(Sink&) const {}
};
static_assert(detail::text_length<nothing>() == 0 && detail::make_text<nothing>().size() == 0);
static_assert(text("abc").size() == 3 && text("abc") == text("abc") && text("abc") != text("abd"));

template <text Name>
struct named {
    static constexpr usz length = Name.size();
};
static_assert(named<"a text may be an argument">::length == 25);

template <class Write>
consteval auto short_text(Write write) {
    text<64> t;
    write(t);
    return t;
}
static_assert(short_text([](auto& t) { t.hex(0xabcdef, 6); }).n == 6);
static_assert(short_text([](auto& t) { t.hex(0xabcdef, 2); }).d[0] == 'e');
static_assert(short_text([](auto& t) { t.lit("x\0y"); }).n == 3);

}  // namespace

TEST_CASE("numbers are written as printf writes them") {
    for (const u64_t v : numbers) {
        char expected[32];
        text<32> t;
        t.dec(v);
        std::snprintf(expected, sizeof expected, "%llu", v);
        CHECK(std::string(t.d) == expected);
        count_sink counted;
        counted.dec(v);
        CHECK(counted.n == t.n);
        for (int digits = 1; digits <= 16; ++digits) {
            text<32> h;
            h.hex(v, digits);
            std::snprintf(expected, sizeof expected, "%016llx", v);
            CHECK(std::string(h.d) == expected + 16 - digits);
        }
    }
}

TEST_CASE("a generated text has exactly its size, a terminator and the same characters at run time") {
    const auto& made = text_of<mixture>;
    CHECK(made.size() == sizeof made.d - 1);
    CHECK(made.data()[made.size()] == 0);
    text<2000> t;
    mixture{}(t);
    CHECK(std::string(t.d, t.n) == std::string(made.d, made.n));
    count_sink counted;
    mixture{}(counted);
    CHECK(counted.n == made.n);
    CHECK(std::string(made.d).starts_with("v=0, in hex 0000000000000000;v=1, in hex 0000000000000001;"));
}
