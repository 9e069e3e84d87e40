// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/dot.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

namespace {

std::vector<float> reference_of(const weight_format& f, const u8_t* w, u32_t in, u32_t count, u32_t rows, const std::vector<float>& x,
                                u64_t x_pitch, u64_t y_pitch) {
    std::vector<float> y(rows * y_pitch, poison);
    const linear c{.rows = 1, .out = count, .in = in, .weight = f};
    for (u64_t r = 0; r < rows; ++r) reference(c, x.data() + r * x_pitch, w, nullptr, y.data() + r * y_pitch);
    return y;
}

}  // namespace

TEST_CASE("dot_rows gives the bits of linear's reference for every format, shape, pitch and number of rows") {
    random_source r;
    INFO(r.text());
    for (const auto& f : all_formats())
        for (int i = 0; i < 60; ++i) {
            const bool blocks = block_elements(f) > 1;
            const u32_t in = blocks ? 32 * r.between(1, 40) : r.one_of({r.between(1, 100), r.between(1, 700), 16 * r.between(1, 40), 24U, 41U, 100U});
            const u32_t count = r.one_of({1U, 2U, 7U, 15U, 16U, 17U, r.between(1, 50)});
            const u32_t rows = r.between(1, 16);
            const u64_t x_pitch = in + r.below(3);
            const u64_t y_pitch = count + r.below(3);
            INFO(name_of(f) << " in " << in << " count " << count << " rows " << rows);
            const exact_bytes w = random_weights(r, f, in, count);
            const std::vector<float> x = r.normals((rows - 1) * x_pitch + in);
            std::vector<float> y(rows * y_pitch, poison);
            cpu::dot_rows(f, w.data(), in, count, x.data(), x_pitch, rows, y.data(), y_pitch);
            const auto expected = reference_of(f, w.data(), in, count, rows, x, x_pitch, y_pitch);
            CAPTURE(first_difference(y, expected));
            REQUIRE(same(y, expected));
        }
}

TEST_CASE("dot_rows: long rows cross every block of k") {
    random_source r;
    INFO(r.text());
    for (const auto& f : all_formats())
        for (const u32_t in : {2048U + 32U, 8192U + 64U, 9216U})
            for (const u32_t rows : {1U, 3U, 16U}) {
                INFO(name_of(f) << " in " << in << " rows " << rows);
                const exact_bytes w = random_weights(r, f, in, 5);
                const std::vector<float> x = r.normals(rows * in);
                std::vector<float> y(rows * 5, poison);
                cpu::dot_rows(f, w.data(), in, 5, x.data(), in, rows, y.data(), 5);
                REQUIRE(same(y, reference_of(f, w.data(), in, 5, rows, x, in, 5)));
            }
}

TEST_CASE("dot_rows: a row's bits depend neither on the other rows nor on where tiles are cut") {
    random_source r;
    INFO(r.text());
    for (const auto& f : all_formats()) {
        const u32_t in = block_elements(f) > 1 ? 576 : 587;
        const u32_t count = 53;
        const exact_bytes w = random_weights(r, f, in, count);
        const std::vector<float> x = r.normals(16 * in);
        std::vector<float> whole(16 * count, poison);
        cpu::dot_rows(f, w.data(), in, count, x.data(), in, 16, whole.data(), count);
        std::vector<float> cut(16 * count, poison);
        for (u32_t row = 0; row < 16;) {
            const u32_t rows = std::min(r.between(1, 5), 16 - row);
            for (u32_t o = 0; o < count;) {
                const u32_t some = std::min(r.between(1, 20), count - o);
                cpu::dot_rows(f, w.data() + o * bytes_of(f, in), in, some, x.data() + row * in, in, rows, cut.data() + row * count + o, count);
                o += some;
            }
            row += rows;
        }
        REQUIRE(std::memcmp(whole.data(), cut.data(), whole.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("dot_rows keeps the sign of an underflow to zero in a row with a tail") {
    std::vector<float> w(17, 0.0F);
    std::vector<float> x(17, 0.0F);
    for (usz i = 0; i < 17; ++i) w[i] = -0x1p-120F, x[i] = 0x1p-120F;
    const linear c{.out = 1, .in = 17};
    std::vector<float> expected(1);
    std::vector<float> y(1, poison);
    reference(c, x.data(), reinterpret_cast<const u8_t*>(w.data()), nullptr, expected.data());
    cpu::dot_rows(f32, reinterpret_cast<const u8_t*>(w.data()), 17, 1, x.data(), 17, 1, y.data(), 1);
    REQUIRE(f32_bits(y[0]) == f32_bits(expected[0]));
}

TEST_CASE("dot_rows: infinities and NaN arrive where the reference has them") {
    std::vector<float> w{INFINITY, 1.0F, 1.0F, NAN, -INFINITY, INFINITY};
    const std::vector<float> x{1.0F, 2.0F};
    std::vector<float> y(3);
    cpu::dot_rows(f32, reinterpret_cast<const u8_t*>(w.data()), 2, 3, x.data(), 2, 1, y.data(), 3);
    REQUIRE(y[0] == INFINITY);
    REQUIRE(std::isnan(y[1]));
    REQUIRE(std::isnan(y[2]));
}
