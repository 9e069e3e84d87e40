// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Attention over the caches, chunk by chunk, for query heads that share a kv head.
#pragma once

#include <netra/backends/cpu/rows.hpp>
#include <netra/contracts/ops/attention.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

/// Query heads that one pass over keys and values serves.
inline constexpr u32_t heads_together = 4;

/// Floats of scratch that attention_tile needs.
constexpr u64_t attention_scratch(const attention& c) { return heads_together * (c.chunk + 2 * partial_values(c)) + c.chunk * c.head_dim; }

/// The positions that a row at `position` sees in one chunk.
struct chunk_span {
    u64_t start;  ///< of the chunk
    u64_t from;
    u64_t end;
};
constexpr u64_t first_seen(const attention& c, u64_t position) { return c.window != 0 && position + 1 > c.window ? position + 1 - c.window : 0; }
constexpr chunk_span span_of(const attention& c, u64_t position, u64_t chunk) {
    const u64_t start = chunk * c.chunk;
    const u64_t first = first_seen(c, position);
    return {start, start > first ? start : first, start + c.chunk <= position ? start + c.chunk : position + 1};
}

/// The span's rows of a cache in fp32, row `span.from` first: the cache itself where it is aligned fp32, or decoded into `room`.
inline const float* rows_in_fp32(const attention& c, const u8_t* cache, const chunk_span& span, float* room) {
    if (c.kv == f32 && reinterpret_cast<usz>(cache) % alignof(float) == 0) return reinterpret_cast<const float*>(cache) + span.from * c.head_dim;
    decode(c.kv, cache + span.from * c.head_dim * bits_of(c.kv) / 8, 0, (span.end - span.from) * c.head_dim, room);
    return room;
}

/// scores[h * chunk + j] for the span's positions start + j, -inf elsewhere up to the next multiple of 16.
inline void chunk_scores(const attention& c, u32_t heads, const float* q, const float* keys, const chunk_span& span, float* scores) {
    const f32x16 scale = splat(score_scale(c));
    for (u64_t j = (span.from - span.start) / 16 * 16; span.start + j < span.end; j += 16)
        for (u32_t h = 0; h < heads; ++h) {
            f32x16 sums[16];
            for (u64_t i = 0; i < 16; ++i) {
                const u64_t position = span.start + j + i;
                const u64_t inside = position < span.from ? span.from : position < span.end ? position : span.end - 1;
                const float* key = keys + (inside - span.from) * c.head_dim;
                f32x16 s = splat(0.0F);
                u64_t d = 0;
                for (; d + 16 <= c.head_dim; d += 16) s = fma(load(q + h * c.head_dim + d), load(key + d), s);
                if (d < c.head_dim) s = fma(load_partial(q + h * c.head_dim + d, c.head_dim - d), load_plain_partial<storage::f32>(reinterpret_cast<const u8_t*>(key + d), c.head_dim - d), s);
                sums[i] = s;
            }
            float* out = scores + h * c.chunk + j;
            store(out, totals(sums) * scale);
            for (u64_t i = 0; i < 16; ++i)
                if (span.start + j + i < span.from || span.start + j + i >= span.end) out[i] = -__builtin_inff();
        }
}

/// Turns scores into exponentials; writes the maximum and the sum to part[0] and part[1].
inline void chunk_softmax(const chunk_span& span, float* scores, float* part) {
    const u64_t begin = (span.from - span.start) / 16 * 16;
    f32x16 top = splat(-__builtin_inff());
    for (u64_t j = begin; span.start + j < span.end; j += 16) top = max(load(scores + j), top);
    const f32x16 most = splat(largest(top));
    f32x16 sum = splat(0.0F);
    for (u64_t j = begin; span.start + j < span.end; j += 16) {
        const f32x16 s = load(scores + j);
        const f32x16 e = where_less(s, splat(-0x1.fffffep127F), splat(0.0F), exp(s - most));
        store(scores + j, e);
        sum = sum + e;
    }
    part[0] = largest(top);
    part[1] = total(sum);
}

/// results[h] + 2: the values of the span weighted by scores[h], positions in ascending order.
template <u32_t Heads>
inline void chunk_values(const attention& c, const float* values, const chunk_span& span, const float* scores, float* const* results) {
    const auto columns = [&](u64_t d, auto width, u64_t n) __attribute__((always_inline)) {
        constexpr usz vectors = decltype(width){};
        f32x16 sums[Heads * vectors];
        for (usz i = 0; i < Heads * vectors; ++i) sums[i] = splat(0.0F);
        for (u64_t j = span.from; j < span.end; ++j) {
            const float* row = values + (j - span.from) * c.head_dim + d;
            f32x16 v[vectors];
            unroll<vectors>([&](auto i) __attribute__((always_inline)) { v[i] = n == 16 * vectors ? load(row + i * 16) : load_partial(row, n); });
            unroll<Heads>([&](auto h) __attribute__((always_inline)) {
                const f32x16 p = splat(scores[h * c.chunk + j - span.start]);
                unroll<vectors>([&](auto i) __attribute__((always_inline)) { sums[h * vectors + i] = fma(p, v[i], sums[h * vectors + i]); });
            });
        }
        for (u32_t h = 0; h < Heads; ++h)
            for (usz i = 0; i < vectors; ++i) store_partial(results[h] + 2 + d + 16 * i, n < 16 ? n : 16, sums[h * vectors + i]);
    };
    u64_t d = 0;
    for (; d + 32 <= c.head_dim; d += 32) columns(d, constant<2>{}, 32);
    for (; d < c.head_dim; d += 16) columns(d, constant<1>{}, c.head_dim - d < 16 ? c.head_dim - d : 16);
}

/// One chunk of up to heads_together heads of a row: results[h] gets (maximum, sum, values).
inline void attend_chunk(const attention& c, u32_t heads, const float* q, const u8_t* keys, const u8_t* values, const chunk_span& span, float* scores,
                         float* room, float* const* results) {
    chunk_scores(c, heads, q, rows_in_fp32(c, keys, span, room), span, scores);
    for (u32_t h = 0; h < heads; ++h) chunk_softmax(span, scores + h * c.chunk, results[h]);
    const float* v = rows_in_fp32(c, values, span, room);
    switch (heads) {
        case 1: return chunk_values<1>(c, v, span, scores, results);
        case 2: return chunk_values<2>(c, v, span, scores, results);
        case 3: return chunk_values<3>(c, v, span, scores, results);
        default: return chunk_values<4>(c, v, span, scores, results);
    }
}

inline void merge_parts(const attention& c, const float* chunk, float* running) {
    const float top = chunk[0] > running[0] ? chunk[0] : running[0];
    const float keep = __builtin_expf(running[0] - top);
    const float add = __builtin_expf(chunk[0] - top);
    running[0] = top;
    running[1] = __builtin_fmaf(chunk[1], add, running[1] * keep);
    for_each_16(c.head_dim, [&](u64_t d, u64_t n) {
        store_partial(running + 2 + d, n, fma(load_some(chunk + 2 + d, n), splat(add), load_some(running + 2 + d, n) * splat(keep)));
    });
}
inline void finish_head(const attention& c, const float* running, float* out) {
    for_each_16(c.head_dim, [&](u64_t d, u64_t n) { store_partial(out + d, n, load_some(running + 2 + d, n) / splat(running[1])); });
}

/// Heads [first_head, + head_count), which share a kv head, of rows at `position`, `position` + 1, ... Pointers are to row 0 of whole
/// buffers. splits == 1: `out` gets the finished heads; otherwise the chunks of split `split`, as attention_combine reads them.
inline void attention_tile(const attention& c, u32_t first_head, u32_t head_count, u32_t split, u32_t rows, u64_t position, const float* q, u64_t q_pitch,
                           const u8_t* keys, const u8_t* values, float* out, u64_t out_pitch, float* scratch) {
    const u64_t cache = u64_t{first_head} / (c.heads / c.kv_heads) * c.context * c.head_dim * bits_of(c.kv) / 8;
    const u64_t size = partial_values(c);
    float* const scores = scratch;
    float* const running = scores + heads_together * c.chunk;
    float* const fresh = running + heads_together * size;
    float* const room = fresh + heads_together * size;
    for (u32_t r = 0; r < rows; ++r)
        for (u32_t h = 0; h < head_count; h += heads_together) {
            const u32_t heads = head_count - h < heads_together ? head_count - h : heads_together;
            const u64_t at = position + r;
            const float* query = q + r * q_pitch + (first_head + h) * c.head_dim;
            const u64_t first = first_seen(c, at) / c.chunk;
            for (u64_t chunk = first; chunk <= at / c.chunk; ++chunk) {
                if (chunk % c.splits != split) continue;
                float* results[heads_together];
                for (u32_t i = 0; i < heads; ++i)
                    results[i] = c.splits == 1 ? (chunk == first ? running : fresh) + i * size
                                             : out + r * out_pitch + partial_offset(c, u64_t{first_head} + h + i, chunk);
                attend_chunk(c, heads, query, keys + cache, values + cache, span_of(c, at, chunk), scores, room, results);
                if (c.splits == 1 && chunk != first)
                    for (u32_t i = 0; i < heads; ++i) merge_parts(c, fresh + i * size, running + i * size);
            }
            if (c.splits == 1)
                for (u32_t i = 0; i < heads; ++i) finish_head(c, running + i * size, out + r * out_pitch + (first_head + h + i) * c.head_dim);
        }
}

/// Merges the chunks that the splits of heads [first_head, + head_count) wrote; `scratch` as attention_tile's.
inline void attention_combine(const attention& c, u32_t first_head, u32_t head_count, u32_t rows, u64_t position, const float* partials, u64_t partials_pitch,
                              float* out, u64_t out_pitch, float* scratch) {
    const u64_t size = partial_values(c);
    for (u32_t r = 0; r < rows; ++r)
        for (u32_t h = first_head; h < first_head + head_count; ++h) {
            const u64_t at = position + r;
            const u64_t first = first_seen(c, at) / c.chunk;
            for (u64_t chunk = first; chunk <= at / c.chunk; ++chunk) {
                const float* part = partials + r * partials_pitch + partial_offset(c, h, chunk);
                if (chunk == first) __builtin_memcpy(scratch, part, size * sizeof(float));
                else merge_parts(c, part, scratch);
            }
            finish_head(c, scratch, out + r * out_pitch + h * c.head_dim);
        }
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
