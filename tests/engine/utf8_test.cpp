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

TEST_CASE("text for a terminal has neither control characters nor ill-formed bytes") {
    CHECK(utf8::printable("o_proj[0] tile 3: \xC3\xA9 \xF0\x9F\x98\x80 \\x") == "o_proj[0] tile 3: \xC3\xA9 \xF0\x9F\x98\x80 \\x");
    CHECK(utf8::printable("a\x1B[2J\r\nb\x7F") == "a\\x1b[2J\\x0d\\x0ab\\x7f");
    CHECK(utf8::printable("\xC2\x9B" "31m\xC2\xA0") == "\\xc2\\x9b31m\xC2\xA0");
    CHECK(utf8::printable("a\x80\xE2\x82") == "a\\x80\\xe2\\x82");
    CHECK(utf8::printable("\xE2\x80\xA8\xE2\x80\xAE\xE2\x81\xA9") == "\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xe2\\x81\\xa9");
    CHECK(utf8::printable(std::string_view("\0", 1)) == "\\x00");
}
