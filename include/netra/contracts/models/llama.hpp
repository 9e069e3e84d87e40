// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The contract of a Llama-family model: Llama 2 and 3.x, SmolLM2, TinyLlama, Mistral, Qwen2, dense Qwen3.
#pragma once

#include <netra/contracts/ops/attention.hpp>
#include <netra/contracts/ops/embedding.hpp>
#include <netra/contracts/ops/projection.hpp>
#include <netra/contracts/ops/sampling.hpp>

namespace netra::inline v0 {

/// How each matrix of the model is stored; norms and biases are fp32 in memory, whatever the file holds.
struct llama_formats {
    weight_format embedding{};
    weight_format q{};
    weight_format k{};
    weight_format v{};
    weight_format o{};
    weight_format gate{};
    weight_format up{};
    weight_format down{};
    weight_format head{};

    constexpr llama_formats() = default;
    /// One format for every matrix.
    constexpr llama_formats(weight_format f) : embedding(f), q(f), k(f), v(f), o(f), gate(f), up(f), down(f), head(f) {}  // NOLINT
    constexpr llama_formats(dtype t) : llama_formats(weight_format{t}) {}                                                  // NOLINT
    friend constexpr bool operator==(const llama_formats&, const llama_formats&) = default;
};

/// Sizes in elements; `context` is the most positions a sequence may have, `rows` the most tokens of one step.
struct llama {
    u32_t hidden = 0;
    u32_t layers = 0;
    u32_t heads = 0;
    u32_t kv_heads = 0;
    u32_t head_dim = 0;
    u32_t intermediate = 0;
    u32_t vocab = 0;
    u32_t context = 2048;
    u32_t rows = max_rows;
    float eps = 1e-5F;
    rope_frequencies rope{};
    activation act = activation::silu;
    bool tied_head = false;
    bool qkv_bias = false;
    bool o_bias = false;
    bool mlp_bias = false;
    bool qk_norm = false;
    bool norm_plus_one = false;
    u32_t window = 0;             ///< sliding window in positions, 0: none
    u32_t first_window_layer = 0; ///< layers before this one see everything
    llama_formats weights{};
    dtype kv = dtype::f32;
    friend constexpr bool operator==(const llama&, const llama&) = default;
};

constexpr u32_t q_width(const llama& m) { return m.heads * m.head_dim; }
constexpr u32_t kv_width(const llama& m) { return m.kv_heads * m.head_dim; }
constexpr u32_t qkv_width(const llama& m) { return q_width(m) + 2 * kv_width(m); }
constexpr const weight_format& head_format(const llama& m) { return m.tied_head ? m.weights.embedding : m.weights.head; }

constexpr linear q_proj(const llama& m) { return {.rows = m.rows, .out = q_width(m), .in = m.hidden, .weight = m.weights.q, .bias = m.qkv_bias}; }
constexpr linear k_proj(const llama& m) { return {.rows = m.rows, .out = kv_width(m), .in = m.hidden, .weight = m.weights.k, .bias = m.qkv_bias}; }
constexpr linear v_proj(const llama& m) { return {.rows = m.rows, .out = kv_width(m), .in = m.hidden, .weight = m.weights.v, .bias = m.qkv_bias}; }
constexpr linear o_proj(const llama& m) { return {.rows = m.rows, .out = m.hidden, .in = q_width(m), .weight = m.weights.o, .bias = m.o_bias}; }
constexpr linear gate_proj(const llama& m) { return {.rows = m.rows, .out = m.intermediate, .in = m.hidden, .weight = m.weights.gate, .bias = m.mlp_bias}; }
constexpr linear up_proj(const llama& m) { return {.rows = m.rows, .out = m.intermediate, .in = m.hidden, .weight = m.weights.up, .bias = m.mlp_bias}; }
constexpr linear down_proj(const llama& m) { return {.rows = m.rows, .out = m.hidden, .in = m.intermediate, .weight = m.weights.down, .bias = m.mlp_bias}; }
constexpr linear head_proj(const llama& m) { return {.rows = 1, .out = m.vocab, .in = m.hidden, .weight = head_format(m)}; }

constexpr embedding token_embedding(const llama& m) { return {.rows = m.rows, .vocab = m.vocab, .width = m.hidden, .weight = m.weights.embedding}; }
constexpr rms_norm hidden_norm(const llama& m) { return {.rows = m.rows, .width = m.hidden, .eps = m.eps, .plus_one = m.norm_plus_one}; }
constexpr rope_table angles(const llama& m) { return {.rows = m.rows, .head_dim = m.head_dim, .frequencies = m.rope}; }
constexpr rope_append append(const llama& m) {
    return {.heads = m.heads, .kv_heads = m.kv_heads, .context = m.context, .kv = m.kv, .table = angles(m),
            .qk_norm = m.qk_norm, .norm_eps = m.eps, .norm_plus_one = m.norm_plus_one};
}
/// The attention of one layer; `splits` tiles form the chunks of a head.
constexpr attention attend(const llama& m, u32_t layer, u32_t splits) {
    return {.rows = m.rows, .heads = m.heads, .kv_heads = m.kv_heads, .head_dim = m.head_dim, .context = m.context,
            .window = layer >= m.first_window_layer ? m.window : 0, .kv = m.kv, .splits = splits};
}

constexpr verdict check(const llama& m) {
    detail::checking checks{"model"};
    checks.size("hidden", m.hidden).size("layers", m.layers, 1000).heads(m.heads, m.kv_heads).size("head_dim", m.head_dim, 1024);
    checks.size("intermediate", m.intermediate).size("vocab", m.vocab).size("context", m.context).rows(m.rows);
    checks.size("heads", m.heads, 4096).size("width of the queries", u64_t{m.heads} * m.head_dim);
        const linear parts[] = {q_proj(m), k_proj(m), v_proj(m), o_proj(m), gate_proj(m), up_proj(m), down_proj(m), head_proj(m)};
    for (const auto& part : parts) checks.nested(check(part));
    return checks.nested(check(token_embedding(m)))
        .nested(check(hidden_norm(m)))
        .nested(check(append(m)))
        .nested(check(attend(m, 0, 1)))
        .result;
}

/// Bytes of every weight that a step reads (of the embedding, only its rows unless it is also the head).
constexpr u64_t weight_bytes(const llama& m) {
    u64_t layer = 8ULL * m.hidden;
    const linear parts[] = {q_proj(m), k_proj(m), v_proj(m), o_proj(m), gate_proj(m), up_proj(m), down_proj(m)};
    for (const auto& p : parts)
        layer += p.out * weight_row_bytes(p) + (p.bias ? 4ULL * p.out : 0);
    const linear head = head_proj(m);
    return m.layers * layer + head.out * weight_row_bytes(head) + 4ULL * m.hidden;
}

}  // namespace netra::inline v0
