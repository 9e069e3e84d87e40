// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Bodies too long for one constant evaluation: each part (assembler::part) is written in an evaluation of its own, into one text in .rodata.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/detail/indices.hpp>

namespace netra::inline v0::ptx {

/// Lets through one part of a body with what stands between it and the part before; other parts are not run at all. After the last part comes
/// a rest, which counts as one more.
template <class Sink>
class part_sink {
  public:
    /// `known`: how far the body has come after each of the parts before `wanted`.
    constexpr part_sink(Sink& to, u32_t wanted, const body_state* known) : to_(to), known_(known), wanted_(wanted) {}

    template <usz M>
    constexpr void lit(const char (&s)[M]) {
        if (at_ == wanted_) to_.lit(s);
    }
    constexpr void str(const char* s) {
        if (at_ == wanted_) to_.str(s);
    }
    constexpr void ch(char c) {
        if (at_ == wanted_) to_.ch(c);
    }
    constexpr void dec(u64_t v) {
        if (at_ == wanted_) to_.dec(v);
    }
    constexpr void hex(u64_t v, int digits) {
        if (at_ == wanted_) to_.hex(v, digits);
    }

    /// Whether the next part is not run; `state` is then set to what it is after it.
    constexpr bool skips(body_state& state) const {
        if (at_ == wanted_) return false;
        if (at_ < wanted_) state = known_[at_];
        return true;
    }
    constexpr void end_part(const body_state& state) {
        if (at_ == wanted_) after_ = state;
        ++at_;
    }
    constexpr u32_t parts() const { return at_; }
    constexpr const body_state& after() const { return after_; }
    constexpr void end_body(const requirements& needs) {
        if (at_ == wanted_) after_.needs = needs;
    }

  private:
    Sink& to_;
    const body_state* known_;
    u32_t wanted_;
    u32_t at_ = 0;
    body_state after_{};
};

namespace detail {

using netra::detail::indices;
using netra::detail::make_indices;

/// One part, counted: its characters, how far the body has come after it, how many parts there are.
struct counted_part {
    usz characters = 0;
    body_state after{};
    u32_t parts = 0;
};

// note: a kernel is found by the name of a variable; as a value it would stand in every symbol
template <const auto& Kernel, u32_t Part>
struct part_of;

template <class Sink, const auto& Kernel, u32_t Part, usz... Before>
constexpr counted_part write_part(Sink& to, indices<Before...>) {
    const body_state known[] = {part_of<Kernel, Before>::counted.after..., {}};
    part_sink<Sink> out(to, Part, known);
    assembler as(out);
    Kernel.body(as);
    out.end_body(as.needs());
    return {0, out.after(), out.parts()};
}
template <const auto& Kernel, u32_t Part>
consteval counted_part count_part() {
    count_sink counter;
    counted_part made = write_part<count_sink, Kernel, Part>(counter, make_indices<Part>{});
    made.characters = counter.n;
    return made;
}
template <const auto& Kernel, u32_t Part>
struct part_of {
    static constexpr counted_part counted = count_part<Kernel, Part>();
};

/// Writes characters one after the other from a place on.
struct place_sink {
    char* d;
    usz n = 0;

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
};

/// Characters without anything before, between or behind them; `Place` tells those of one text apart.
template <usz Place, usz N>
struct characters {
    char d[N]{};
};
template <class... Pieces>
struct joined_text : Pieces... {
    const char* data() const { return reinterpret_cast<const char*>(this); }
    static constexpr usz size() { return (sizeof(Pieces) + ...) - 1; }  // but for the terminator
};

template <const auto& Kernel>
inline constexpr u32_t parts_of = part_of<Kernel, 0>::counted.parts;
template <const auto& Kernel, const target& Where>
consteval usz head_length() {
    count_sink counter;
    write_head(counter, Kernel, Where, part_of<Kernel, parts_of<Kernel>>::counted.after.needs);
    return counter.n;
}

template <const auto& Kernel, const target& Where>
consteval auto make_head() {
    characters<0, head_length<Kernel, Where>()> made;
    place_sink out{made.d};
    write_head(out, Kernel, Where, part_of<Kernel, parts_of<Kernel>>::counted.after.needs);
    return made;
}
template <const auto& Kernel, u32_t Part>
consteval auto make_part() {
    characters<Part + 1, part_of<Kernel, Part>::counted.characters> made;
    place_sink out{made.d};
    write_part<place_sink, Kernel, Part>(out, make_indices<Part>{});
    return made;
}

// note: a variable each, since a compiler may count evaluations in one initializer as one
template <const auto& Kernel, u32_t Part>
inline constexpr auto part_characters = make_part<Kernel, Part>();

template <const auto& Kernel, const target& Where, class Parts>
struct module_of_parts;
template <const auto& Kernel, const target& Where, usz... Part>
struct module_of_parts<Kernel, Where, indices<Part...>> {
    using type = joined_text<characters<0, head_length<Kernel, Where>()>, characters<Part + 1, part_of<Kernel, Part>::counted.characters>..., characters<sizeof...(Part) + 1, 3>>;
    static_assert(sizeof(type) == type::size() + 1);
    static const type value;
};
template <const auto& Kernel, const target& Where, usz... Part>
constinit const typename module_of_parts<Kernel, Where, indices<Part...>>::type module_of_parts<Kernel, Where, indices<Part...>>::value{
    make_head<Kernel, Where>(), part_characters<Kernel, Part>..., {{'}', '\n', 0}}};

}  // namespace detail

/// What write_module writes of a kernel, which must be a variable of static storage, as must be the target; in .rodata.
template <const auto& Kernel, const target& Where>
inline constexpr const auto& module_text = detail::module_of_parts<Kernel, Where, detail::make_indices<detail::parts_of<Kernel> + 1>>::value;
/// requirements_of(Kernel), put together from its parts.
template <const auto& Kernel>
inline constexpr requirements requirements_in_parts = detail::part_of<Kernel, detail::parts_of<Kernel>>::counted.after.needs;

}  // namespace netra::inline v0::ptx
