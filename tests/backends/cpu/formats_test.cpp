// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/formats.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

TEST_CASE("decode gives the bits of weight_at for any part of a row, and reads nothing behind it") {
    random_source r;
    INFO(r.text());
    for (const auto& f : all_formats())
        for (int i = 0; i < 60; ++i) {
            const bool blocks = block_elements(f) > 1;
            const u64_t width = blocks ? 32 * r.between(1, 600) : r.between(1, 700);
            const u64_t from = blocks ? 32 * r.below(static_cast<unsigned>(width / 32)) : 16 * r.below(static_cast<unsigned>(width / 16 + 1));
            const u64_t n = blocks ? 32 * r.between(1, static_cast<unsigned>((width - from) / 32)) : width - from;
            const exact_bytes row = random_weights(r, f, width, 1);
            std::vector<float> y(n + 1, poison);
            cpu::with_storage(f, [&](auto s) { cpu::decode<decltype(s)::value>(row.data(), from, n, y.data()); });
            INFO(name_of(f) << " elements " << from << " and " << n << " more");
            for (u64_t k = 0; k < n; ++k) REQUIRE(f32_bits(y[k]) == f32_bits(weight_at(f, row.data(), from + k)));
            REQUIRE(std::isnan(y[n]));
        }
}

TEST_CASE("all values of the 16-bit formats come out as their definitions say") {
    for (const weight_format f : {weight_format{f16}, weight_format{bf16}})
        for (u32_t from = 0; from < 65536; from += 256) {
            std::vector<u8_t> row(512);
            for (u32_t i = 0; i < 256; ++i) row[2 * i] = static_cast<u8_t>(i), row[2 * i + 1] = static_cast<u8_t>(from >> 8);
            std::vector<float> y(row.size() / 2);
            cpu::with_storage(f, [&](auto s) { cpu::decode<decltype(s)::value>(row.data(), 0, y.size(), y.data()); });
            for (u32_t i = 0; i < 256; ++i) {
                const float want = weight_at(f, row.data(), i);
                REQUIRE((std::isnan(want) ? std::isnan(y[i]) : f32_bits(y[i]) == f32_bits(want)));
            }
        }
}
