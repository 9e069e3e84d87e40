// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/utf8.hpp>

#include "support/catch.hpp"

namespace utf8 = netra::utf8;
using netra::u32_t;

TEST_CASE("every code point is read as it was written") {
    for (u32_t cp = 0; cp <= 0x10FFFF; ++cp) {
        if (cp >= 0xD800 && cp <= 0xDFFF) continue;
        std::string s;
        utf8::append(s, cp);
        const auto q = utf8::read(s, 0);
        const bool same = q.is == utf8::state::valid && q.code_point == cp && q.length == s.size();
        if (!same) CHECK(cp == q.code_point);
        for (netra::usz n = 1; n < s.size(); ++n) {
            const auto part = utf8::read(std::string_view(s).substr(0, n), 0);
            if (part.is != utf8::state::incomplete || part.length != n) CHECK(cp == 0x110000);
        }
    }
}

TEST_CASE("ill-formed parts become one U+FFFD each") {
    const std::string r(utf8::replacement);
    CHECK(utf8::repaired("a\x80z") == "a" + r + "z");
    CHECK(utf8::repaired("\xC0\xAF") == r + r);
    CHECK(utf8::repaired("\xE0\x80\x80") == r + r + r);
    CHECK(utf8::repaired("\xED\xA0\x80") == r + r + r);
    CHECK(utf8::repaired("\xF0\x9F\x91z") == r + "z");
    CHECK(utf8::repaired("\xF4\x90\x80\x80") == r + r + r + r);
    CHECK(utf8::repaired("\xE2\x82") == r);
    CHECK(utf8::repaired("\xE2\xE2\x82\xAC") == r + "\xE2\x82\xAC");
    CHECK(utf8::repaired("\xF5\xFF") == r + r);
    CHECK(utf8::repaired("").empty());
    CHECK(utf8::valid_prefix("ab\xE2\x82") == 2);
    CHECK(utf8::valid_prefix("ab\xE2\x82\xAC") == 5);
}
