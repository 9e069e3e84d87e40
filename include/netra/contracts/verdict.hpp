// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a check says of a contract or a schedule: accepted, or a reason with names and numbers that make one whole sentence.
#pragma once

#include <netra/contracts/reasons.hpp>
#include <netra/detail/static_vector.hpp>
#include <netra/detail/text.hpp>

namespace netra::inline v0 {

/// A name inside a verdict or a schedule; longer ones are cut at 31 characters.
struct name {
    char d[32]{};

    constexpr name() = default;
    constexpr name(const char* s) {  // NOLINT: literals convert
        for (usz i = 0; i < 31 && s[i] != 0; ++i) d[i] = s[i];
    }
    // note: nvcc spells a name inside a template argument as a list of 32 characters
    template <usz M>
    constexpr name(const char (&s)[M]) {  // NOLINT
        for (usz i = 0; i < 31 && i < M && s[i] != 0; ++i) d[i] = s[i];
    }
    constexpr bool empty() const { return d[0] == 0; }
    friend constexpr bool operator==(const name&, const name&) = default;
};

/// `base[index]`, as in `o_proj[3]`.
constexpr name indexed(const char* base, u64_t index) {
    text<64> t;
    t.str(base);
    t.ch('[');
    t.dec(index);
    t.ch(']');
    return name{t.d};
}

/// One number of a verdict.
struct labelled_value {
    label what{};
    u64_t value = 0;
    friend constexpr bool operator==(const labelled_value&, const labelled_value&) = default;
};

/// Accepted when default constructed. `subject` and `object` name what the sentence speaks of.
struct verdict {
    reason why = reason::accepted;
    name subject{};
    name object{};
    static_vector<labelled_value, 6> facts{};

    constexpr bool ok() const { return why == reason::accepted; }
    constexpr verdict& with(label what, u64_t value) {
        facts.push_back({what, value});
        return *this;
    }
    /// The value of a fact, 0 when it has none of that label.
    constexpr u64_t operator[](label what) const {
        for (const auto& f : facts)
            if (f.what == what) return f.value;
        return 0;
    }
    friend constexpr bool operator==(const verdict&, const verdict&) = default;
};

constexpr verdict refuse(reason why, const name& subject, const name& object = {}) {
    verdict v;
    v.why = why;
    v.subject = subject;
    v.object = object;
    return v;
}

/// Writes the sentence of a refusal: the reason's text with every {label} replaced by its number and {subject}, {object} by the names.
template <class Sink>
constexpr void write_sentence(Sink& out, const verdict& v) {
    const char* s = sentence_of(v.why);
    while (*s != 0) {
        if (*s != '{') {
            out.ch(*s++);
            continue;
        }
        name key;
        for (usz i = 0; *++s != '}'; ++i) key.d[i] = *s;
        ++s;
        if (key == name{"subject"}) out.str(v.subject.d);
        else if (key == name{"object"}) out.str(v.object.d);
        else
            for (const auto& f : v.facts)
                if (key == name{name_of(f.what)}) out.dec(f.value);
    }
}

/// The sentence as a value; `.d` is its text.
constexpr text<400> sentence(const verdict& v) {
    text<400> t;
    write_sentence(t, v);
    return t;
}

}  // namespace netra::inline v0
