// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a byte-level BPE tokenizer is made of, as plain data; the readers of tokenizer.json and of GGUF files fill it.
#pragma once

#include <netra/engine/error.hpp>
#include <netra/engine/pre_tokenizer.hpp>
#include <netra/engine/said.hpp>
#include <netra/engine/tensor.hpp>
#include <netra/engine/utf8.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netra::inline v0 {

/// A token that is found in the text before it is cut into words. The flags mean what they mean in a tokenizer.json.
struct added_token {
    std::string content{};
    u32_t id = 0;
    bool special = true;
    bool normalized = false;
    bool lstrip = false;
    bool rstrip = false;
    bool single_word = false;
    bool in_vocabulary = false;  ///< an entry of the model's own vocabulary, too, which `ignore_merges` may find
};

struct tokenizer_data {
    std::string source{};               ///< the file, as messages name it
    std::vector<std::string> tokens{};  ///< by id, in the byte-level alphabet; an empty one is a gap
    std::vector<std::pair<std::string, std::string>> merges{};
    std::vector<added_token> added{};
    pre_tokenizer words = pre_tokenizer::gpt_2;
    bool nfc = false;            ///< texts are normalized first
    bool ignore_merges = false;  ///< a word that is a token is that token, whatever the merges say
    bool add_bos = false;        ///< the tokenizer's own files want `bos` before a text
    std::optional<u32_t> bos{};
    std::vector<u32_t> eos{};
    std::string chat_template{};
};

namespace detail {

/// The byte-level alphabet: a printable character for each byte.
struct byte_alphabet {
    std::array<u16_t, 256> of_byte{};
    std::array<i32_t, 324> byte_of{};

    byte_alphabet() {
        byte_of.fill(-1);
        u32_t next = 256;
        for (u32_t b = 0; b < 256; ++b) {
            const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            const u32_t cp = printable ? b : next++;
            of_byte[b] = static_cast<u16_t>(cp);
            byte_of[cp] = static_cast<i32_t>(b);
        }
    }
};
inline const byte_alphabet& bytes_as_text() {
    static const byte_alphabet alphabet;
    return alphabet;
}

/// The bytes that a token stands for: its own when it has a character outside the alphabet.
inline std::string token_bytes(std::string_view token) {
    const byte_alphabet& alphabet = bytes_as_text();
    std::string out;
    for (usz at = 0; at < token.size();) {
        const utf8::sequence q = utf8::read(token, at);
        if (q.is != utf8::state::valid || q.code_point >= alphabet.byte_of.size() || alphabet.byte_of[q.code_point] < 0) {
            return std::string(token);
        }
        out.push_back(static_cast<char>(static_cast<u8_t>(alphabet.byte_of[q.code_point])));
        at += q.length;
    }
    return out;
}

/// "a b" as its two tokens.
inline std::pair<std::string, std::string> merge_in(std::string_view text, std::string_view source, std::string_view key, usz index) {
    const usz space = text.find(' ');
    if (space == 0 || space == std::string_view::npos || space + 1 == text.size() || text.find(' ', space + 1) != std::string_view::npos) {
        throw model_error(said("{}: the key '{}' has {} as its item {}; two tokens with one space between them are expected", {source,
                                      key, in_quotes(text), index}));
    }
    return {std::string(text.substr(0, space)), std::string(text.substr(space + 1))};
}

}  // namespace detail

}  // namespace netra::inline v0
