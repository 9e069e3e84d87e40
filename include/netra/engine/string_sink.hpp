// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A text sink that grows: what constexpr generators write to at run time.
#pragma once

#include <netra/detail/text.hpp>

#include <string>

namespace netra::inline v0 {

struct string_sink {
    std::string s;

    template <usz M>
    void lit(const char (&literal)[M]) {
        s.append(literal, M - 1);
    }
    void str(const char* text) { s += text; }
    void ch(char c) { s += c; }
    void dec(u64_t v) { s += std::to_string(v); }
    void hex(u64_t v, int digits) {
        text<16> t;
        t.hex(v, digits);
        s += t.d;
    }
};

/// All that `write(sink)` writes.
template <class Write>
std::string written(Write write) {
    string_sink out;
    write(out);
    return out.s;
}

}  // namespace netra::inline v0
