// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Random contracts of the operations that touch kv caches, run by whatever runs their kernels and compared with their reference functions.
/// `run(contract, {&buffer, ...})` runs a contract's kernel on buffers that it may change.
#pragma once

#include "support/operation_cases.hpp"

#include <algorithm>

namespace netra::test {

using memory = std::vector<u8_t>;

inline constexpr dtype kv_formats[] = {dtype::f32, dtype::f16, dtype::bf16};

template <class T>
memory as_memory(const std::vector<T>& from) {
    memory made(from.size() * sizeof(T));
    std::memcpy(made.data(), from.data(), made.size());
    return made;
}
inline std::vector<float> as_floats(const memory& from) {
    std::vector<float> made(from.size() / sizeof(float));
    std::memcpy(made.data(), from.data(), from.size());
    return made;
}
/// All ones: NaN in every format.
inline memory poisoned(u64_t bytes) { return memory(bytes, 0xff); }

template <class Run>
void check_add(Run& run, dice& d, u32_t count) {
    for (u32_t i = 0; i < count; ++i) {
        const add c{.rows = d.between(1, 16), .width = d.between(1, 300) * (i % 2 == 0 ? 4 : 1)};
        INFO("rows " << c.rows << " width " << c.width);
        auto expected = random_floats(d, usz{c.rows} * c.width);
        const auto delta = random_floats(d, expected.size());
        memory on_h = as_memory(expected);
        memory on_delta = as_memory(delta);
        run(c, {&on_h, &on_delta});
        reference(c, expected.data(), delta.data());
        CHECK(differing(as_floats(on_h), expected) == 0);
    }
}

inline rope_append random_append(dice& d, u32_t i) {
    rope_append c{.kv_heads = d.between(1, 3), .context = d.between(16, 60), .kv = kv_formats[i % 3], .qk_norm = d.percent(50), .norm_plus_one = d.percent(50)};
    c.heads = c.kv_heads * d.between(1, 4);
    c.table = {.rows = d.between(1, d.percent(50) ? 16 : 2), .head_dim = d.percent(40) ? 64 * d.between(1, 2) : 2 * d.between(1, 70)};
    if (d.percent(50)) c.table.frequencies.dims = 2 * d.between(1, c.table.head_dim / 2);
    if (d.percent(50)) c.table.frequencies.pairing = rope_pairing::adjacent;
    return c;
}

/// Queries, new keys and values get the reference's bits; nothing else changes. Rows beyond the context leave the caches alone.
template <class Run>
void check_rope_append(Run& run, dice& d, u32_t count) {
    for (u32_t i = 0; i < count; ++i) {
        const rope_append c = random_append(d, i);
        const u32_t rows = c.table.rows;
        const u32_t head_dim = c.table.head_dim;
        const u32_t position = i % 8 == 7 ? c.context - d.below(rows) : d.below(c.context - rows + 1);
        INFO("heads " << c.heads << "/" << c.kv_heads << " head_dim " << head_dim << " dims " << c.table.frequencies.dims << " adjacent "
                      << (c.table.frequencies.pairing == rope_pairing::adjacent) << " rows " << rows << " kv " << name_of(c.kv) << " norm " << c.qk_norm
                      << c.norm_plus_one << " position " << position << " of " << c.context);
        const usz row = usz{head_dim} * (c.heads + 2 * c.kv_heads);
        const auto qkv = random_floats(d, rows * row);
        const auto q_norm = random_floats(d, head_dim);
        const auto k_norm = random_floats(d, head_dim);
        std::vector<float> angles(usz{rows} * rotary_dims(c.table));
        for (u32_t r = 0; r < rows; ++r) reference(c.table, position + r, nullptr, angles.data() + usz{r} * rotary_dims(c.table));
        const usz cache = usz{c.kv_heads} * c.context * head_dim * bits_of(c.kv) / 8;
        memory expected_keys = poisoned(cache);
        memory expected_values = poisoned(cache);
        auto expected = qkv;
        for (u32_t r = 0; r < rows; ++r) {
            auto turned = qkv;
            memory beyond = poisoned(cache);
            const bool fits = position + r < c.context;
            reference(c, turned.data() + r * row, angles.data() + usz{r} * rotary_dims(c.table), q_norm.data(), k_norm.data(), fits ? position + r : 0,
                      fits ? expected_keys.data() : beyond.data(), fits ? expected_values.data() : beyond.data());
            std::copy_n(turned.data() + r * row, usz{c.heads} * head_dim, expected.data() + r * row);
        }
        memory on_qkv = as_memory(qkv);
        memory on_angles = as_memory(angles);
        memory on_q_norm = as_memory(q_norm);
        memory on_k_norm = as_memory(k_norm);
        memory on_position = as_memory(std::vector<u32_t>{position});
        memory keys = poisoned(cache);
        memory values = poisoned(cache);
        run(c, {&on_qkv, &on_angles, &on_q_norm, &on_k_norm, &on_position, &keys, &values});
        CHECK(differing(as_floats(on_qkv), expected) == 0);
        CHECK(keys == expected_keys);
        CHECK(values == expected_values);
    }
}

/// Positions around every edge of chunks, warps and windows.
inline constexpr u32_t edge_positions[] = {0, 1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 256, 257, 300};

inline attention random_attention(dice& d, u32_t i, u32_t largest_dim) {
    attention c{.rows = d.percent(50) ? 1 : d.between(2, 16), .kv_heads = d.between(1, 3), .context = d.between(16, 330), .kv = kv_formats[i % 3]};
    c.heads = c.kv_heads * d.between(1, 9);
    c.head_dim = 8 * d.between(1, largest_dim / 8);
    if (d.percent(30)) c.head_dim = largest_dim < 128 ? 64 : 64 * d.between(1, 2);
    if (d.percent(50)) c.window = d.between(1, 200);
    if (d.percent(30)) c.scale = 0.3F;
    c.chunk = d.percent(40) ? 128 : 16 * d.between(1, 9);
    if (d.percent(60)) c.splits = d.between(2, 5);
    if (d.percent(30)) c.math.order = reduction_order::lanes256;  // the reference has one order
    return c;
}

/// The caches hold numbers where a row sees them, NaN elsewhere.
inline memory random_cache(dice& d, const attention& c, u32_t position) {
    const u64_t row_bytes = u64_t{c.head_dim} * bits_of(c.kv) / 8;
    const u64_t first = c.window != 0 && position + 1 > c.window ? position + 1 - c.window : 0;
    memory made = poisoned(u64_t{c.kv_heads} * c.context * row_bytes);
    for (u64_t h = 0; h < c.kv_heads; ++h) {
        const auto seen = random_weights(d, weight_format(c.kv), (position + c.rows - first) * c.head_dim);
        std::copy(seen.begin(), seen.end(), made.begin() + static_cast<std::ptrdiff_t>((h * c.context + first) * row_bytes));
    }
    return made;
}

/// What a contract's kernels leave in `out`, those of all splits merged.
template <class Run>
std::vector<float> attended(Run& run, const attention& c, const std::vector<float>& q, const memory& keys, const memory& values, u32_t position) {
    memory on_q = as_memory(q);
    memory on_keys = keys;
    memory on_values = values;
    memory on_position = as_memory(std::vector<u32_t>{position});
    memory out = poisoned(4 * q.size());
    if (c.splits == 1) {
        run(c, {&on_q, &on_keys, &on_values, &on_position, &out});
    } else {
        memory partials = poisoned(c.rows * partial_bytes(c));
        run(c, {&on_q, &on_keys, &on_values, &on_position, &partials});
        run(combine(c), {&partials, &on_position, &out});
    }
    return as_floats(out);
}

inline std::vector<float> expected_attention(const attention& c, const std::vector<float>& q, const memory& keys, const memory& values, u32_t position) {
    std::vector<float> made(q.size());
    std::vector<float> scratch(2 * partial_values(c) + c.chunk);
    const u64_t cache = u64_t{c.context} * c.head_dim * bits_of(c.kv) / 8;
    for (u64_t r = 0; r < c.rows; ++r)
        for (u64_t h = 0; h < c.heads; ++h) {
            const u64_t kv = h / (c.heads / c.kv_heads) * cache;
            const u64_t at = (r * c.heads + h) * c.head_dim;
            reference(c, q.data() + at, keys.data() + kv, values.data() + kv, position + r, scratch.data(), made.data() + at);
        }
    return made;
}

/// Within 1e-6 of the reference; the same bits with and without splits, and for each row alone. Returns the largest error.
template <class Run>
double check_attention(Run& run, dice& d, const attention& c, u32_t position, float size) {
    INFO("rows " << c.rows << " heads " << c.heads << "/" << c.kv_heads << " head_dim " << c.head_dim << " kv " << name_of(c.kv) << " position " << position << " of "
                 << c.context << " window " << c.window << " chunk " << c.chunk << " splits " << c.splits << " scale " << c.scale << " size " << size);
    const auto q = random_floats(d, u64_t{c.rows} * c.heads * c.head_dim, size);
    const memory keys = random_cache(d, c, position);
    const memory values = random_cache(d, c, position);
    const auto got = attended(run, c, q, keys, values, position);
    const double error = relative_l2(got, expected_attention(c, q, keys, values, position));
    CHECK(error <= 1e-6);
    attention other = c;
    other.splits = c.splits == 1 ? 3 : 1;
    CHECK(differing(attended(run, other, q, keys, values, position), got) == 0);
    if (c.rows == 1) return error;
    const u32_t row = d.below(c.rows);
    const usz row_floats = usz{c.heads} * c.head_dim;
    const auto cut = [&](const std::vector<float>& all) { return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(row * row_floats), all.begin() + static_cast<std::ptrdiff_t>((row + 1) * row_floats)); };
    attention alone = c;
    alone.rows = 1;
    CHECK(differing(attended(run, alone, cut(q), keys, values, position + row), cut(got)) == 0);
    return error;
}

/// `count` contracts, positions at edges and anywhere, scores near each other and far apart.
template <class Run>
double check_attentions(Run& run, dice& d, u32_t count, u32_t largest_dim) {
    double largest = 0.0;
    for (u32_t i = 0; i < count; ++i) {
        attention c = random_attention(d, i, largest_dim);
        const u32_t position = d.percent(70) ? edge_positions[d.below(std::size(edge_positions))] : d.below(330);
        c.context = std::max(c.context, position + c.rows);
        const float sizes[] = {0.1F, 2.0F, 60.0F};
        largest = std::max(largest, check_attention(run, d, c, position, sizes[d.below(3)]));
    }
    return largest;
}

}  // namespace netra::test
