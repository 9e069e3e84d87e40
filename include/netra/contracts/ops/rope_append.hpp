// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Between the QKV projection and attention: normalise (optionally) and rotate queries and keys, append keys and values to the cache.
#pragma once

#include <netra/contracts/ops/rms_norm.hpp>
#include <netra/contracts/ops/rope.hpp>
#include <netra/detail/bits.hpp>

namespace netra::inline v0 {

/// qkv: [rows][heads + 2 kv_heads][head_dim] fp32, queries first, then keys, then values; queries are replaced in place.
/// Caches of keys and of values: [kv_heads][context][head_dim] in `kv`; row r goes to position `position + r`.
struct rope_append {
    u32_t heads = 0;
    u32_t kv_heads = 0;
    u32_t context = 0;
    dtype kv = dtype::f32;
    rope_table table{};
    bool qk_norm = false;
    float norm_eps = 1e-6F;
    bool norm_plus_one = false;
    friend constexpr bool operator==(const rope_append&, const rope_append&) = default;
};

/// The per-head norm of queries and keys.
constexpr rms_norm head_norm(const rope_append& c) {
    return {.rows = 1, .width = c.table.head_dim, .eps = c.norm_eps, .plus_one = c.norm_plus_one};
}

constexpr verdict check(const rope_append& c) {
    return detail::checking{"rope_append"}
        .heads(c.heads, c.kv_heads)
        .size("context", c.context)
        .parameter("kv", c.kv == f32 || c.kv == f16 || c.kv == bf16)
        .nested(check(c.table))
        .nested(c.qk_norm ? check(head_norm(c)) : verdict{})
        .result;
}

constexpr u64_t bytes(const rope_append& c) {
    const u64_t head = c.table.head_dim;
    return c.table.rows * head * (8ULL * c.heads + (4ULL + bits_of(c.kv) / 8) * 2 * c.kv_heads);
}
constexpr u64_t flops(const rope_append& c) { return 3ULL * c.table.rows * (c.heads + c.kv_heads) * rotary_dims(c.table); }

/// Stores one value of a cache / reads it back.
inline void store_kv(dtype kv, u8_t* cache, u64_t at, float v) {
    if (kv == f32) reinterpret_cast<float*>(cache)[at] = v;
    else reinterpret_cast<u16_t*>(cache)[at] = kv == f16 ? f32_to_f16(v) : f32_to_bf16(v);
}
inline float load_kv(dtype kv, const u8_t* cache, u64_t at) {
    if (kv == f32) return reinterpret_cast<const float*>(cache)[at];
    const u16_t v = reinterpret_cast<const u16_t*>(cache)[at];
    return kv == f16 ? f16_to_f32(v) : bf16_to_f32(v);
}

/// One row: `qkv` is that row, `angles` its row of the rope table, `position` where its key and value go.
inline void reference(const rope_append& c, float* qkv, const float* angles, const float* q_weight, const float* k_weight, u64_t position,
                      u8_t* keys, u8_t* values) {
    const u64_t head = c.table.head_dim;
    for (u64_t h = 0; h < u64_t{c.heads} + c.kv_heads; ++h) {
        float* x = qkv + h * head;
        if (c.qk_norm) reference(head_norm(c), x, h < c.heads ? q_weight : k_weight, x);
        rotate(c.table, angles, x);
    }
    for (u64_t g = 0; g < c.kv_heads; ++g)
        for (u64_t d = 0; d < head; ++d) {
            const u64_t at = (g * c.context + position) * head + d;
            store_kv(c.kv, keys, at, qkv[(c.heads + g) * head + d]);
            store_kv(c.kv, values, at, qkv[(c.heads + c.kv_heads + g) * head + d]);
        }
}

}  // namespace netra::inline v0
