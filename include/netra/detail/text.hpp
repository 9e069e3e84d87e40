// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Text made in constant evaluations: a generator runs once to count, once to write into an array of exactly that size.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0 {

/// Counts the characters that a generator would write.
struct count_sink {
    usz n = 0;
    template <usz M>
    constexpr void lit(const char (&)[M]) { n += M - 1; }
    constexpr void str(const char* s) {
        while (*s++ != 0) ++n;
    }
    constexpr void ch(char) { ++n; }
    constexpr void dec(u64_t v) {
        do ++n;
        while ((v /= 10) != 0);
    }
    constexpr void hex(u64_t, int digits) { n += static_cast<usz>(digits); }
};

/// `N` characters and a terminator. A structural type, so short ones may be template arguments; it is a sink itself.
template <usz N>
struct text {
    char d[N + 1]{};
    usz n = 0;

    constexpr text() = default;
    constexpr text(const char (&s)[N + 1]) { lit(s); }  // NOLINT: literals convert

    template <usz M>
    constexpr void lit(const char (&s)[M]) {
        const usz at = n;
        for (usz i = 0; i + 1 < M; ++i) d[at + i] = s[i];
        n = at + M - 1;
    }
    constexpr void str(const char* s) {
        while (*s != 0) d[n++] = *s++;
    }
    constexpr void ch(char c) { d[n++] = c; }
    constexpr void dec(u64_t v) {
        u64_t p = 1;
        while (v / p >= 10) p *= 10;
        for (; p != 0; p /= 10) d[n++] = static_cast<char>('0' + v / p % 10);
    }
    constexpr void hex(u64_t v, int digits) {
        for (int k = digits; k-- > 0;) d[n++] = "0123456789abcdef"[(v >> (4 * k)) & 15];
    }

    constexpr const char* data() const { return d; }
    constexpr usz size() const { return n; }
    friend constexpr bool operator==(const text&, const text&) = default;
};
template <usz M>
text(const char (&)[M]) -> text<M - 1>;

namespace detail {
template <class Gen>
consteval usz text_length() {
    count_sink counter;
    Gen{}(counter);
    return counter.n;
}
template <class Gen>
consteval text<text_length<Gen>()> make_text() {
    text<text_length<Gen>()> out;
    Gen{}(out);
    return out;
}
// note: an out-of-class constinit member keeps the text out of debug information (DW_AT_const_value would double the object)
template <class Gen>
struct text_holder {
    static const text<text_length<Gen>()> value;
};
template <class Gen>
constinit const text<text_length<Gen>()> text_holder<Gen>::value = make_text<Gen>();
}  // namespace detail

/// The finished text of a generator (a stateless type whose call operator writes to a sink), in .rodata.
template <class Gen>
inline constexpr const auto& text_of = detail::text_holder<Gen>::value;

}  // namespace netra::inline v0
