// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A kernel's module written at run time by the functions that compilers run.
#pragma once

#include <netra/codegen/ptx/module.hpp>

#include <string>

namespace netra::test {

struct string_sink {
    std::string out{};
    template <usz M>
    void lit(const char (&s)[M]) { out.append(s, M - 1); }
    void str(const char* s) { out += s; }
    void ch(char c) { out += c; }
    void dec(u64_t v) { out += std::to_string(v); }
    void hex(u64_t v, int digits) {
        for (int k = digits; k-- > 0;) out += "0123456789abcdef"[(v >> (4 * k)) & 15];
    }
};

/// What `write(assembler)` writes.
template <class Write>
std::string written(Write write) {
    string_sink out;
    ptx::assembler as(out);
    write(as);
    return out.out;
}

/// How often `what` stands in `text`.
inline usz occurrences(const std::string& text, const std::string& what) {
    usz n = 0;
    for (usz at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

class module_text {
public:
    template <class Kernel>
    module_text(const Kernel& kernel, const target& where)
        : needs_(ptx::requirements_of(kernel)), verdict_(ptx::check(needs_, where)), entry_(kernel.entry()), where_(where), launch_(kernel.launch()) {
        if (verdict_.ok()) ptx::write_module(text_, kernel, where, needs_);
    }
    const netra::verdict& verdict() const { return verdict_; }
    const ptx::requirements& needs() const { return needs_; }
    const std::string& text() const { return text_.out; }
    kernel_image image() const { return {.text = text_.out.c_str(), .size = text_.out.size(), .entry = entry_, .where = where_, .launch = launch_}; }

private:
    ptx::requirements needs_;
    netra::verdict verdict_;
    name entry_;
    target where_;
    kernel_launch launch_;
    string_sink text_{};
};

}  // namespace netra::test
