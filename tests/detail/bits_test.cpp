// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/bits.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "support/catch.hpp"

using namespace netra;

namespace {

static_assert(f32_bits(1.0F) == 0x3f800000U && f32_from_bits(0x40490fdbU) == 3.14159274F);
static_assert(f32_to_bf16(1.0F) == 0x3f80 && bf16_to_f32(0xbf80) == -1.0F);
static_assert(f32_to_f16(1.0F) == 0x3c00 && f16_to_f32(0xbc00) == -1.0F);
static_assert(f32_to_f16(65504.0F) == 0x7bff && f16_to_f32(0x7bff) == 65504.0F && f32_to_f16(-65520.0F) == 0xfc00);
static_assert(f32_to_f16(0x1p-24F) == 1 && f32_to_f16(0x1p-25F) == 0 && f32_to_f16(0x1.8p-25F) == 1);

/// The value of a binary16 that is finite, from the definition of the format.
double value_of_f16(unsigned v) {
    const int exponent = static_cast<int>(v >> 10 & 31);
    const double fraction = (v & 1023) / 1024.0;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1.0 + fraction, exponent - 15);
    return (v & 0x8000) != 0 ? -magnitude : magnitude;
}

/// The number nearest to `x` among those of a 16-bit format, ties to the even one, by comparison with both neighbours.
template <class Value>
bool is_nearest(float x, u16_t rounded, Value value_of, u16_t largest) {
    const u16_t magnitude = rounded & 0x7fff;
    const double distance = std::abs(static_cast<double>(x) - value_of(rounded));
    for (const int step : {-1, 1}) {
        if ((magnitude == 0 && step == -1) || (magnitude == largest && step == 1)) continue;
        const auto other = static_cast<u16_t>(rounded + step);
        const double other_distance = std::abs(static_cast<double>(x) - value_of(other));
        if (other_distance < distance || (other_distance == distance && (rounded & 1) != 0)) return false;  // NOLINT: exact
    }
    return true;
}

}  // namespace

TEST_CASE("every binary16 has its value, and comes back") {
    for (unsigned i = 0; i < 0x10000; ++i) {
        const auto v = static_cast<u16_t>(i);
        const float f = f16_to_f32(v);
        if ((v & 0x7c00) != 0x7c00) {
            REQUIRE(static_cast<double>(f) == value_of_f16(v));
            REQUIRE(std::signbit(f) == ((v & 0x8000) != 0));
            REQUIRE(f32_to_f16(f) == v);
        } else if ((v & 1023) == 0) {
            REQUIRE(std::isinf(f));
            REQUIRE(f32_to_f16(f) == v);
        } else {
            REQUIRE(std::isnan(f));
            REQUIRE((f32_to_f16(f) & 0x7fff) > 0x7c00);
        }
    }
}

TEST_CASE("every bfloat16 comes back") {
    for (unsigned i = 0; i < 0x10000; ++i) {
        const auto v = static_cast<u16_t>(i);
        const float f = bf16_to_f32(v);
        REQUIRE(f32_bits(f) == i << 16);
        if (std::isnan(f))
            REQUIRE(std::isnan(bf16_to_f32(f32_to_bf16(f))));
        else
            REQUIRE(f32_to_bf16(f) == v);
    }
}

TEST_CASE("halfway between two numbers, the even one is taken") {
    for (unsigned i = 0; i < 0x7bff; ++i) {
        const auto v = static_cast<u16_t>(i);
        const auto next = static_cast<u16_t>(i + 1);
        const auto middle = static_cast<float>((value_of_f16(v) + value_of_f16(next)) / 2);
        REQUIRE(f32_to_f16(middle) == (i % 2 == 0 ? v : next));
        REQUIRE(f32_to_f16(-middle) == ((i % 2 == 0 ? v : next) | 0x8000));
        REQUIRE(f32_to_f16(std::nextafter(middle, 1e9F)) == next);
        REQUIRE(f32_to_f16(std::nextafter(middle, -1e9F)) == v);
    }
    for (unsigned i = 0; i <= 0x7f7f; ++i) {  // the last middle is that of the largest number and 2^128, which is infinity
        const auto v = static_cast<u16_t>(i);
        const auto next = static_cast<u16_t>(i + 1);
        const double above = next == 0x7f80 ? 0x1p128 : static_cast<double>(bf16_to_f32(next));
        const auto middle = static_cast<float>((static_cast<double>(bf16_to_f32(v)) + above) / 2);
        REQUIRE(f32_to_bf16(middle) == (i % 2 == 0 ? v : next));
        REQUIRE(f32_to_bf16(-middle) == ((i % 2 == 0 ? v : next) | 0x8000));
        REQUIRE(f32_to_bf16(std::nextafter(middle, std::numeric_limits<float>::infinity())) == next);
        REQUIRE(f32_to_bf16(std::nextafter(middle, 0.0F)) == v);
    }
    CHECK(f32_to_bf16(f32_from_bits(0x7f7fffff)) == 0x7f80);
}

TEST_CASE("random numbers round to the nearest") {
    const u32_t seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (int i = 0; i < 200'000; ++i) {
        const float x = f32_from_bits(static_cast<u32_t>(random()));
        if (!std::isfinite(x)) continue;
        INFO("bits " << f32_bits(x));
        const u16_t half = f32_to_f16(x);
        if (std::abs(x) >= 65520.0F)
            REQUIRE((half & 0x7fff) == 0x7c00);
        else
            REQUIRE(is_nearest(
                x, half, [](u16_t v) { return value_of_f16(v); }, 0x7bff));
        const u16_t brain = f32_to_bf16(x);
        if ((brain & 0x7fff) == 0x7f80)
            REQUIRE((f32_bits(x) & 0x7fffffffU) >= 0x7f7f8000U);
        else
            REQUIRE(is_nearest(
                x, brain, [](u16_t v) { return static_cast<double>(bf16_to_f32(v)); }, 0x7f7f));
    }
}

TEST_CASE("a NaN stays one, even if all its upper bits are zero") {
    for (const u32_t bits : {0x7f800001U, 0xff800001U, 0x7fc00000U, 0x7fffffffU}) {
        const u16_t brain = f32_to_bf16(f32_from_bits(bits));
        CHECK((brain & 0x7fff) > 0x7f80);
        CHECK(brain >> 15 == bits >> 31);
        const u16_t half = f32_to_f16(f32_from_bits(bits));
        CHECK((half & 0x7fff) > 0x7c00);
        CHECK(half >> 15 == bits >> 31);
    }
}
