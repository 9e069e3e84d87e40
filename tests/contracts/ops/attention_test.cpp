// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/attention.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

using namespace netra;

namespace {

constexpr attention base{.rows = 2, .heads = 4, .kv_heads = 2, .head_dim = 8, .context = 100, .chunk = 32};
constexpr attention with(auto change) {
    attention c = base;
    change(c);
    return c;
}

/// Caches and a query of random numbers.
struct sequence {
    attention c;
    std::vector<float> q, keys, values;
    explicit sequence(const attention& of, unsigned seed) : c(of), q(of.head_dim), keys(u64_t{of.context} * of.head_dim), values(keys.size()) {
        std::mt19937 random(seed);
        for (auto* v : {&q, &keys, &values})
            for (float& x : *v) x = static_cast<float>(static_cast<i32_t>(random() >> 16) - 32768) / 16384.0F;  // in [-2, 2)
    }
    std::vector<u8_t> stored(const std::vector<float>& x) const {
        std::vector<u8_t> out(x.size() * 4);
        for (usz i = 0; i < x.size(); ++i) store_kv(c.kv, out.data(), i, x[i]);
        return out;
    }
    std::vector<float> by_reference(u64_t position) const {
        std::vector<float> scratch(2 * partial_values(c) + c.chunk);
        std::vector<float> out(c.head_dim);
        reference(c, q.data(), stored(keys).data(), stored(values).data(), position, scratch.data(), out.data());
        return out;
    }
    /// Softmax over the positions that are seen, in fp64 and one piece.
    std::vector<double> in_fp64(u64_t position) const {
        const std::vector<u8_t> k = stored(keys);
        const std::vector<u8_t> v = stored(values);
        const u64_t first = c.window != 0 && position + 1 > c.window ? position + 1 - c.window : 0;
        const double scale = c.scale != 0.0F ? static_cast<double>(c.scale) : 1.0 / std::sqrt(static_cast<double>(c.head_dim));
        std::vector<double> out(c.head_dim);
        double sum = 0.0;
        for (u64_t j = first; j <= position; ++j) {
            double dot = 0.0;
            for (u64_t d = 0; d < c.head_dim; ++d) dot += static_cast<double>(q[d]) * static_cast<double>(load_kv(c.kv, k.data(), j * c.head_dim + d));
            const double e = std::exp(dot * scale);
            sum += e;
            for (u64_t d = 0; d < c.head_dim; ++d) out[d] += e * static_cast<double>(load_kv(c.kv, v.data(), j * c.head_dim + d));
        }
        for (double& x : out) x /= sum;
        return out;
    }
};

}  // namespace

static_assert(check(base).ok());
static_assert(bytes(base) == 2 * 2 * 100 * 8 * 4 + 8 * 2 * 4 * 8 && flops(base) == 4 * 2 * 4 * 8 * 100);
static_assert(bytes(with([](auto& c) { c.kv = bf16, c.window = 10; })) == 2 * 2 * 10 * 8 * 2 + 8 * 2 * 4 * 8);
static_assert(flops(with([](auto& c) { c.window = 10; })) == 4 * 2 * 4 * 8 * 10 && flops(with([](auto& c) { c.window = 200; })) == flops(base));
static_assert(check(with([](auto& c) { c.rows = 17; })).why == reason::too_many_rows);
static_assert(check(with([](auto& c) { c.head_dim = 1025; }))[label::limit] == 1024);
static_assert(check(with([](auto& c) { c.context = 0; })).why == reason::zero_size);
static_assert(check(with([](auto& c) { c.chunk = 24; }))[label::multiple] == 16);
static_assert(check(with([](auto& c) { c.splits = 257; }))[label::value] == 257);
static_assert(check(with([](auto& c) { c.scale = __builtin_nanf(""); })).why == reason::bad_parameter);
static_assert(check(with([](auto& c) { c.kv = i8; })).object == name{"kv"});
static_assert(std::string_view(sentence(check(with([](auto& c) { c.heads = 5; }))).d) ==
              "attention: 5 query heads cannot share 2 key-value heads evenly");
static_assert(chunk_slots(base) == 4 && chunk_slots(with([](auto& c) { c.splits = 3; })) == 2 && partial_values(base) == 10);

TEST_CASE("every head and chunk has partial results of its own, inside the bytes that are declared") {
    for (const u32_t splits : {1U, 2U, 3U, 4U, 7U}) {
        const attention c = with([&](auto& a) { a.splits = splits; });
        std::vector<int> used(partial_bytes(c) / 4);
        for (u64_t head = 0; head < c.heads; ++head)
            for (u64_t chunk = 0; chunk < 4; ++chunk)
                for (u64_t i = 0; i < partial_values(c); ++i) ++used.at(partial_offset(c, head, chunk) + i);
        for (const int times : used) CHECK(times <= 1);
    }
}

TEST_CASE("one position gives its value; equal scores give the mean; a window hides what is older") {
    attention c{.heads = 1, .kv_heads = 1, .head_dim = 2, .context = 4};
    sequence s(c, 1);
    CHECK(s.by_reference(0) == std::vector<float>{s.values[0], s.values[1]});
    s.q = {0, 0};
    s.values = {1, 10, 2, 20, 3, 30, 6, 60};
    CHECK(s.by_reference(3) == std::vector<float>{3, 30});
    CHECK(s.by_reference(2) == std::vector<float>{2, 20});
    s.c.window = 2;
    CHECK(s.by_reference(3) == std::vector<float>{4.5F, 45});
    s.c.window = 1;
    CHECK(s.by_reference(3) == std::vector<float>{6, 60});
    // weights 1 and 3 for scores 0 and log 3
    s.c.window = 0;
    s.c.scale = std::log(3.0F);
    s.q = {1, 0};
    s.keys = {0, 5, 1, 5, 0, 0, 0, 0};
    CHECK(std::abs(s.by_reference(1)[0] - 1.75F) < 1e-6F);
}

TEST_CASE("chunks and windows against softmax in fp64") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    for (const dtype kv : {f32, f16, bf16}) {
        for (const u32_t window : {0U, 1U, 31U, 32U, 33U, 70U}) {
            for (const float scale : {0.0F, 2.0F}) {
                const sequence s(with([&](auto& a) { a.kv = kv, a.window = window, a.scale = scale; }), seed + window);
                for (const u64_t position : {0U, 1U, 31U, 32U, 63U, 64U, 99U}) {
                    const std::vector<float> got = s.by_reference(position);
                    const std::vector<double> expected = s.in_fp64(position);
                    for (usz d = 0; d < got.size(); ++d) {
                        INFO(name_of(kv) << ", window " << window << ", position " << position);
                        CHECK(std::abs(static_cast<double>(got[d]) - expected[d]) < 2e-5);
                    }
                }
            }
        }
    }
}

TEST_CASE("scores that overflow exp in fp32 do no harm") {
    sequence s(with([](auto& a) { a.scale = 1000.0F; }), 5);
    for (float& x : s.keys) x = 1.0F;
    for (float& x : s.q) x = 1.0F;
    for (u64_t d = 0; d < 8; ++d) s.keys[40 * 8 + d] = 1.5F;  // far ahead of all others
    const std::vector<float> got = s.by_reference(99);
    CHECK(got == std::vector<float>(s.values.begin() + 40 * 8, s.values.begin() + 41 * 8));
}
