// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/attention.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

namespace {

/// Caches whose bytes outside the positions that rows may see are NaN, and queries.
struct problem {
    attention c;
    u64_t position;
    std::vector<float> q;
    exact_bytes keys;
    exact_bytes values;

    problem(random_source& r, const attention& of, u64_t at)
        : c(of), position(at), q(r.normals(usz{of.rows} * of.heads * of.head_dim)), keys(cache_bytes(of)), values(cache_bytes(of)) {
        std::vector<u8_t> one(4);
        for (exact_bytes* cache : {&keys, &values})
            for (u64_t i = 0; i < u64_t{c.kv_heads} * c.context * c.head_dim; ++i) {
                const u64_t at_position = i / c.head_dim % c.context;
                const u64_t first = c.window != 0 && position + 1 > c.window ? position + 1 - c.window : 0;
                const bool seen = at_position >= first && at_position < position + c.rows;
                const float v = seen ? r.normal() : poison;
                const u64_t size = bits_of(c.kv) / 8;
                if (c.kv == f32) std::memcpy(cache->data() + i * size, &v, 4);
                else {
                    const u16_t half = c.kv == f16 ? f32_to_f16(v) : f32_to_bf16(v);
                    std::memcpy(cache->data() + i * size, &half, 2);
                }
            }
    }
    static usz cache_bytes(const attention& c) { return usz{c.kv_heads} * c.context * c.head_dim * bits_of(c.kv) / 8; }

    std::vector<float> expected() const {
        std::vector<float> out(q.size());
        std::vector<float> scratch(2 * partial_values(c) + c.chunk);
        const u64_t cache = u64_t{c.context} * c.head_dim * bits_of(c.kv) / 8;
        std::vector<u8_t> k(keys.data(), keys.data() + keys.size());  // aligned, as the reference reads it
        std::vector<u8_t> v(values.data(), values.data() + values.size());
        for (u64_t r = 0; r < c.rows; ++r)
            for (u64_t h = 0; h < c.heads; ++h) {
                const u64_t at = (r * c.heads + h) * c.head_dim;
                const u64_t kv = h / (c.heads / c.kv_heads);
                reference(c, q.data() + at, k.data() + kv * cache, v.data() + kv * cache, position + r, scratch.data(), out.data() + at);
            }
        return out;
    }

    /// In tiles of `heads` query heads, or split as the contract says and combined; rows in steps of `rows`.
    std::vector<float> computed(u32_t heads, u32_t rows) const {
        const u64_t width = u64_t{c.heads} * c.head_dim;
        const u64_t group = c.heads / c.kv_heads;
        std::vector<float> out(c.rows * width + 2, poison);
        std::vector<float> scratch(attention_scratch_floats());
        std::vector<float> partials(c.rows * (partial_bytes(c) / 4 + 1), poison);
        for (u32_t row = 0; row < c.rows; row += rows) {
            const u32_t n = std::min(rows, c.rows - row);
            const float* query = q.data() + row * width;
            for (u64_t g = 0; g < c.kv_heads; ++g)
                for (u64_t h = 0; h < group; h += heads) {
                    const u32_t first = static_cast<u32_t>(g * group + h);
                    const u32_t some = static_cast<u32_t>(std::min<u64_t>(heads, group - h));
                    for (u32_t s = 0; s < c.splits; ++s)
                        cpu::attention_tile(c, first, some, s, n, position + row, query, width, keys.data(), values.data(),
                                            c.splits == 1 ? out.data() + row * width : partials.data() + row * (partial_bytes(c) / 4 + 1),
                                            c.splits == 1 ? width : partial_bytes(c) / 4 + 1, scratch.data());
                    if (c.splits > 1)
                        cpu::attention_combine(c, first, some, n, position + row, partials.data() + row * (partial_bytes(c) / 4 + 1), partial_bytes(c) / 4 + 1,
                                               out.data() + row * width, width, scratch.data());
                }
        }
        REQUIRE(std::isnan(out[out.size() - 1]));
        REQUIRE(std::isnan(out[out.size() - 2]));
        out.resize(out.size() - 2);
        return out;
    }
    usz attention_scratch_floats() const { return static_cast<usz>(cpu::attention_scratch(c)); }
};

attention random_contract(random_source& r) {
    attention c;
    c.kv_heads = r.between(1, 3);
    c.heads = c.kv_heads * r.between(1, 7);
    c.head_dim = r.one_of({16U, 24U, 32U, 40U, 64U, 80U, 128U, 18U, 2U});
    c.rows = r.between(1, 16);
    c.chunk = r.one_of({16U, 32U, 128U});
    c.context = r.between(c.rows, 400);
    c.window = r.below(2) == 1 ? r.between(1, 100) : 0;
    c.kv = r.one_of({f32, f16, bf16});
    return c;
}

}  // namespace

TEST_CASE("attention_tile agrees with the reference and never sees what lies outside a row's positions") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 150; ++i) {
        const attention c = random_contract(r);
        REQUIRE(check(c).ok());
        const problem p(r, c, r.below(c.context - c.rows + 1));
        INFO("heads " << c.heads << "/" << c.kv_heads << " head_dim " << c.head_dim << " rows " << c.rows << " chunk " << c.chunk << " window " << c.window << " at " << p.position
                      << " kv " << name_of(c.kv));
        REQUIRE(relative_distance(p.computed(c.heads / c.kv_heads, c.rows), p.expected()) <= 1e-6);
    }
}

TEST_CASE("attention: no split, grouping of heads or number of rows changes a bit") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 100; ++i) {
        const attention c = random_contract(r);
        problem p(r, c, r.below(c.context - c.rows + 1));
        const std::vector<float> first = p.computed(c.heads / c.kv_heads, c.rows);
        for (const u32_t splits : {1U, 2U, 3U, 7U}) {
            p.c.splits = splits;
            const std::vector<float> again = p.computed(r.between(1, c.heads / c.kv_heads), r.between(1, c.rows));
            INFO("splits " << splits);
            REQUIRE(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)) == 0);
        }
    }
}

TEST_CASE("attention: far positions, windows of one position, one key among many and heads of the largest size") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 40; ++i) {
        attention c = random_contract(r);
        c.context = r.between(1500, 3000);
        c.rows = r.between(1, 3);
        c.window = r.one_of({0U, 1U, 16U, 17U, 1000U});
        c.splits = r.one_of({1U, 2U, 5U});
        if (i % 10 == 0) c.head_dim = 1024, c.kv_heads = 1, c.heads = 5;
        problem p(r, c, c.context - c.rows - r.below(1000));
        // note: scores of one head far apart, so that all but a few exponentials vanish
        for (u64_t k = 0; k < c.head_dim; ++k) p.q[k] *= 1e3F;
        INFO("heads " << c.heads << "/" << c.kv_heads << " head_dim " << c.head_dim << " window " << c.window << " chunk " << c.chunk << " splits " << c.splits << " at " << p.position);
        const std::vector<float> out = p.computed(c.heads / c.kv_heads, c.rows);
        for (const float v : out) REQUIRE(std::isfinite(v));
        REQUIRE(relative_distance(out, p.expected()) <= (cpu::fused ? 1e-6 : 1e-4));
    }
}

TEST_CASE("attention: the lowest finite scores still share the weight among them") {
    for (const float size : {1e30F, -1e30F, 3.3e38F, -3.3e38F}) {
        const attention c{.rows = 1, .heads = 1, .kv_heads = 1, .head_dim = 1, .context = 40, .scale = 1.0F, .chunk = 16};
        REQUIRE(check(c).ok());
        const std::vector<float> keys(40, size);
        std::vector<float> values(40);
        for (usz i = 0; i < 40; ++i) values[i] = static_cast<float>(i);
        const float q = 1.0F;
        float out = poison;
        std::vector<float> scratch(static_cast<usz>(cpu::attention_scratch(c)));
        cpu::attention_tile(c, 0, 1, 0, 1, 39, &q, 1, reinterpret_cast<const u8_t*>(keys.data()), reinterpret_cast<const u8_t*>(values.data()), &out, 1, scratch.data());
        INFO(size);
        CHECK(out == 19.5F);
    }
}
