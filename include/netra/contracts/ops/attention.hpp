// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Attention of a few new rows over a cache with grouped key-value heads, causal, optionally over a sliding window.
#pragma once

#include <netra/contracts/ops/rope_append.hpp>

namespace netra::inline v0 {

/// q: [rows][heads][head_dim] fp32; caches [kv_heads][context][head_dim] in `kv`; out: [rows][heads][head_dim] fp32.
/// The row at position p sees the last `window` positions up to p (all of them when 0).
///
/// Reduction order: positions are cut at multiples of `chunk`. A chunk gives its maximum, its sum of exponentials (lanes16) and its
/// weighted values (ascending positions); chunks are merged in ascending order. `splits` > 1 lets different tiles form the chunks
/// (tile s those with index mod splits = s) and a combine merge them: the same bits.
struct attention {
    u32_t rows = 1;
    u32_t heads = 0;
    u32_t kv_heads = 0;
    u32_t head_dim = 0;
    u32_t context = 0;
    u32_t window = 0;
    float scale = 0.0F;  ///< of the scores; 0 stands for 1 / sqrt(head_dim)
    dtype kv = dtype::f32;
    u32_t chunk = 128;
    u32_t splits = 1;
    numerics math{};
    friend constexpr bool operator==(const attention&, const attention&) = default;
};

constexpr verdict check(const attention& c) {
    return detail::checking{"attention"}
        .rows(c.rows)
        .heads(c.heads, c.kv_heads)
        .size("head_dim", c.head_dim, 1024)
        .size("context", c.context)
        .size("chunk", c.chunk, 4096)
        .multiple("chunk", c.chunk, reduction_lanes)
        .size("splits", c.splits, 256)
        .parameter("scale", c.scale >= 0.0F && c.scale <= 1e3F)
        .parameter("kv", c.kv == f32 || c.kv == f16 || c.kv == bf16)
        .result;
}

inline float score_scale(const attention& c) { return c.scale != 0.0F ? c.scale : 1.0F / __builtin_sqrtf(static_cast<float>(c.head_dim)); }

/// Chunks that one split keeps room for, and fp32 values of one (maximum, sum, weighted values).
constexpr u64_t chunk_slots(const attention& c) {
    const u64_t chunks = (u64_t{c.context} + c.chunk - 1) / c.chunk;
    return (chunks + c.splits - 1) / c.splits;
}
constexpr u64_t partial_values(const attention& c) { return u64_t{c.head_dim} + 2; }
/// Bytes of a row's partial results, [kv_heads][splits][heads of a kv head][chunk_slots][partial_values] fp32.
constexpr u64_t partial_bytes(const attention& c) { return 4ULL * c.heads * c.splits * chunk_slots(c) * partial_values(c); }
/// Where a row keeps the partial result of a head and chunk, in floats.
constexpr u64_t partial_offset(const attention& c, u64_t head, u64_t chunk) {
    const u64_t group = c.heads / c.kv_heads;
    const u64_t split = head / group * c.splits + chunk % c.splits;
    return ((split * group + head % group) * chunk_slots(c) + chunk / c.splits) * partial_values(c);
}

/// At full context.
constexpr u64_t bytes(const attention& c) {
    const u64_t seen = c.window != 0 && c.window < c.context ? c.window : c.context;
    return 2ULL * c.kv_heads * seen * c.head_dim * bits_of(c.kv) / 8 + 8ULL * c.rows * c.heads * c.head_dim;
}
constexpr u64_t flops(const attention& c) {
    const u64_t seen = c.window != 0 && c.window < c.context ? c.window : c.context;
    return 4ULL * c.rows * c.heads * c.head_dim * seen;
}

/// Merges a chunk into a running (maximum, sum, values), each of partial_values floats.
inline void merge_chunk(const attention& c, const float* chunk, float* running) {
    const float top = chunk[0] > running[0] ? chunk[0] : running[0];
    const float keep = __builtin_expf(running[0] - top);
    const float add = __builtin_expf(chunk[0] - top);
    running[0] = top;
    running[1] = __builtin_fmaf(chunk[1], add, running[1] * keep);
    for (u64_t d = 0; d < c.head_dim; ++d) running[2 + d] = __builtin_fmaf(chunk[2 + d], add, running[2 + d] * keep);
}

/// One row and head. q: [head_dim]; keys, values: the cache of this head's kv head, [context][head_dim]; out: [head_dim].
/// `scratch` holds 2 x partial_values + chunk floats. @pre position < context
inline void reference(const attention& c, const float* q, const u8_t* keys, const u8_t* values, u64_t position, float* scratch, float* out) {
    float* running = scratch;
    float* part = running + partial_values(c);
    float* p = part + partial_values(c);
    const u64_t first = c.window != 0 && position + 1 > c.window ? position + 1 - c.window : 0;
    for (u64_t from = first; from <= position;) {
        const u64_t start = from / c.chunk * c.chunk;
        const u64_t end = start + c.chunk <= position ? start + c.chunk : position + 1;
        part[0] = -__builtin_inff();
        for (u64_t j = from; j < end; ++j) {
            lane_sums s;
            for (u64_t d = 0; d < c.head_dim; ++d) s.add_product(d, q[d], load_kv(c.kv, keys, j * c.head_dim + d));
            p[j - start] = s.total() * score_scale(c);
            if (p[j - start] > part[0]) part[0] = p[j - start];
        }
        lane_sums sum;
        for (u64_t d = 0; d < c.head_dim; ++d) part[2 + d] = 0.0F;
        for (u64_t j = from; j < end; ++j) {
            const float e = __builtin_expf(p[j - start] - part[0]);
            sum.add(j - start, e);
            for (u64_t d = 0; d < c.head_dim; ++d) part[2 + d] = __builtin_fmaf(e, load_kv(c.kv, values, j * c.head_dim + d), part[2 + d]);
        }
        part[1] = sum.total();
        if (from == first)
            for (u64_t i = 0; i < partial_values(c); ++i) running[i] = part[i];
        else merge_chunk(c, part, running);
        from = end;
    }
    for (u64_t d = 0; d < c.head_dim; ++d) out[d] = running[2 + d] / running[1];
}

}  // namespace netra::inline v0
