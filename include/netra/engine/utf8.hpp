// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// UTF-8: one sequence at a time, repair with U+FFFD, code points as bytes, text fit for a terminal.
#pragma once

#include <netra/detail/config.hpp>

#include <string>
#include <string_view>

namespace netra::inline v0::utf8 {

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";

enum class state { valid, invalid, incomplete };

/// What stands at a position: a code point, or the longest prefix of one (an ill-formed part, which one U+FFFD replaces).
struct sequence {
    state is;
    u32_t code_point;
    u32_t length;  ///< bytes, 1..4
};

/// Reads the sequence at `s[at]`; `incomplete` means that the text ends inside a sequence that may still become valid.
inline sequence read(std::string_view s, usz at) {
    const auto byte = [&](usz i) { return static_cast<u8_t>(s[i]); };
    const u8_t first = byte(at);
    if (first < 0x80) return {state::valid, first, 1};
    u32_t need = 0;
    u8_t low = 0x80;
    u8_t high = 0xBF;
    u32_t cp = 0;
    if (first >= 0xC2 && first <= 0xDF) {
        need = 1;
        cp = first & 0x1FU;
    } else if (first >= 0xE0 && first <= 0xEF) {
        need = 2;
        cp = first & 0x0FU;
        if (first == 0xE0) low = 0xA0;   // no overlong forms
        if (first == 0xED) high = 0x9F;  // no surrogates
    } else if (first >= 0xF0 && first <= 0xF4) {
        need = 3;
        cp = first & 0x07U;
        if (first == 0xF0) low = 0x90;
        if (first == 0xF4) high = 0x8F;  // nothing above U+10FFFF
    } else {
        return {state::invalid, 0xFFFD, 1};
    }
    for (u32_t i = 1; i <= need; ++i) {
        if (at + i >= s.size()) return {state::incomplete, 0xFFFD, i};
        const u8_t b = byte(at + i);
        if (b < low || b > high) return {state::invalid, 0xFFFD, i};
        cp = cp << 6 | (b & 0x3FU);
        low = 0x80;
        high = 0xBF;
    }
    return {state::valid, cp, need + 1};
}

/// Appends a code point (at most U+10FFFF).
inline void append(std::string& out, u32_t cp) {
    const auto put = [&](u32_t b) { out.push_back(static_cast<char>(static_cast<u8_t>(b))); };
    if (cp < 0x80) {
        put(cp);
    } else if (cp < 0x800) {
        put(0xC0 | cp >> 6);
        put(0x80 | (cp & 0x3F));
    } else if (cp < 0x10000) {
        put(0xE0 | cp >> 12);
        put(0x80 | (cp >> 6 & 0x3F));
        put(0x80 | (cp & 0x3F));
    } else {
        put(0xF0 | cp >> 18);
        put(0x80 | (cp >> 12 & 0x3F));
        put(0x80 | (cp >> 6 & 0x3F));
        put(0x80 | (cp & 0x3F));
    }
}

/// Bytes of the longest well-formed prefix.
inline usz valid_prefix(std::string_view s) {
    usz at = 0;
    while (at < s.size()) {
        const sequence q = read(s, at);
        if (q.is != state::valid) break;
        at += q.length;
    }
    return at;
}

/// `s` with every ill-formed part replaced by U+FFFD: what Python's decode("utf-8", errors="replace") gives.
inline std::string repaired(std::string_view s) {
    std::string out;
    out.reserve(s.size());
    for (usz at = 0; at < s.size();) {
        const sequence q = read(s, at);
        if (q.is == state::valid) {
            out.append(s.substr(at, q.length));
        } else {
            out.append(replacement);
        }
        at += q.length;
    }
    return out;
}

/// `s` fit for one line of a terminal: ill-formed bytes, control characters, and those that break lines or turn the direction, as \xNN.
inline std::string printable(std::string_view s) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto hidden = [](u32_t cp) {
        return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0x200E || cp == 0x200F || (cp >= 0x2028 && cp <= 0x202E) ||
               (cp >= 0x2066 && cp <= 0x2069);
    };
    std::string out;
    out.reserve(s.size());
    for (usz at = 0; at < s.size();) {
        const sequence q = read(s, at);
        const std::string_view bytes = s.substr(at, q.length);
        at += q.length;
        if (q.is == state::valid && !hidden(q.code_point)) {
            out.append(bytes);
            continue;
        }
        for (const char c : bytes) {
            out.append("\\x");
            out.push_back(digits[static_cast<u8_t>(c) >> 4]);
            out.push_back(digits[static_cast<u8_t>(c) & 0xF]);
        }
    }
    return out;
}

}  // namespace netra::inline v0::utf8
