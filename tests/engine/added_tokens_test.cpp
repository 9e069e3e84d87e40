// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/added_tokens.hpp>

#include "support/catch.hpp"

using netra::added_token, netra::u32_t, netra::detail::added_matcher;

namespace {
std::string cut(const std::vector<added_token>& tokens, std::string_view text, bool find_special = true) {
    added_matcher matcher;
    for (const added_token& t : tokens) matcher.add(t.content, t);
    std::string out;
    matcher.split(
        text, find_special, [&](std::string_view piece) { out.append("[").append(piece).append("]"); },
        [&](u32_t id) { out += std::to_string(id); });
    return out;
}
added_token token(std::string content, u32_t id) {
    added_token t;
    t.content = std::move(content);
    t.id = id;
    return t;
}
}  // namespace

TEST_CASE("the longest token at the leftmost place is found") {
    CHECK(cut({}, "abc") == "[abc]");
    CHECK(cut({token("<a>", 1)}, "") == "");
    CHECK(cut({token("<a>", 1)}, "x<a>y<a><a") == "[x]1[y]1[<a]");
    CHECK(cut({token("ab", 1), token("abc", 2), token("bcd", 3)}, "abcd") == "2[d]");
    CHECK(cut({token("ab", 1), token("abcd", 2)}, "abcabcd") == "1[c]2");
    CHECK(cut({token("ab", 1), token("ab", 2)}, "ab") == "1");
}

TEST_CASE("special tokens are text when they are not asked for") {
    auto plain = token("bc", 2);
    plain.special = false;
    CHECK(cut({token("ab", 1), plain}, "abcbc", false) == "[abc]2");
    CHECK(cut({token("ab", 1), plain}, "abcbc") == "1[c]2");
}

TEST_CASE("flags: lstrip, rstrip, single_word") {
    auto t = token("<a>", 1);
    t.lstrip = true;
    CHECK(cut({t}, "x \n\xE3\x80\x80<a> y") == "[x]1[ y]");
    CHECK(cut({t}, "  <a>") == "1");
    t.lstrip = false;
    t.rstrip = true;
    CHECK(cut({t}, "x <a> \n y<a>") == "[x ]1[y]1");
    auto word = token("go", 2);
    word.single_word = true;
    CHECK(cut({word}, "go,going ago go_ go\xC3\xA9 go") == "2[,going ago go_ go\xC3\xA9 ]2");
}
