// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/attention.hpp>

#include "support/catch.hpp"

#include <random>
#include <vector>

using namespace netra;

constexpr attention small{.rows = 2, .heads = 4, .kv_heads = 2, .head_dim = 8, .context = 100};
static_assert(check(small).ok() && chunk_slots(small) == 1 && partial_values(small) == 10);
static_assert(bytes(small) == 2 * 2 * 100 * 8 * 4 + 8 * 2 * 4 * 8 && flops(small) == 4 * 2 * 4 * 8 * 100);
static_assert(check(attention{.heads = 5, .kv_heads = 2, .head_dim = 8, .context = 9}).why == reason::heads_not_divisible);
static_assert(check(attention{.heads = 2, .kv_heads = 2, .head_dim = 8, .context = 9, .chunk = 24}).why == reason::not_a_multiple);
static_assert(check(attention{.heads = 2, .kv_heads = 2, .head_dim = 8, .context = 9, .scale = -1.0F}).why == reason::bad_parameter);

TEST_CASE("every head and chunk has a place of its own among the partial results") {
    for (const u32_t splits : {1U, 2U, 3U}) {
        const attention c{.rows = 1, .heads = 6, .kv_heads = 2, .head_dim = 8, .context = 200, .chunk = 32, .splits = splits};
        std::vector<int> used(partial_bytes(c) / 4);
        for (u64_t h = 0; h < 6; ++h)
            for (u64_t chunk = 0; chunk < 7; ++chunk)
                for (u64_t i = 0; i < partial_values(c); ++i) used.at(partial_offset(c, h, chunk) + i) += 1;
        for (const int n : used) CHECK(n <= 1);
    }
}

TEST_CASE("the reference is softmax attention, windowed or not, whatever the chunks") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    for (const u32_t window : {0U, 1U, 7U, 40U})
        for (const u32_t chunk : {16U, 32U, 128U})
            for (const u64_t position : {u64_t{0}, u64_t{15}, u64_t{16}, u64_t{50}, u64_t{99}}) {
                const attention c{.heads = 1, .kv_heads = 1, .head_dim = 8, .context = 100, .window = window, .chunk = chunk};
                std::vector<float> q(8), k(800), v(800), out(8), scratch(2 * partial_values(c) + chunk);
                for (auto* x : {&q, &k, &v})
                    for (auto& e : *x) e = normal(engine);
                reference(c, q.data(), reinterpret_cast<const u8_t*>(k.data()), reinterpret_cast<const u8_t*>(v.data()), position, scratch.data(), out.data());
                double total = 0;
                double expected[8]{};
                for (u64_t j = window != 0 && position >= window ? position + 1 - window : 0; j <= position; ++j) {
                    double score = 0;
                    for (usz d = 0; d < 8; ++d) score += static_cast<double>(q[d]) * static_cast<double>(k[j * 8 + d]);
                    const double e = std::exp(score / std::sqrt(8.0));
                    total += e;
                    for (usz d = 0; d < 8; ++d) expected[d] += e * static_cast<double>(v[j * 8 + d]);
                }
                for (usz d = 0; d < 8; ++d) CHECK(std::abs(static_cast<double>(out[d]) - expected[d] / total) <= 2e-6);
            }
}
