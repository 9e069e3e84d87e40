// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/tokenizer_data.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <set>

using netra::detail::bytes_as_text, netra::detail::merge_in, netra::detail::token_bytes;

TEST_CASE("the byte-level alphabet has a printable character for each byte") {
    std::set<netra::u16_t> seen;
    for (netra::u32_t b = 0; b < 256; ++b) {
        const auto cp = bytes_as_text().of_byte[b];
        CHECK(seen.insert(cp).second);
        CHECK(cp > 0x20);
        std::string token;
        netra::utf8::append(token, cp);
        CHECK(token_bytes(token) == std::string(1, static_cast<char>(static_cast<netra::u8_t>(b))));
    }
    CHECK(bytes_as_text().of_byte[' '] == 0x120);
    CHECK(bytes_as_text().of_byte['\n'] == 0x10A);
    CHECK(bytes_as_text().of_byte[0xAD] == 0x143);
}

TEST_CASE("tokens outside of the alphabet stand for themselves") {
    CHECK(token_bytes("\xC4\xA0the") == " the");
    CHECK(token_bytes("a b") == "a b");
    CHECK(token_bytes("\xE4\xB8\xAD") == "\xE4\xB8\xAD");
    CHECK(token_bytes("\xFF") == "\xFF");
    CHECK(token_bytes("").empty());
}

TEST_CASE("a merge is two tokens with a space between them") {
    CHECK(merge_in("a b", "f", "k", 0) == std::pair<std::string, std::string>{"a", "b"});
    for (const char* wrong : {"", " ", "ab", " a", "a ", "a b c", "a  b"}) {
        netra::test::check_refused([&] { merge_in(wrong, "f", "k", 7); }, {"f: the key 'k'", "item 7"});
    }
}
