// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/pre_tokenizer.hpp>

#include "support/catch.hpp"

#include <string>
#include <vector>

using netra::pre_tokenizer;

namespace {
std::vector<std::string> words(pre_tokenizer kind, std::string_view text) {
    std::vector<std::string> out;
    netra::split_words(kind, text, [&](std::string_view w) { out.emplace_back(w); });
    return out;
}
using list = std::vector<std::string>;
}  // namespace

TEST_CASE("kinds have names") {
    for (const auto kind : {pre_tokenizer::gpt_2, pre_tokenizer::smollm, pre_tokenizer::llama_bpe, pre_tokenizer::qwen2}) {
        CHECK(netra::pre_tokenizer_named(netra::name_of(kind)) == kind);
    }
    CHECK_FALSE(netra::pre_tokenizer_named("tekken"));
    CHECK_FALSE(netra::pre_tokenizer_named(""));
}

TEST_CASE("gpt-2") {
    const auto cut = [](std::string_view s) { return words(pre_tokenizer::gpt_2, s); };
    CHECK(cut("").empty());
    CHECK(cut("Hello world's 2024!") == list{"Hello", " world", "'s", " 2024", "!"});
    CHECK(cut("WE'LL we'll") == list{"WE", "'", "LL", " we", "'ll"});
    CHECK(cut("a   b") == list{"a", "  ", " b"});
    CHECK(cut("a \n") == list{"a", " \n"});
    CHECK(cut("a\n\nb") == list{"a", "\n", "\n", "b"});
    CHECK(cut("x = {};\n") == list{"x", " =", " {};", "\n"});
    CHECK(cut("  ") == list{"  "});
}

TEST_CASE("smollm cuts at every number as if the text ended there") {
    const auto cut = [](std::string_view s) { return words(pre_tokenizer::smollm, s); };
    CHECK(cut("a 12b") == list{"a", " ", "1", "2", "b"});
    CHECK(cut("a   1") == list{"a", "   ", "1"});
    CHECK(cut("\xD9\xA1\xC2\xBDx") == list{"\xD9\xA1", "\xC2\xBD", "x"});
    CHECK(cut("1") == list{"1"});
}

TEST_CASE("llama-bpe and qwen2") {
    const auto cut = [](std::string_view s) { return words(pre_tokenizer::llama_bpe, s); };
    CHECK(cut("Hello world's 20245!") == list{"Hello", " world", "'s", " ", "202", "45", "!"});
    CHECK(cut("WE'LL 'tis") == list{"WE", "'LL", " '", "tis"});
    CHECK(cut("a\xE2\x80\x99s (b) .c") == list{"a", "\xE2\x80\x99s", " (", "b", ")", " .", "c"});
    CHECK(cut("'\xC5\xBFx") == list{"'\xC5\xBF", "x"});
    CHECK(cut("x;\r\n\n  y") == list{"x", ";\r\n\n", " ", " y"});
    CHECK(cut("a \n \n  b") == list{"a", " \n \n", " ", " b"});
    CHECK(cut("\tb") == list{"\tb"});
    CHECK(cut("\nb") == list{"\n", "b"});
    CHECK(cut("a  ") == list{"a", "  "});
    CHECK(words(pre_tokenizer::qwen2, "a 123") == list{"a", " ", "1", "2", "3"});
}
