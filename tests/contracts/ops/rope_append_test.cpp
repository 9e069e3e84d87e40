// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/rope_append.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

using namespace netra;

namespace {
constexpr rope_append base{.heads = 2, .kv_heads = 1, .context = 3, .table = {.rows = 2, .head_dim = 4}};
constexpr rope_append with(auto change) {
    rope_append c = base;
    change(c);
    return c;
}
}  // namespace

static_assert(check(base).ok());
static_assert(bytes(base) == 2 * 4 * (8 * 2 + 8 * 2) && flops(base) == 3 * 2 * 3 * 4);
static_assert(bytes(with([](auto& c) { c.kv = f16; })) == 2 * 4 * (8 * 2 + 6 * 2));
static_assert(check(with([](auto& c) { c.kv_heads = 0; })).why == reason::zero_size);
static_assert(check(with([](auto& c) { c.context = 0; })).object == name{"context"});
static_assert(check(with([](auto& c) { c.kv = i8; })).why == reason::bad_parameter);
static_assert(check(with([](auto& c) { c.table.rows = 17; })).why == reason::too_many_rows);
static_assert(check(with([](auto& c) { c.table.head_dim = 5; }))[label::multiple] == 2);
static_assert(check(with([](auto& c) { c.norm_eps = -1.0F; })).ok());  // unused
static_assert(check(with([](auto& c) { c.norm_eps = -1.0F, c.qk_norm = true; })).why == reason::bad_parameter);
static_assert(std::string_view(sentence(check(with([](auto& c) { c.heads = 3, c.kv_heads = 2; }))).d) ==
              "rope_append: 3 query heads cannot share 2 key-value heads evenly");

TEST_CASE("a quarter turn of the first pair; keys turn, values do not, and both go to their position only") {
    // cos, cos, sin, sin: pair 0 turns by a quarter, pair 1 stays
    const std::vector<float> angles{0, 1, 1, 0};
    for (const dtype kv : {f32, f16, bf16}) {
        const rope_append c = with([&](auto& a) { a.kv = kv; });
        std::vector<float> qkv{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        const usz size = bits_of(kv) / 8;
        std::vector<float> keys(12, 0.0F);
        std::vector<float> values(12, 0.0F);
        auto* k = reinterpret_cast<u8_t*>(keys.data());
        auto* v = reinterpret_cast<u8_t*>(values.data());
        reference(c, qkv.data(), angles.data(), nullptr, nullptr, 1, k, v);
        CHECK(std::vector<float>(qkv.begin(), qkv.begin() + 8) == std::vector<float>{-3, 2, 1, 4, -7, 6, 5, 8});
        const float key[] = {-11, 10, 9, 12};
        for (u64_t d = 0; d < 4; ++d) {
            CHECK(load_kv(kv, k, 4 + d) == key[d]);
            CHECK(load_kv(kv, v, 4 + d) == 13.0F + static_cast<float>(d));
        }
        for (usz b = 0; b < 48; ++b)
            if (b < 4 * size || b >= 8 * size) CHECK((k[b] | v[b]) == 0);
    }
}

TEST_CASE("every kv head has its own part of the cache") {
    const rope_append c{.heads = 2, .kv_heads = 2, .context = 3, .table = {.head_dim = 2}};
    std::vector<float> qkv{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const std::vector<float> angles{1, 0};
    std::vector<float> keys(12, 0.0F);
    std::vector<float> values(12, 0.0F);
    reference(c, qkv.data(), angles.data(), nullptr, nullptr, 2, reinterpret_cast<u8_t*>(keys.data()), reinterpret_cast<u8_t*>(values.data()));
    CHECK(keys == std::vector<float>{0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 7, 8});
    CHECK(values == std::vector<float>{0, 0, 0, 0, 9, 10, 0, 0, 0, 0, 11, 12});
}

TEST_CASE("queries and keys are normalised with their own weights before they turn") {
    const rope_append c{.heads = 1, .kv_heads = 1, .context = 1, .table = {.head_dim = 2}, .qk_norm = true, .norm_eps = 0.0F};
    std::vector<float> qkv{3, 3, -2, 2, 7, 9};
    const std::vector<float> q_weight{2, 3};
    const std::vector<float> k_weight{5, 7};
    const std::vector<float> angles{0, 1};
    std::vector<float> keys(2);
    std::vector<float> values(2);
    reference(c, qkv.data(), angles.data(), q_weight.data(), k_weight.data(), 0, reinterpret_cast<u8_t*>(keys.data()), reinterpret_cast<u8_t*>(values.data()));
    const float expected[] = {-3, 2, -7, -5, 7, 9};
    for (usz i = 0; i < 6; ++i) CHECK(std::abs(qkv[i] - expected[i]) < 1e-5F);
    CHECK(values == std::vector<float>{7, 9});
    CHECK(std::memcmp(keys.data(), qkv.data() + 2, 8) == 0);
}
