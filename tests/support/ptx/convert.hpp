// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Conversions between types, one line each; `.rn` is left out of their names here.
#pragma once

#include "support/ptx/alu.hpp"

namespace netra::test::simt {

template <class To, class From>
word convert_integer(word a, word, word) {
    return to_word(static_cast<To>(from_word<From>(a)));
}
template <class From>
void define_conversions_from(lane_table& t) {
    const std::string from = std::string(".") + type_name<From>();
    t.emplace("cvt.u16" + from, &convert_integer<u16_t, From>);
    t.emplace("cvt.s16" + from, &convert_integer<i16_t, From>);
    t.emplace("cvt.u32" + from, &convert_integer<u32_t, From>);
    t.emplace("cvt.s32" + from, &convert_integer<i32_t, From>);
    t.emplace("cvt.u64" + from, &convert_integer<u64_t, From>);
    t.emplace("cvt.s64" + from, &convert_integer<i64_t, From>);
    t.emplace("cvt.u8" + from, &convert_integer<u8_t, From>);
    t.emplace("cvt.s8" + from, &convert_integer<i8_t, From>);
    t.emplace("cvt.f32" + from, [](word a, word, word) { return to_word(static_cast<float>(from_word<From>(a))); });
    t.emplace("cvt.f64" + from, [](word a, word, word) { return to_word(static_cast<double>(from_word<From>(a))); });
}
template <class To>
void define_roundings(lane_table& t) {
    const std::string tail = std::string(".") + type_name<To>() + ".f32";
    t.emplace("cvt.rni" + tail,
              [](word a, word, word) { return float_to_integer<To>(std::nearbyint(static_cast<double>(from_word<float>(a)))); });
    t.emplace("cvt.rzi" + tail,
              [](word a, word, word) { return float_to_integer<To>(std::trunc(static_cast<double>(from_word<float>(a)))); });
    t.emplace("cvt.rmi" + tail,
              [](word a, word, word) { return float_to_integer<To>(std::floor(static_cast<double>(from_word<float>(a)))); });
    t.emplace("cvt.rpi" + tail,
              [](word a, word, word) { return float_to_integer<To>(std::ceil(static_cast<double>(from_word<float>(a)))); });
}

/// Two floats in one register, the first operand in the upper half.
template <const narrow_float& Format, bool Saturate>
word pack_floats(word a, word b, word) {
    const int bits = 1 + Format.exponent + Format.mantissa;
    return packed(Format.encode(static_cast<double>(from_word<float>(a)), Saturate),
                  Format.encode(static_cast<double>(from_word<float>(b)), Saturate), bits);
}
/// Two 8-bit floats as two 16-bit ones.
template <const narrow_float& Format>
word widen_floats(word a, word, word) {
    return packed(half_format.encode(Format.decode((a >> 8) & 255)), half_format.encode(Format.decode(a & 255)));
}

inline void add_conversions(lane_table& t) {
    define_conversions_from<u16_t>(t);
    define_conversions_from<i16_t>(t);
    define_conversions_from<u32_t>(t);
    define_conversions_from<i32_t>(t);
    define_conversions_from<u64_t>(t);
    define_conversions_from<i64_t>(t);
    t.emplace("cvt.u32.u8", [](word a, word, word) -> word { return a & 255; });
    t.emplace("cvt.u16.u8", [](word a, word, word) -> word { return a & 255; });
    t.emplace("cvt.s32.s8", [](word a, word, word) -> word { return to_word(static_cast<i32_t>(static_cast<i8_t>(a & 255))); });
    t.emplace("cvt.f32.s8", [](word a, word, word) -> word { return to_word(static_cast<float>(static_cast<i8_t>(a & 255))); });
    t.emplace("cvt.f32.u8", [](word a, word, word) -> word { return to_word(static_cast<float>(a & 255)); });
    define_roundings<u32_t>(t);
    define_roundings<i32_t>(t);
    define_roundings<u64_t>(t);
    define_roundings<i64_t>(t);
    t.emplace("cvt.f64.f32", [](word a, word, word) -> word { return to_word(static_cast<double>(from_word<float>(a))); });
    t.emplace("cvt.f32.f64", [](word a, word, word) -> word { return to_word(static_cast<float>(from_word<double>(a))); });
    t.emplace("cvt.f32.f16", [](word a, word, word) -> word { return to_word(half_to_float(a)); });
    t.emplace("cvt.f32.bf16", [](word a, word, word) -> word { return to_word(bfloat_to_float(a)); });
    t.emplace("cvt.f16.f32", [](word a, word, word) -> word { return float_to_half(from_word<float>(a)); });
    t.emplace("cvt.bf16.f32", [](word a, word, word) -> word { return float_to_bfloat(from_word<float>(a)); });
    t.emplace("cvt.f16x2.f32", &pack_floats<half_format, false>);
    t.emplace("cvt.bf16x2.f32", &pack_floats<bfloat_format, false>);
    t.emplace("cvt.satfinite.e4m3x2.f32", &pack_floats<e4m3_format, true>);
    t.emplace("cvt.satfinite.e5m2x2.f32", &pack_floats<e5m2_format, true>);
    t.emplace("cvt.f16x2.e4m3x2", &widen_floats<e4m3_format>);
    t.emplace("cvt.f16x2.e5m2x2", &widen_floats<e5m2_format>);
}

// packed 16-bit arithmetic: each half computed exactly and rounded once
template <class F>
word on_halves(word a, word b, word c, const narrow_float& format, F f) {
    const auto half = [&](int shift) {
        return format.encode(
            f(format.decode((a >> shift) & 0xffff), format.decode((b >> shift) & 0xffff), format.decode((c >> shift) & 0xffff)));
    };
    return packed(half(16), half(0));
}
inline void add_packed(lane_table& t) {
    t.emplace("add.f16x2", [](word a, word b, word) -> word {
        return on_halves(a, b, 0, half_format, [](double x, double y, double) { return x + y; });
    });
    t.emplace("sub.f16x2", [](word a, word b, word) -> word {
        return on_halves(a, b, 0, half_format, [](double x, double y, double) { return x - y; });
    });
    t.emplace("mul.f16x2", [](word a, word b, word) -> word {
        return on_halves(a, b, 0, half_format, [](double x, double y, double) { return x * y; });
    });
    t.emplace("fma.f16x2", [](word a, word b, word c) -> word {
        return on_halves(a, b, c, half_format, [](double x, double y, double z) { return x * y + z; });
    });
    t.emplace("fma.bf16x2", [](word a, word b, word c) -> word {
        return on_halves(a, b, c, bfloat_format, [](double x, double y, double z) { return x * y + z; });
    });
}

inline const lane_table& lane_functions() {
    static const lane_table table = [] {
        lane_table t;
        add_integers(t);
        add_bits(t);
        add_compares(t);
        add_floats(t);
        add_conversions(t);
        add_packed(t);
        return t;
    }();
    return table;
}

}  // namespace netra::test::simt
