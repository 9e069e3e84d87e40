// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The instructions that only compute, one line each; `.rn` is left out of their names here.
#pragma once

#include "support/ptx/order.hpp"

#include <unordered_map>

namespace netra::test::simt {

/// Destination, then up to three sources; predicates are 0 or 1.
inline void run_lanes(warp& w, const instruction& i, u32_t lanes) {
    lane_words a{};
    lane_words b{};
    lane_words c{};
    const usz n = i.arguments();
    if (n > 1) fetch(w, i, i.at(1), lanes, a);
    if (n > 2) fetch(w, i, i.at(2), lanes, b);
    if (n > 3) fetch(w, i, i.at(3), lanes, c);
    const lane_function f = i.lane;
    for_lanes(lanes, [&](u32_t l) { a[l] = f(a[l], b[l], c[l]); });
    store(w, i.at(0), lanes, a);
}

using lane_table = std::unordered_map<std::string, lane_function>;

template <class T, class F>
struct typed_lane {
    static word call(word a, word b, word c) {
        const auto made = F{}(from_word<T>(a), from_word<T>(b), from_word<T>(c));
        if constexpr (std::is_same_v<std::remove_const_t<decltype(made)>, bool>)
            return made ? 1 : 0;
        else
            return to_word<T>(static_cast<T>(made));
    }
};
template <class T>
const char* type_name() {
    if constexpr (std::is_same_v<T, float>)
        return "f32";
    else if constexpr (std::is_same_v<T, double>)
        return "f64";
    else if constexpr (std::is_same_v<T, u16_t>)
        return "u16";
    else if constexpr (std::is_same_v<T, i16_t>)
        return "s16";
    else if constexpr (std::is_same_v<T, u32_t>)
        return "u32";
    else if constexpr (std::is_same_v<T, i32_t>)
        return "s32";
    else if constexpr (std::is_same_v<T, u64_t>)
        return "u64";
    else
        return "s64";
}
/// `f(a, b, c)` of every type T as "name.T".
template <class... T, class F>
void define(lane_table& table, const std::string& name, F) {
    (table.emplace(name + "." + type_name<T>(), &typed_lane<T, F>::call), ...);
}
/// The same for bit strings.
template <class F>
void define_bits(lane_table& table, const std::string& name, F) {
    table.emplace(name + ".b16", &typed_lane<u16_t, F>::call);
    table.emplace(name + ".b32", &typed_lane<u32_t, F>::call);
    table.emplace(name + ".b64", &typed_lane<u64_t, F>::call);
}
/// A comparison of numbers as setp.name.T, also joined with a third predicate; of floats false where one is NaN.
template <class F>
void define_compare(lane_table& table, const std::string& name, F) {
    const auto with_and = [](auto a, auto b, auto c) { return F{}(a, b) && c != 0; };
    define<u16_t, i16_t, u32_t, i32_t, u64_t, i64_t, float, double>(table, "setp." + name, [](auto a, auto b, auto) { return F{}(a, b); });
    define<u32_t, i32_t, u64_t, i64_t>(table, "setp." + name + ".and", with_and);
}

/// The same bits in arithmetic that wraps.
struct wrap {
    template <class T>
    constexpr std::make_unsigned_t<T> operator()(T v) const {
        return static_cast<std::make_unsigned_t<T>>(v);
    }
};

inline void add_integers(lane_table& t) {
    using std::max;
    using std::min;
    define<u16_t, i16_t, u32_t, i32_t, u64_t, i64_t>(t, "add", [](auto a, auto b, auto) { return wrap{}(a) + wrap{}(b); });
    define<u16_t, i16_t, u32_t, i32_t, u64_t, i64_t>(t, "sub", [](auto a, auto b, auto) { return wrap{}(a)-wrap{}(b); });
    define<u32_t, i32_t, u64_t, i64_t>(t, "mul.lo", [](auto a, auto b, auto) { return wrap{}(a)*wrap{}(b); });
    define<u32_t, i32_t, u64_t, i64_t>(t, "mad.lo", [](auto a, auto b, auto c) { return wrap{}(a)*wrap{}(b) + wrap{}(c); });
    define<u32_t, u64_t>(t, "div", [](auto a, auto b, auto) { return b == 0 ? ~decltype(a){0} : a / b; });
    define<u32_t, u64_t>(t, "rem", [](auto a, auto b, auto) { return b == 0 ? a : a % b; });
    define<i32_t, i64_t>(t, "div", [](auto a, auto b, auto) { return b == 0 || b == -1 ? wrap{}(0 * b) - wrap{}(a) : wrap{}(a / b); });
    define<i32_t, i64_t>(t, "rem", [](auto a, auto b, auto) { return b == 0 || b == -1 ? 0 * a : a % b; });
    define<u16_t, i16_t, u32_t, i32_t, u64_t, i64_t, float, double>(t, "min", [](auto a, auto b, auto) {
        if constexpr (std::is_floating_point_v<decltype(a)>)
            return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : min(a, b);
        else
            return min(a, b);
    });
    define<u16_t, i16_t, u32_t, i32_t, u64_t, i64_t, float, double>(t, "max", [](auto a, auto b, auto) {
        if constexpr (std::is_floating_point_v<decltype(a)>)
            return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : max(a, b);
        else
            return max(a, b);
    });
    define<i16_t, i32_t, i64_t>(t, "abs", [](auto a, auto, auto) { return a < 0 ? 0 - wrap{}(a) : wrap{}(a); });
    define<i16_t, i32_t, i64_t>(t, "neg", [](auto a, auto, auto) { return 0 - wrap{}(a); });
    t.emplace("mul.wide.u32", [](word a, word b, word) -> word { return from_word<u32_t>(a) * word{from_word<u32_t>(b)}; });
    t.emplace("mad.wide.u32", [](word a, word b, word c) -> word { return from_word<u32_t>(a) * word{from_word<u32_t>(b)} + c; });
    t.emplace("mul.wide.s32", [](word a, word b, word) -> word { return to_word(i64_t{from_word<i32_t>(a)} * from_word<i32_t>(b)); });
    t.emplace("mad.wide.s32", [](word a, word b, word c) -> word { return to_word(i64_t{from_word<i32_t>(a)} * from_word<i32_t>(b)) + c; });
    t.emplace("mul.wide.u16", [](word a, word b, word) -> word { return (a & 0xffff) * (b & 0xffff); });
    t.emplace("mul.hi.u32", [](word a, word b, word) -> word { return (from_word<u32_t>(a) * word{from_word<u32_t>(b)}) >> 32; });
    t.emplace("mul.hi.s32", [](word a, word b, word) -> word { return to_word((i64_t{from_word<i32_t>(a)} * from_word<i32_t>(b)) >> 32); });
}

inline void add_bits(lane_table& t) {
    define_bits(t, "and", [](auto a, auto b, auto) { return a & b; });
    define_bits(t, "or", [](auto a, auto b, auto) { return a | b; });
    define_bits(t, "xor", [](auto a, auto b, auto) { return a ^ b; });
    define_bits(t, "not", [](auto a, auto, auto) { return ~a; });
    define_bits(t, "selp", [](auto a, auto b, auto c) { return c != 0 ? a : b; });
    define<u16_t, i16_t, u32_t, i32_t, u64_t, i64_t>(t, "selp", [](auto a, auto b, auto c) { return c != 0 ? a : b; });
    t.emplace("selp.f32", t.at("selp.u32"));
    t.emplace("selp.f64", t.at("selp.u64"));
    t.emplace("and.pred", [](word a, word b, word) -> word { return a & b; });
    t.emplace("or.pred", [](word a, word b, word) -> word { return a | b; });
    t.emplace("xor.pred", [](word a, word b, word) -> word { return a ^ b; });
    t.emplace("not.pred", [](word a, word, word) -> word { return a ^ 1; });
    t.emplace("shl.b16", [](word a, word b, word) -> word { return from_word<u32_t>(b) > 15 ? 0 : (a << b) & 0xffff; });
    t.emplace("shl.b32", [](word a, word b, word) -> word { return from_word<u32_t>(b) > 31 ? 0 : from_word<u32_t>(a << b); });
    t.emplace("shl.b64", [](word a, word b, word) -> word { return from_word<u32_t>(b) > 63 ? 0 : a << b; });
    for (const char* kind : {"u", "b"}) {
        t.emplace(std::string("shr.") + kind + "16",
                  [](word a, word b, word) -> word { return from_word<u32_t>(b) > 15 ? 0 : (a & 0xffff) >> b; });
        t.emplace(std::string("shr.") + kind + "32",
                  [](word a, word b, word) -> word { return from_word<u32_t>(b) > 31 ? 0 : from_word<u32_t>(a) >> b; });
        t.emplace(std::string("shr.") + kind + "64", [](word a, word b, word) -> word { return from_word<u32_t>(b) > 63 ? 0 : a >> b; });
    }
    t.emplace("shr.s32", [](word a, word b, word) -> word { return to_word(from_word<i32_t>(a) >> std::min(from_word<u32_t>(b), 31U)); });
    t.emplace("shr.s64", [](word a, word b, word) -> word { return to_word(from_word<i64_t>(a) >> std::min(from_word<u32_t>(b), 63U)); });
    t.emplace("shf.l.wrap.b32", [](word a, word b, word c) -> word { return (((b << 32) | (a & 0xffffffffU)) << (c & 31)) >> 32; });
    t.emplace("shf.r.wrap.b32",
              [](word a, word b, word c) -> word { return from_word<u32_t>(((b << 32) | (a & 0xffffffffU)) >> (c & 31)); });
    t.emplace("prmt.b32", [](word a, word b, word c) -> word { return permute_bytes(a, b, c); });
    t.emplace("popc.b32", [](word a, word, word) -> word { return static_cast<word>(std::popcount(from_word<u32_t>(a))); });
    t.emplace("popc.b64", [](word a, word, word) -> word { return static_cast<word>(std::popcount(a)); });
    t.emplace("clz.b32", [](word a, word, word) -> word { return static_cast<word>(std::countl_zero(from_word<u32_t>(a))); });
    t.emplace("brev.b32", [](word a, word, word) -> word {
        word made = 0;
        for (int i = 0; i < 32; ++i) made |= ((a >> i) & 1) << (31 - i);
        return made;
    });
    t.emplace("bfe.u32", [](word a, word b, word c) -> word {
        return (b & 255) > 31 ? 0 : (from_word<u32_t>(a) >> (b & 255)) & ((word{1} << std::min<word>(c & 255, 32)) - 1);
    });
}

inline void add_compares(lane_table& t) {
    define_compare(t, "eq", [](auto a, auto b) { return a == b; });
    define_compare(t, "ne", [](auto a, auto b) { return a != b && (a == a) && (b == b); });
    define_compare(t, "lt", [](auto a, auto b) { return a < b; });
    define_compare(t, "le", [](auto a, auto b) { return a <= b; });
    define_compare(t, "gt", [](auto a, auto b) { return a > b; });
    define_compare(t, "ge", [](auto a, auto b) { return a >= b; });
    define<float>(t, "setp.nan", [](auto a, auto b, auto) { return std::isnan(a) || std::isnan(b); });
    define<float>(t, "setp.num", [](auto a, auto b, auto) { return !std::isnan(a) && !std::isnan(b); });
    define<float>(t, "setp.neu", [](auto a, auto b, auto) { return !(a == b); });
    for (const char* compare : {"eq", "ne"})
        for (const char* bits : {"16", "32", "64"})
            t.emplace(std::string("setp.") + compare + ".b" + bits, t.at(std::string("setp.") + compare + ".u" + bits));
    for (const char* c : {"lo", "ls", "hi", "hs"}) {
        const char* same = c[0] == 'l' ? (c[1] == 'o' ? "lt" : "le") : (c[1] == 'i' ? "gt" : "ge");
        for (const char* type : {"u32", "u64"})
            t.emplace(std::string("setp.") + c + "." + type, t.at(std::string("setp.") + same + "." + type));
    }
}

inline void add_floats(lane_table& t) {
    define<float, double>(t, "add", [](auto a, auto b, auto) { return a + b; });
    define<float, double>(t, "sub", [](auto a, auto b, auto) { return a - b; });
    define<float, double>(t, "mul", [](auto a, auto b, auto) { return a * b; });
    define<float, double>(t, "div", [](auto a, auto b, auto) { return a / b; });
    define<float, double>(t, "fma", [](auto a, auto b, auto c) { return std::fma(a, b, c); });
    define<float, double>(t, "abs", [](auto a, auto, auto) { return std::fabs(a); });
    define<float, double>(t, "neg", [](auto a, auto, auto) { return -a; });
    define<float, double>(t, "sqrt", [](auto a, auto, auto) { return std::sqrt(a); });
    define<float, double>(t, "rcp", [](auto a, auto, auto) { return 1 / a; });
    define<float, double>(t, "copysign", [](auto a, auto b, auto) { return std::copysign(b, a); });
    // approximations: the exact value rounded once, within what the manual allows the hardware
    define<float>(t, "ex2.approx", [](auto a, auto, auto) { return static_cast<float>(std::exp2(static_cast<double>(a))); });
    define<float>(t, "ex2.approx.ftz",
                  [](auto a, auto, auto) { return flushed(static_cast<float>(std::exp2(static_cast<double>(flushed(a))))); });
    define<float>(t, "lg2.approx", [](auto a, auto, auto) { return static_cast<float>(std::log2(static_cast<double>(a))); });
    define<float>(t, "lg2.approx.ftz", [](auto a, auto, auto) { return static_cast<float>(std::log2(static_cast<double>(flushed(a)))); });
    define<float>(t, "rsqrt.approx", [](auto a, auto, auto) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); });
    define<float>(t, "rsqrt.approx.ftz",
                  [](auto a, auto, auto) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(flushed(a)))); });
    define<float>(t, "rcp.approx", [](auto a, auto, auto) { return 1 / a; });
    define<float>(t, "rcp.approx.ftz", [](auto a, auto, auto) { return flushed(1 / flushed(a)); });
    define<float>(t, "sqrt.approx", [](auto a, auto, auto) { return std::sqrt(a); });
    define<float>(t, "div.approx", [](auto a, auto b, auto) { return a / b; });
    define<float>(t, "div.full", [](auto a, auto b, auto) { return a / b; });
    define<float>(t, "tanh.approx", [](auto a, auto, auto) { return static_cast<float>(std::tanh(static_cast<double>(a))); });
    define<float>(t, "sin.approx", [](auto a, auto, auto) { return static_cast<float>(std::sin(static_cast<double>(a))); });
    define<float>(t, "cos.approx", [](auto a, auto, auto) { return static_cast<float>(std::cos(static_cast<double>(a))); });
}

}  // namespace netra::test::simt
