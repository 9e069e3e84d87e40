// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Texts with values in them: what {fmt} writes for "{}", by one function that every message shares.
#pragma once

#include <netra/detail/config.hpp>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace netra::inline v0 {

/// A number or a text in a message; it must not outlive what it was made of. note: not a template, because a call of fmt::format takes
/// 8 ms of each compilation
class shown {
  public:
    shown(std::string_view v) : text_(v) {}               // NOLINT: values convert
    shown(const std::string& v) : text_(v) {}             // NOLINT
    shown(const char* v) : text_(v) {}                    // NOLINT
    shown(bool v) : text_(v ? "true" : "false") {}        // NOLINT
    shown(int v) : shown(static_cast<i64_t>(v)) {}        // NOLINT
    shown(long v) : shown(static_cast<i64_t>(v)) {}       // NOLINT
    shown(i64_t v) : kind_(kind::integer), integer_(v) {} // NOLINT
    shown(unsigned v) : shown(u64_t{v}) {}                // NOLINT
    shown(unsigned long v) : shown(u64_t{v}) {}           // NOLINT
    shown(u64_t v) : kind_(kind::natural), natural_(v) {} // NOLINT
    shown(float v) : kind_(kind::single), real_(static_cast<double>(v)) {}  // NOLINT
    shown(double v) : kind_(kind::real), real_(v) {}       // NOLINT
    shown(char) = delete;                                 // as a text or as a number?

    /// Six digits at the most.
    static shown rounded(double v) {
        shown s(v);
        s.kind_ = kind::rounded;
        return s;
    }

    void append_to(std::string& out) const {
        char digits[64];
        usz n = 0;
        switch (kind_) {
            case kind::text: out += text_; return;
            case kind::integer: n = count(std::snprintf(digits, sizeof digits, "%lld", integer_)); break;
            case kind::natural: n = count(std::snprintf(digits, sizeof digits, "%llu", natural_)); break;
            case kind::rounded: n = count(std::snprintf(digits, sizeof digits, "%g", real_)); break;
            case kind::single: n = shortest(static_cast<float>(real_), digits); break;
            case kind::real: n = shortest(real_, digits); break;
        }
        out.append(digits, n);
    }

  private:
    enum class kind : u8_t { text, integer, natural, single, real, rounded };
    static usz count(int n) { return static_cast<usz>(n); }

    /// As few digits as tell the value from others, integers whole; with an exponent below 1e-4 and from 1e16 on.
    template <class Real>
    static usz shortest(Real v, char (&digits)[64]) {
        const double size = v < 0 ? -static_cast<double>(v) : static_cast<double>(v);
        const bool fixed = size == 0.0 || (size >= 1e-4 && size < 1e16) || !(size <= __DBL_MAX__);
        return count(static_cast<int>(
            std::to_chars(digits, digits + 64, v, fixed ? std::chars_format::fixed : std::chars_format::scientific).ptr - digits));
    }

    kind kind_ = kind::text;
    union {
        std::string_view text_;
        i64_t integer_;
        u64_t natural_;
        double real_;
    };
};

namespace detail {
/// A text with `N` places "{}" in it; others are not accepted.
template <usz N>
struct text_with_places {
    const char* d;
    consteval text_with_places(const char* s) : d(s) {  // NOLINT: literals convert
        usz places = 0;
        for (; *s != 0; ++s) places += s[0] == '{' && s[1] == '}' ? 1U : 0U;
        if (places != N) there_are_not_as_many_places_as_values();
    }
    static void there_are_not_as_many_places_as_values() {}
};

inline std::string filled(std::string_view with_places, const shown* values) {
    std::string out;
    for (usz at = 0;;) {
        const usz place = with_places.find("{}", at);
        out += with_places.substr(at, place - at);
        if (place == std::string_view::npos) return out;
        (values++)->append_to(out);
        at = place + 2;
    }
}
template <usz N>
struct places_for {
    using text = text_with_places<N>;
};
}  // namespace detail

/// `said("{} has {} rows", {name, rows})`.
template <usz N>
std::string said(typename detail::places_for<N>::text with_places, const shown (&values)[N]) {
    return detail::filled(with_places.d, values);
}

}  // namespace netra::inline v0
