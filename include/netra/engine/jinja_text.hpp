// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The tokens of a Jinja template, so that two spellings of one template can be recognised as the same. Nothing is executed.
#pragma once

#include <netra/engine/unicode.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netra::inline v0::detail {

/// White space as Python's str methods see it.
inline bool is_python_space(u32_t cp) { return unicode::classify(cp) == unicode::char_class::space || (cp >= 0x1C && cp <= 0x1F); }

inline std::string_view python_rstrip(std::string_view s) {
    while (!s.empty()) {
        usz at = s.size() - 1;
        while (at != 0 && (static_cast<u8_t>(s[at]) & 0xC0U) == 0x80) --at;
        if (!is_python_space(utf8::read(s, at).code_point)) break;
        s.remove_suffix(s.size() - at);
    }
    return s;
}
inline std::string_view python_lstrip(std::string_view s) {
    while (!s.empty()) {
        const utf8::sequence q = utf8::read(s, 0);
        if (!is_python_space(q.code_point)) break;
        s.remove_prefix(q.length);
    }
    return s;
}

/// Cuts a template into tokens as Jinja does with trim_blocks and lstrip_blocks, which is how chat templates are read. What it does not
/// know (raw blocks, floating-point numbers, rare escapes, broken syntax) makes it give up.
class jinja_lexer {
public:
    explicit jinja_lexer(std::string_view text) { source_ = one_newline(text); }

    /// Each token as its kind, its text and a zero byte. Spaces, comments, kinds of quotes, escapes of line ends, and m['x'] for m.x leave
    /// no trace.
    std::optional<std::string> canonical() {
        while (!failed_ && at_ < source_.size()) piece();
        if (failed_) return std::nullopt;
        flush_text();
        subscripts_to_members();
        std::string out;
        for (const auto& [kind, text] : tokens_) {
            if (text.find('\0') != std::string::npos) return std::nullopt;
            out.append(1, kind).append(text).append(1, '\0');
        }
        return out;
    }

private:
    static std::string one_newline(std::string_view text) {
        std::string out;
        for (usz i = 0; i < text.size(); ++i) {
            if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
            out.push_back(text[i] == '\r' ? '\n' : text[i]);
        }
        if (!out.empty() && out.back() == '\n') out.pop_back();
        return out;
    }
    using token = std::pair<char, std::string>;
    // note: every way to append to a vector is 30 ms of each compilation; this is the only one
    static void append(std::vector<token>& to, token what) { to.push_back(std::move(what)); }
    std::string_view rest() const { return std::string_view(source_).substr(at_); }
    void add(char kind, std::string_view text) { append(tokens_, {kind, std::string(text)}); }
    void flush_text() {
        if (!text_.empty()) add('d', text_);
        text_.clear();
    }

    /// Text up to a tag, and the tag.
    void piece() {
        usz open = at_;
        while ((open = source_.find('{', open)) != std::string::npos) {
            const char c = open + 1 < source_.size() ? source_[open + 1] : ' ';
            if (c == '%' || c == '{' || c == '#') break;
            ++open;
        }
        std::string_view text = rest().substr(0, open == std::string::npos ? open : open - at_);
        if (open == std::string::npos) {
            text_ += text;
            at_ = source_.size();
            return;
        }
        const char kind = source_[open + 1];
        const char sign = open + 2 < source_.size() ? source_[open + 2] : ' ';
        if (sign == '-') {
            text = python_rstrip(text);
        } else if (sign != '+' && kind != '{') {
            const usz line = text.rfind('\n') + 1;  // 0 when there is none
            if ((line != 0 || line_starts_) && python_rstrip(text.substr(line)).empty()) text = text.substr(0, line);
        }
        text_ += text;
        at_ = open + (sign == '-' || sign == '+' ? 3 : 2);
        if (kind == '#') return comment();
        flush_text();
        const bool block = kind == '%';
        add(block ? '%' : '{', "");
        inside(block);
        add(block ? '~' : '}', "");
    }
    void comment() {
        const usz end = source_.find("#}", at_);
        if (end == std::string::npos) {
            failed_ = true;
            return;
        }
        const char sign = end > at_ ? source_[end - 1] : ' ';
        at_ = end;
        close(sign == '-' || sign == '+' ? sign : ' ', true);
    }
    /// Passes "%}", "}}" or "#}" and the white space that goes with it.
    void close(char sign, bool trims_newline) {
        at_ += 2;
        if (sign == '-') {
            at_ = source_.size() - python_lstrip(rest()).size();
        } else if (sign == ' ' && trims_newline && rest().starts_with('\n')) {
            ++at_;
        }
        line_starts_ = source_[at_ - 1] == '\n';
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

    void inside(bool block) {
        const std::string_view end = block ? "%}" : "}}";
        int depth = 0;
        for (bool first = true;; first = false) {
            at_ = source_.size() - python_lstrip(rest()).size();
            const std::string_view left = rest();
            if (left.empty()) break;
            const char c = left.front();
            if (depth == 0) {
                if (left.starts_with(end)) return close(' ', block);
                if ((c == '-' || (c == '+' && block)) && left.substr(1).starts_with(end)) {
                    ++at_;
                    return close(c, block);
                }
            }
            if (c == '\'' || c == '"') {
                if (!string(c)) break;
            } else if (is_name(c)) {
                const usz n = static_cast<usz>(std::find_if_not(left.begin(), left.end(), is_name) - left.begin());
                const std::string_view word = left.substr(0, n);
                if (first && word == "raw") break;
                if (is_digit(c) && !std::all_of(word.begin(), word.end(), is_digit)) break;
                if (is_digit(c) && ((n > 1 && c == '0') || (n + 1 < left.size() && left[n] == '.' && is_digit(left[n + 1])))) break;
                add(is_digit(c) ? 'i' : 'n', word);
                at_ += n;
            } else {
                if (!sign(left, depth)) break;
            }
        }
        failed_ = true;
    }
    bool sign(std::string_view left, int& depth) {
        for (const std::string_view two : {"**", "//", "==", "!=", ">=", "<="}) {
            if (!left.starts_with(two)) continue;
            add('o', two);
            at_ += 2;
            return true;
        }
        const char c = left.front();
        if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == std::string_view::npos) return false;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && --depth < 0) return false;
        add('o', left.substr(0, 1));
        ++at_;
        return true;
    }
    bool string(char quote) {
        std::string out;
        for (usz i = at_ + 1; i < source_.size(); ++i) {
            char c = source_[i];
            if (c == quote) {
                add('s', out);
                at_ = i + 1;
                return true;
            }
            if (c == '\\') {
                if (++i >= source_.size()) return false;
                constexpr std::string_view escaped = "nrt\\'\"";
                const usz which = escaped.find(source_[i]);
                if (which == std::string_view::npos) return false;
                c = "\n\r\t\\'\""[which];
            }
            out.push_back(c);
        }
        return false;
    }

    void subscripts_to_members() {
        std::vector<token> out;
        const auto is = [](const token& t, std::string_view text) { return t.first == 'o' && t.second == text; };
        for (usz i = 0; i < tokens_.size(); ++i) {
            const bool after_value = !out.empty() && (out.back().first == 'n' || is(out.back(), "]") || is(out.back(), ")"));
            if (after_value && i + 2 < tokens_.size() && is(tokens_[i], "[") && tokens_[i + 1].first == 's' && is(tokens_[i + 2], "]")) {
                const std::string& name = tokens_[i + 1].second;
                if (!name.empty() && !is_digit(name[0]) && std::all_of(name.begin(), name.end(), is_name)) {
                    append(out, {'o', "."});
                    append(out, {'n', name});
                    i += 2;
                    continue;
                }
            }
            append(out, tokens_[i]);
        }
        tokens_ = std::move(out);
    }

    std::string source_;
    usz at_ = 0;
    bool line_starts_ = true;
    bool failed_ = false;
    std::string text_;
    std::vector<token> tokens_;
};

}  // namespace netra::inline v0::detail
