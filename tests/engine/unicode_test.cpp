// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/unicode.hpp>

#include "support/catch.hpp"

namespace unicode = netra::unicode;
using netra::u32_t, unicode::char_class;

TEST_CASE("characters have the classes of regular expressions") {
    for (const u32_t cp : {0x41U, 0x7AU, 0xAAU, 0xE9U, 0x17FU, 0x5D0U, 0x4E2DU, 0xAC00U, 0x2EBF0U, 0x1C89U, 0x10D4AU, 0x2EE5DU}) {
        CHECK(unicode::classify(cp) == char_class::letter);
    }
    for (const u32_t cp : {0x30U, 0x39U, 0xB2U, 0xBDU, 0x661U, 0x2167U, 0x2460U, 0x1D7D8U, 0x10D40U, 0x1E5F1U}) {
        CHECK(unicode::classify(cp) == char_class::number);
    }
    for (const u32_t cp : {0x9U, 0xBU, 0xDU, 0x20U, 0x85U, 0xA0U, 0x1680U, 0x2003U, 0x2028U, 0x202FU, 0x3000U}) {
        CHECK(unicode::classify(cp) == char_class::space);
    }
    for (const u32_t cp : {0x0U, 0x1CU, 0x21U, 0x40U, 0x5BU, 0x60U, 0x7FU, 0x300U, 0x180EU, 0x200BU, 0x200DU, 0x20E3U, 0xFEFFU, 0x1F44DU,
                           0xE000U, 0x378U, 0x2EBEFU, 0x2EE5EU, 0x10FFFFU}) {
        CHECK(unicode::classify(cp) == char_class::other);
    }
}

TEST_CASE("ASCII has the classes that ICU gives") {
    for (u32_t cp = 0; cp < 0x80; ++cp) {
        const auto c = static_cast<UChar32>(cp);
        const char_class expected = u_isalpha(c) != 0         ? char_class::letter
                                    : u_isdigit(c) != 0       ? char_class::number
                                    : u_isUWhiteSpace(c) != 0 ? char_class::space
                                                              : char_class::other;
        CHECK(unicode::classify(cp) == expected);
    }
}

TEST_CASE("words are made of letters, marks, decimal digits and connectors") {
    for (const u32_t cp : {0x61U, 0x5FU, 0x39U, 0x301U, 0x200DU, 0x4E2DU, 0x2160U}) CHECK(unicode::is_word(cp));
    for (const u32_t cp : {0x20U, 0x2DU, 0xB2U, 0x1F44DU}) CHECK_FALSE(unicode::is_word(cp));
}

TEST_CASE("texts are composed") {
    CHECK(unicode::nfc("plain") == "plain");
    CHECK(unicode::nfc("") == "");
    CHECK(unicode::nfc("e\xCC\x81") == "\xC3\xA9");
    CHECK(unicode::nfc("\xE2\x84\xAB") == "\xC3\x85");
    CHECK(unicode::nfc("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8") == "\xEA\xB0\x81");
    CHECK(unicode::nfc("q\xCC\x87\xCC\xA3") == "q\xCC\xA3\xCC\x87");
    CHECK(unicode::nfc("\xEF\xAC\x81") == "\xEF\xAC\x81");
}
