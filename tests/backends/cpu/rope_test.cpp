// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/rope.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

TEST_CASE("rope_append_tile, head by head, gives the reference's bits in queries and caches and touches nothing else") {
    random_source r;
    INFO(r.text());
    for (int i = 0; i < 300; ++i) {
        const u32_t head = 2 * r.between(1, 70);
        rope_append c;
        c.kv_heads = r.between(1, 4);
        c.heads = c.kv_heads * r.between(1, 5);
        c.context = r.between(16, 60);
        c.kv = r.one_of({f32, f16, bf16});
        c.qk_norm = r.below(2) == 1;
        c.norm_plus_one = r.below(2) == 1;
        c.table = {.rows = r.between(1, 16), .head_dim = head};
        c.table.frequencies.dims = r.below(2) == 1 ? 2 * r.between(1, head / 2) : 0;
        c.table.frequencies.pairing = r.below(2) == 1 ? rope_pairing::adjacent : rope_pairing::halves;
        REQUIRE(check(c).ok());
        const u64_t position = r.below(c.context - c.table.rows + 1);
        const u64_t width = u64_t{c.heads + 2 * c.kv_heads} * head;
        const u64_t pitch = width + r.below(3);
        const u64_t turns = rotary_dims(c.table);
        std::vector<float> qkv = r.normals(c.table.rows * pitch);
        const std::vector<float> q_norm = r.normals(head);
        const std::vector<float> k_norm = r.normals(head);
        std::vector<float> angles(c.table.rows * turns);
        for (u32_t row = 0; row < c.table.rows; ++row) reference(c.table, position + row, nullptr, angles.data() + row * turns);
        const usz cache_bytes = usz{c.kv_heads} * c.context * head * bits_of(c.kv) / 8;
        std::vector<u8_t> keys(cache_bytes, 0xff);
        std::vector<u8_t> values(cache_bytes, 0xff);
        std::vector<u8_t> expected_keys = keys;
        std::vector<u8_t> expected_values = values;
        std::vector<float> expected = qkv;
        for (u32_t row = 0; row < c.table.rows; ++row) {
            std::vector<float> copy(expected.begin() + static_cast<std::ptrdiff_t>(row * pitch), expected.begin() + static_cast<std::ptrdiff_t>(row * pitch + width));
            reference(c, copy.data(), angles.data() + row * turns, q_norm.data(), k_norm.data(), position + row, expected_keys.data(), expected_values.data());
            std::copy_n(copy.begin(), u64_t{c.heads} * head, expected.begin() + static_cast<std::ptrdiff_t>(row * pitch));  // keys and values keep their columns
        }
        for (u32_t g = 0; g < c.kv_heads; ++g)
            cpu::rope_append_tile(c, g, c.table.rows, position, qkv.data(), pitch, angles.data(), turns, q_norm.data(), k_norm.data(), keys.data(), values.data());
        INFO("head_dim " << head << " heads " << c.heads << "/" << c.kv_heads << " dims " << turns << " kv " << name_of(c.kv));
        REQUIRE(same(qkv, expected));
        if (cpu::fused) {
            REQUIRE(keys == expected_keys);
            REQUIRE(values == expected_values);
        }
    }
}
