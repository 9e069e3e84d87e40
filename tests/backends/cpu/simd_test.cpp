// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/simd.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

TEST_CASE("exp is within an ulp or two of fp64 over its whole range, and right at its ends") {
    const auto exp_of = [](float x) {
        alignas(64) float lanes[16];
        cpu::store(lanes, cpu::exp(cpu::splat(x)));
        for (const float v : lanes) REQUIRE(f32_bits(v) == f32_bits(lanes[0]));
        return lanes[0];
    };
    for (float x = -87.0F; x < 88.5F; x += 0.00173F) {
        INFO(x);
        REQUIRE(ulps(exp_of(x), static_cast<float>(std::exp(static_cast<double>(x)))) <= 2);
    }
    CHECK(exp_of(0.0F) == 1.0F);
    CHECK(exp_of(-200.0F) == 0.0F);
    CHECK(exp_of(-INFINITY) == 0.0F);
    CHECK(exp_of(89.0F) == INFINITY);
    CHECK(exp_of(INFINITY) == INFINITY);
    CHECK(std::isnan(exp_of(NAN)));
}

TEST_CASE("partial loads and stores stay inside") {
    random_source r;
    INFO(r.text());
    for (u64_t n = 0; n <= 16; ++n) {
        std::vector<float> from = r.normals(n);
        alignas(64) float lanes[16];
        cpu::store(lanes, cpu::load_partial(from.data(), n, 7.0F));
        for (u64_t i = 0; i < 16; ++i) REQUIRE(lanes[i] == (i < n ? from[i] : 7.0F));
        std::vector<float> to(17, poison);
        cpu::store_partial(to.data(), n, cpu::load(lanes));
        for (u64_t i = 0; i < 17; ++i) REQUIRE((i < n ? to[i] == from[i] : std::isnan(to[i])));
    }
}
