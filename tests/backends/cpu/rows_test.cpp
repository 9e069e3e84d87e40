// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/rows.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

TEST_CASE("rms_norm_rows gives the reference's bits, in place too, for any width, groups and pitch") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 200; ++i) {
        rms_norm c{.rows = r.between(1, 16), .width = r.between(1, 200), .eps = 1e-5F, .plus_one = r.below(2) == 1, .groups = r.between(1, 3)};
        const u64_t width = u64_t{c.width} * c.groups;
        const u64_t pitch = width + r.below(3);
        const std::vector<float> x = r.normals(c.rows * pitch);
        const std::vector<float> w = r.normals(c.width);
        std::vector<float> y(c.rows * pitch, poison);
        std::vector<float> expected(c.rows * pitch, poison);
        cpu::rms_norm_rows(c, c.rows, x.data(), pitch, w.data(), y.data(), pitch);
        rms_norm row = c;
        row.rows = 1;
        for (u32_t k = 0; k < c.rows; ++k) reference(row, x.data() + k * pitch, w.data(), expected.data() + k * pitch);
        REQUIRE(same(y, expected));
        std::vector<float> in_place = x;
        cpu::rms_norm_rows(c, c.rows, in_place.data(), pitch, w.data(), in_place.data(), pitch);
        for (u32_t k = 0; k < c.rows; ++k)
            REQUIRE(std::memcmp(in_place.data() + k * pitch, y.data() + k * pitch, width * sizeof(float)) == 0);
    }
}

TEST_CASE("add_row adds and touches nothing else") {
    random_source r;
    INFO(r.text());
    for (u32_t n = 0; n < 70; ++n) {
        const std::vector<float> x = r.normals(n);
        std::vector<float> y = r.normals(n + 3);
        std::vector<float> expected = y;
        for (u32_t i = 0; i < n; ++i) expected[i] += x[i];
        cpu::add_row(x.data(), n, y.data());
        REQUIRE(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("gate_row is within a few ulp of fp64, and an element's bits depend on nothing but its operands") {
    random_source r;
    INFO(r.text());
    const auto exact = [](activation a, double x) {
        if (a == activation::silu) return x / (1.0 + std::exp(-x));
        if (a == activation::gelu) return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
        return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    };
    for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh}) {
        const usz n = 20000;
        std::vector<float> gate(n);
        for (usz i = 0; i < n; ++i) gate[i] = -20.0F + 40.0F * static_cast<float>(i) / static_cast<float>(n);
        const std::vector<float> up = r.normals(n);
        std::vector<float> y(n + 1, poison);
        cpu::gate_row(a, gate.data(), up.data(), n, y.data());
        REQUIRE(std::isnan(y[n]));
        for (usz i = 0; i < n; ++i) {
            const double want = exact(a, static_cast<double>(gate[i])) * static_cast<double>(up[i]);
            INFO(static_cast<int>(a) << " of " << gate[i]);
            REQUIRE(std::abs(static_cast<double>(y[i]) - want) <= 1e-6 * std::abs(want) + 4e-7 * std::abs(static_cast<double>(up[i])));
        }
        for (int cut = 0; cut < 50; ++cut) {
            const u32_t from = r.below(n - 40);
            const u32_t count = r.between(1, 40);
            std::vector<float> piece(count);
            cpu::gate_row(a, gate.data() + from, up.data() + from, count, piece.data());
            REQUIRE(std::memcmp(piece.data(), y.data() + from, count * sizeof(float)) == 0);
        }
    }
    const std::vector<float> extreme{-INFINITY, -1e30F, -100.0F, 0.0F, 100.0F, 1e30F, INFINITY, NAN};
    const std::vector<float> one(extreme.size(), 1.0F);
    std::vector<float> y(extreme.size());
    cpu::gate_row(activation::silu, extreme.data(), one.data(), 8, y.data());
    CHECK(y[1] == 0.0F);
    CHECK(std::abs(y[2]) < 1e-40F);
    CHECK(y[3] == 0.0F);
    CHECK(y[4] == 100.0F);
    CHECK(y[6] == INFINITY);
    CHECK(std::isnan(y[7]));
}

TEST_CASE("gate_row follows gated_mul's reference: gelu to the bit, silu within 4 ulp, gelu_tanh but for what the reference cancels away") {
    for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh})
        for (int i = -40000; i <= 40000; ++i) {
            const float gate = static_cast<float>(i) * 0.00217F;
            const float up = 1.0F;
            const float pair[] = {gate, up};
            float expected = poison;
            float y = poison;
            reference(gated_mul{.width = 1, .act = a}, pair, &expected);
            cpu::gate_row(a, &gate, &up, 1, &y);
            INFO(static_cast<int>(a) << " of " << gate << ": " << y << ", reference " << expected);
            if (a == activation::gelu) REQUIRE(f32_bits(y) == f32_bits(expected));
            if (a == activation::silu || (a == activation::gelu_tanh && gate >= 0.0F)) REQUIRE(ulps(y, expected) <= 4);
            if (a == activation::gelu_tanh) REQUIRE(std::abs(y - expected) <= 0x1p-22F * std::abs(gate));
            if (a == activation::gelu_tanh && gate > -8.0F) {  // 1 + tanh(t) from its definition, in fp64
                const double x = static_cast<double>(gate);
                const double t = std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
                REQUIRE(std::abs(static_cast<double>(y) - x / (1.0 + std::exp(-2.0 * t))) <= 2e-5 * std::abs(static_cast<double>(y)));
            }
        }
}

TEST_CASE("gate_row and add_row write their elements alone, in memory of the exact size") {
    random_source r;
    INFO(r.text());
    for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh})
        for (u32_t n = 0; n < 70; ++n) {
            const std::unique_ptr<float[]> gate(new float[n]);
            const std::unique_ptr<float[]> up(new float[n]);
            for (u32_t i = 0; i < n; ++i) gate[i] = r.normal(), up[i] = r.normal();
            std::vector<float> y(n + 20, poison);
            cpu::gate_row(a, gate.get(), up.get(), n, y.data() + 3);
            for (u32_t i = 0; i < n + 20; ++i) REQUIRE(std::isnan(y[i]) == (i < 3 || i >= n + 3));
        }
}

TEST_CASE("embed_row decodes every format to the bits of weight_at") {
    random_source r;
    INFO(r.text());
    for (const auto& f : all_formats())
        for (int i = 0; i < 30; ++i) {
            const u32_t width = block_elements(f) > 1 ? 32 * r.between(1, 30) : r.between(1, 400);
            const netra::embedding c{.vocab = 1, .width = width, .weight = f};
            const exact_bytes w = random_weights(r, f, width, 1);
            std::vector<float> y(width + 2, poison);
            std::vector<float> expected(width + 2, poison);
            cpu::embed_row(c, w.data(), y.data());
            for (u32_t k = 0; k < width; ++k) expected[k] = weight_at(f, w.data(), k);
            INFO(name_of(f) << " " << width);
            REQUIRE(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0);
        }
}
