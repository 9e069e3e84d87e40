// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How a text is cut into words before byte pairs are merged; a word never crosses a cut.
#pragma once

#include <netra/detail/callback.hpp>
#include <netra/engine/unicode.hpp>
#include <netra/engine/utf8.hpp>

#include <optional>
#include <string_view>

namespace netra::inline v0 {

/// The known ways to cut, named as GGUF names them (`tokenizer.ggml.pre`).
enum class pre_tokenizer : u8_t {
    gpt_2,      ///< the pattern of GPT-2
    smollm,     ///< every number alone, then the pattern of GPT-2
    llama_bpe,  ///< the pattern of Llama 3: numbers in threes, contractions in either case
    qwen2,      ///< as Llama 3, but every number alone
};

inline std::string_view name_of(pre_tokenizer kind) {
    switch (kind) {
        case pre_tokenizer::gpt_2:
            return "gpt-2";
        case pre_tokenizer::smollm:
            return "smollm";
        case pre_tokenizer::llama_bpe:
            return "llama-bpe";
        case pre_tokenizer::qwen2:
            return "qwen2";
    }
    return "?";
}
inline std::optional<pre_tokenizer> pre_tokenizer_named(std::string_view name) {
    for (const auto kind : {pre_tokenizer::gpt_2, pre_tokenizer::smollm, pre_tokenizer::llama_bpe, pre_tokenizer::qwen2}) {
        if (name == name_of(kind)) return kind;
    }
    return std::nullopt;
}

namespace detail {

/// Matches the patterns at one position of a well-formed text; every function takes and returns byte offsets.
class word_matcher {
public:
    explicit word_matcher(std::string_view text) : text_(text) {}

    /// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    usz gpt_2(usz at) const {
        if (const usz n = contraction(at, false)) return at + n;
        const usz body = text_[at] == ' ' && at + 1 < text_.size() ? at + 1 : at;
        const cls first = look(body).is;
        if (first != cls::space) return run(body, first);
        return spaces(at);
    }

    /// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,Digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
    usz llama_3(usz at, int digits) const {
        if (const usz n = contraction(at, true)) return at + n;
        const seen c = look(at);
        if (c.is == cls::letter) return run(at, cls::letter);
        const bool newline = is_newline(at);
        const usz next = at + c.length;
        const bool more = next < text_.size();
        if (c.is != cls::number && !newline && more && look(next).is == cls::letter) return run(next, cls::letter);
        if (c.is == cls::number) return run(at, cls::number, digits);
        if (c.is == cls::other || (text_[at] == ' ' && more && look(next).is == cls::other)) {
            usz end = run(c.is == cls::other ? at : next, cls::other);
            while (end < text_.size() && is_newline(end)) ++end;
            return end;
        }
        const usz last = run(at, cls::space);
        for (usz end = last; end > at; --end) {
            if (is_newline(end - 1)) return end;
        }
        return spaces(at);
    }

    usz up_to_number(usz at) const {
        while (at < text_.size()) {
            const seen c = look(at);
            if (c.is == cls::number) break;
            at += c.length;
        }
        return at;
    }
    usz number(usz at) const { return run(at, cls::number, 1); }

private:
    using cls = unicode::char_class;
    struct seen {
        cls is;
        u32_t length;
    };

    seen look(usz at) const {
        const utf8::sequence q = utf8::read(text_, at);
        return {unicode::classify(q.code_point), q.length};
    }
    bool is_newline(usz at) const { return text_[at] == '\n' || text_[at] == '\r'; }
    usz run(usz at, cls is, int limit = -1) const {
        while (at < text_.size() && limit-- != 0) {
            const seen c = look(at);
            if (c.is != is) break;
            at += c.length;
        }
        return at;
    }
    /// \s+(?!\S)|\s+ : all of the white space at the end of the text, elsewhere all but its last character, if any is left.
    usz spaces(usz at) const {
        usz last = at;
        usz end = at;
        while (end < text_.size()) {
            const seen c = look(end);
            if (c.is != cls::space) break;
            last = end;
            end += c.length;
        }
        return end == text_.size() || last == at ? end : last;
    }
    /// Bytes of a contraction, 0 if there is none.
    usz contraction(usz at, bool any_case) const {
        if (text_[at] != '\'') return 0;
        const auto letter = [&](usz i) -> char {
            if (at + i >= text_.size()) return 0;
            const char c = text_[at + i];
            return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
        };
        switch (letter(1)) {
            case 's':
            case 't':
            case 'm':
            case 'd':
                return 2;
            case 'r':
            case 'v':
                return letter(2) == 'e' ? 3 : 0;
            case 'l':
                return letter(2) == 'l' ? 3 : 0;
            default:
                break;
        }
        // the long s folds to s
        return any_case && text_.substr(at + 1, 2) == "\xC5\xBF" ? 3 : 0;
    }

    std::string_view text_;
};

}  // namespace detail

/// Calls `word(std::string_view)` for every word of a well-formed text, in order; the words together are the text.
inline void split_words(pre_tokenizer kind, std::string_view text, detail::callback<std::string_view> word) {
    using end_of_word = usz (*)(const detail::word_matcher&, usz);
    const detail::word_matcher all(text);
    const auto each = [&](std::string_view part, end_of_word match) {
        const detail::word_matcher matcher(part);
        for (usz at = 0; at < part.size();) {
            const usz end = match(matcher, at);
            word(part.substr(at, end - at));
            at = end;
        }
    };
    const end_of_word gpt_2 = [](const detail::word_matcher& m, usz at) { return m.gpt_2(at); };
    switch (kind) {
        case pre_tokenizer::gpt_2:
            each(text, gpt_2);
            break;
        case pre_tokenizer::llama_bpe:
            each(text, [](const detail::word_matcher& m, usz at) { return m.llama_3(at, 3); });
            break;
        case pre_tokenizer::qwen2:
            each(text, [](const detail::word_matcher& m, usz at) { return m.llama_3(at, 1); });
            break;
        case pre_tokenizer::smollm:
            for (usz at = 0; at < text.size();) {  // the pattern sees the text between two numbers as if nothing followed
                const usz number = all.up_to_number(at);
                each(text.substr(at, number - at), gpt_2);
                at = all.number(number);
                if (at != number) word(text.substr(number, at - number));
            }
            break;
    }
}

}  // namespace netra::inline v0
