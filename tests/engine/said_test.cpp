// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/bits.hpp>
#include <netra/engine/said.hpp>

#include "support/catch.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using netra::said;
using netra::shown;

TEST_CASE("values stand where their places are") {
    const std::string name = "blk.0";
    CHECK(said("{}", {"alone"}) == "alone");
    CHECK(said("tensor {} ({} x {})", {name, 3, std::string_view("four")}) == "tensor blk.0 (3 x four)");
    CHECK(said("{}{} and {} {} }{", {name, 1U, "{}", true}) == "blk.01 and {} true }{");
    CHECK(said("<|{}|>", {""}) == "<||>");
}

TEST_CASE("integers of every type are written whole") {
    CHECK(said("{} {} {}", {-1, std::numeric_limits<long>::min(), std::numeric_limits<netra::i64_t>::max()}) ==
          fmt::format("{} {} {}", -1, std::numeric_limits<long>::min(), std::numeric_limits<netra::i64_t>::max()));
    CHECK(said("{} {} {}", {netra::u8_t{200}, netra::u16_t{65535}, std::numeric_limits<netra::u64_t>::max()}) ==
          fmt::format("{} {} {}", netra::u8_t{200}, netra::u16_t{65535}, std::numeric_limits<netra::u64_t>::max()));
    CHECK(said("{} {}", {sizeof(int), 7U}) == "4 7");
}

TEST_CASE("real numbers are written as fmt writes them") {
    const auto same = [](auto v) {
        CHECK(said("{}", {v}) == fmt::format("{}", v));
        CHECK(said("{}", {shown::rounded(static_cast<double>(v))}) == fmt::format("{:g}", static_cast<double>(v)));
    };
    for (const double v : {0.0, -0.0, 1.0, -1.5, 1e5, 1e15, 9999999999999998.0, 1e16, 1e-4, 9.9999e-5, 1e-5, 5e-324, 1.7976931348623157e308, 0.1,
                           1e22, 1e23, HUGE_VAL, -HUGE_VAL})
        same(v);
    for (const float v : {0.0F, 1e-5F, 1e-6F, 10000.0F, 500000.0F, 1e16F, 3.4028235e38F, 1e-45F, 0.1F}) same(v);
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
        const double d = std::bit_cast<double>(random());
        const float f = std::bit_cast<float>(static_cast<netra::u32_t>(random()));
        if (!std::isnan(d)) same(d);
        if (!std::isnan(f) && !(std::fabs(f) > 16777216.0F && std::fabs(f) < 1e16F)) same(f);  // fmt writes zeros for digits that do not matter
        same(std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 80)));
    }
}
