// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The character classes and the normal form that tokenizers need, by ICU.
#pragma once

#include <netra/engine/error.hpp>
#include <netra/engine/utf8.hpp>

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

namespace netra::inline v0::unicode {

enum class char_class : u8_t { letter, number, space, other };  ///< \p{L}, \p{N}, \s, and what is none of them

}  // namespace netra::inline v0::unicode

namespace netra::inline v0::detail {

struct newer_range {
    u32_t first, last;
    unicode::char_class is;
};
// Letters and numbers of Unicode 15.1 and 16: consulted where an older ICU says "unassigned", so that ids do not depend on its age.
inline constexpr newer_range newer_ranges[] = {
    {0x1C89, 0x1C8A, unicode::char_class::letter},   {0xA7CB, 0xA7CD, unicode::char_class::letter},
    {0xA7DA, 0xA7DC, unicode::char_class::letter},   {0x105C0, 0x105F3, unicode::char_class::letter},
    {0x10D40, 0x10D49, unicode::char_class::number}, {0x10D4A, 0x10D65, unicode::char_class::letter},
    {0x10D6F, 0x10D85, unicode::char_class::letter}, {0x10EC2, 0x10EC4, unicode::char_class::letter},
    {0x11380, 0x11389, unicode::char_class::letter}, {0x1138B, 0x1138B, unicode::char_class::letter},
    {0x1138E, 0x1138E, unicode::char_class::letter}, {0x11390, 0x113B5, unicode::char_class::letter},
    {0x113B7, 0x113B7, unicode::char_class::letter}, {0x113D1, 0x113D1, unicode::char_class::letter},
    {0x113D3, 0x113D3, unicode::char_class::letter}, {0x116D0, 0x116E3, unicode::char_class::number},
    {0x11BC0, 0x11BE0, unicode::char_class::letter}, {0x11BF0, 0x11BF9, unicode::char_class::number},
    {0x13460, 0x143FA, unicode::char_class::letter}, {0x16100, 0x1611D, unicode::char_class::letter},
    {0x16130, 0x16139, unicode::char_class::number}, {0x16D40, 0x16D6C, unicode::char_class::letter},
    {0x16D70, 0x16D79, unicode::char_class::number}, {0x18CFF, 0x18CFF, unicode::char_class::letter},
    {0x1CCF0, 0x1CCF9, unicode::char_class::number}, {0x1E5D0, 0x1E5ED, unicode::char_class::letter},
    {0x1E5F0, 0x1E5F0, unicode::char_class::letter}, {0x1E5F1, 0x1E5FA, unicode::char_class::number},
    {0x2EBF0, 0x2EE5D, unicode::char_class::letter},
};

}  // namespace netra::inline v0::detail

namespace netra::inline v0::unicode {

inline char_class classify(u32_t cp) {
    if (cp < 0x80) {
        if ((cp | 0x20U) >= 'a' && (cp | 0x20U) <= 'z') return char_class::letter;
        if (cp >= '0' && cp <= '9') return char_class::number;
        return cp == ' ' || (cp >= '\t' && cp <= '\r') ? char_class::space : char_class::other;
    }
    const auto c = static_cast<UChar32>(cp);
    const u32_t mask = U_GET_GC_MASK(c);
    if ((mask & U_GC_L_MASK) != 0) return char_class::letter;
    if ((mask & U_GC_N_MASK) != 0) return char_class::number;
    if (u_isUWhiteSpace(c) != 0) return char_class::space;
    if ((mask & U_GC_CN_MASK) != 0) {
        const auto* at = std::lower_bound(std::begin(detail::newer_ranges), std::end(detail::newer_ranges), cp,
                                          [](const detail::newer_range& r, u32_t v) { return r.last < v; });
        if (at != std::end(detail::newer_ranges) && at->first <= cp) return at->is;
    }
    return char_class::other;
}

/// \w of a Unicode regular expression: alphabetic, mark, decimal digit, connector punctuation, join control.
inline bool is_word(u32_t cp) {
    const auto c = static_cast<UChar32>(cp);
    const u32_t mask = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
    return u_isUAlphabetic(c) != 0 || (U_GET_GC_MASK(c) & mask) != 0 || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL) != 0 ||
           classify(cp) == char_class::letter;
}

/// Normalization form C of well-formed UTF-8.
inline std::string nfc(std::string_view s) {
    if (std::all_of(s.begin(), s.end(), [](char c) { return static_cast<u8_t>(c) < 0x80; })) return std::string(s);
    if (s.size() > 0x3FFFFFFF) throw model_error("the text to normalize is longer than 1 GiB; give it in parts");
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* form = icu::Normalizer2::getNFCInstance(status);
    std::string out;
    if (U_SUCCESS(status)) {
        icu::StringByteSink<std::string> sink(&out);
        form->normalizeUTF8(0, icu::StringPiece(s.data(), static_cast<int32_t>(s.size())), sink, nullptr, status);
    }
    if (U_FAILURE(status)) throw model_error(std::string("ICU cannot normalize a text to NFC: ") + u_errorName(status));
    return out;
}

}  // namespace netra::inline v0::unicode
