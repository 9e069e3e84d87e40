// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What stands behind an opcode: registers, numbers, addresses, lists of registers, labels and special registers.
#pragma once

#include <netra/detail/bits.hpp>

namespace netra::inline v0::ptx {

/// Virtual registers are named by class and number; ptxas maps them to real ones. b16, b32 and b64 hold integers and packed floats alike.
enum class register_class : u8_t { predicate, b16, b32, b64, f32 };
inline constexpr usz register_classes = 5;

namespace detail {
struct register_spelling {
    const char* prefix;
    const char* type;
};
inline constexpr register_spelling register_spellings[register_classes] = {{"%p", ".pred"}, {"%h", ".b16"}, {"%r", ".b32"}, {"%d", ".b64"}, {"%f", ".f32"}};
}  // namespace detail
constexpr const char* prefix_of(register_class c) { return detail::register_spellings[static_cast<usz>(c)].prefix; }
constexpr const char* type_of(register_class c) { return detail::register_spellings[static_cast<usz>(c)].type; }

struct reg {
    register_class kind = register_class::b32;
    u32_t index = 0;
    friend constexpr bool operator==(const reg&, const reg&) = default;
};

/// [base + offset], offset in bytes.
struct address {
    reg base{};
    i64_t offset = 0;
};
constexpr address at(reg base, u64_t offset = 0) { return {base, static_cast<i64_t>(offset)}; }
constexpr address before(reg base, u64_t offset) { return {base, -static_cast<i64_t>(offset)}; }

/// {%r1, %r2, ...}: a vector in memory or a fragment of a matrix.
template <usz N>
struct fragment {
    reg r[N]{};
    constexpr reg& operator[](usz i) { return r[i]; }
    constexpr const reg& operator[](usz i) const { return r[i]; }
};

/// A place in the code of one kernel.
struct code_label {
    u32_t index = 0;
};

/// A register that the hardware fills, a kernel parameter, a variable in shared memory: anything with a name.
struct named {
    const char* name = "";
};
inline constexpr named thread_index{"%tid.x"};
inline constexpr named block_index{"%ctaid.x"};
inline constexpr named block_count{"%nctaid.x"};
inline constexpr named lane_index{"%laneid"};
inline constexpr named multiprocessor{"%smid"};
inline constexpr named clock_ns{"%globaltimer"};
inline constexpr named clock{"%clock"};

/// [name + offset]: a kernel parameter or a variable.
struct named_address {
    const char* name = "";
    u32_t offset = 0;
};

template <class Sink>
constexpr void write(Sink& out, const reg& r) {
    out.str(prefix_of(r.kind));
    out.dec(r.index);
}
template <class Sink>
constexpr void write_signed(Sink& out, i64_t v) {
    if (v < 0) out.ch('-');
    out.dec(v < 0 ? u64_t{0} - static_cast<u64_t>(v) : static_cast<u64_t>(v));
}
template <class Sink>
constexpr void write(Sink& out, i32_t v) { write_signed(out, v); }
template <class Sink>
constexpr void write(Sink& out, i64_t v) { write_signed(out, v); }
template <class Sink>
constexpr void write(Sink& out, u32_t v) { out.dec(v); }
template <class Sink>
constexpr void write(Sink& out, u64_t v) { out.dec(v); }
/// The exact bits, as 0f3f800000.
template <class Sink>
constexpr void write(Sink& out, float v) {
    out.lit("0f");
    out.hex(f32_bits(v), 8);
}
template <class Sink>
constexpr void write(Sink& out, const address& a) {
    out.ch('[');
    write(out, a.base);
    if (a.offset > 0) out.ch('+');
    if (a.offset != 0) write_signed(out, a.offset);
    out.ch(']');
}
template <class Sink>
constexpr void write(Sink& out, const named& n) { out.str(n.name); }
template <class Sink>
constexpr void write(Sink& out, const named_address& a) {
    out.ch('[');
    out.str(a.name);
    if (a.offset != 0) out.ch('+'), out.dec(a.offset);
    out.ch(']');
}
template <class Sink>
constexpr void write(Sink& out, const code_label& l) {
    out.lit("$L");
    out.dec(l.index);
}
template <class Sink, usz N>
constexpr void write(Sink& out, const fragment<N>& f) {
    out.ch('{');
    for (usz i = 0; i < N; ++i) {
        if (i != 0) out.lit(", ");
        write(out, f[i]);
    }
    out.ch('}');
}

}  // namespace netra::inline v0::ptx
