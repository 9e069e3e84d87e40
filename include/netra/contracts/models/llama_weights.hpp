// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The weights of a Llama-family model by role: their names in checkpoints, shapes, formats, and whether a contract has them.
#pragma once

#include <netra/contracts/models/llama.hpp>

namespace netra::inline v0 {

enum class weight_role : u8_t {
    embedding, attention_norm, q, k, v, o, q_bias, k_bias, v_bias, o_bias, q_norm, k_norm,
    mlp_norm, gate, up, down, gate_bias, up_bias, down_bias, final_norm, head, rope_factors,
};
inline constexpr usz weight_role_count = static_cast<usz>(weight_role::rope_factors) + 1;

/// What checkpoints call a weight; `{}` stands for the layer, and an empty name says that such files never hold it.
struct weight_names {
    weight_role role;
    const char* role_name;
    const char* safetensors;
    const char* gguf;
};

/// One entry a role, in their order.
inline constexpr weight_names weight_table[] = {
    {weight_role::embedding, "embedding", "model.embed_tokens.weight", "token_embd.weight"},
    {weight_role::attention_norm, "attention_norm", "model.layers.{}.input_layernorm.weight", "blk.{}.attn_norm.weight"},
    {weight_role::q, "q", "model.layers.{}.self_attn.q_proj.weight", "blk.{}.attn_q.weight"},
    {weight_role::k, "k", "model.layers.{}.self_attn.k_proj.weight", "blk.{}.attn_k.weight"},
    {weight_role::v, "v", "model.layers.{}.self_attn.v_proj.weight", "blk.{}.attn_v.weight"},
    {weight_role::o, "o", "model.layers.{}.self_attn.o_proj.weight", "blk.{}.attn_output.weight"},
    {weight_role::q_bias, "q_bias", "model.layers.{}.self_attn.q_proj.bias", "blk.{}.attn_q.bias"},
    {weight_role::k_bias, "k_bias", "model.layers.{}.self_attn.k_proj.bias", "blk.{}.attn_k.bias"},
    {weight_role::v_bias, "v_bias", "model.layers.{}.self_attn.v_proj.bias", "blk.{}.attn_v.bias"},
    {weight_role::o_bias, "o_bias", "model.layers.{}.self_attn.o_proj.bias", "blk.{}.attn_output.bias"},
    {weight_role::q_norm, "q_norm", "model.layers.{}.self_attn.q_norm.weight", "blk.{}.attn_q_norm.weight"},
    {weight_role::k_norm, "k_norm", "model.layers.{}.self_attn.k_norm.weight", "blk.{}.attn_k_norm.weight"},
    {weight_role::mlp_norm, "mlp_norm", "model.layers.{}.post_attention_layernorm.weight", "blk.{}.ffn_norm.weight"},
    {weight_role::gate, "gate", "model.layers.{}.mlp.gate_proj.weight", "blk.{}.ffn_gate.weight"},
    {weight_role::up, "up", "model.layers.{}.mlp.up_proj.weight", "blk.{}.ffn_up.weight"},
    {weight_role::down, "down", "model.layers.{}.mlp.down_proj.weight", "blk.{}.ffn_down.weight"},
    {weight_role::gate_bias, "gate_bias", "model.layers.{}.mlp.gate_proj.bias", "blk.{}.ffn_gate.bias"},
    {weight_role::up_bias, "up_bias", "model.layers.{}.mlp.up_proj.bias", "blk.{}.ffn_up.bias"},
    {weight_role::down_bias, "down_bias", "model.layers.{}.mlp.down_proj.bias", "blk.{}.ffn_down.bias"},
    {weight_role::final_norm, "final_norm", "model.norm.weight", "output_norm.weight"},
    {weight_role::head, "head", "lm_head.weight", "output.weight"},
    {weight_role::rope_factors, "rope_factors", "", "rope_freqs.weight"},
};
static_assert(sizeof weight_table / sizeof weight_table[0] == weight_role_count);

constexpr const weight_names& names_of(weight_role r) { return weight_table[static_cast<usz>(r)]; }
constexpr const char* name_of(weight_role r) { return names_of(r).role_name; }

/// One tensor for every layer, or one for the whole model.
constexpr bool per_layer(weight_role r) {
    return r != weight_role::embedding && r != weight_role::final_norm && r != weight_role::head && r != weight_role::rope_factors;
}

/// A matrix of rows x width, or `rows` = 0: a vector of `width`.
struct weight_shape {
    u32_t rows = 0;
    u32_t width = 0;
    friend constexpr bool operator==(const weight_shape&, const weight_shape&) = default;
};
constexpr bool is_matrix(const weight_shape& s) { return s.rows != 0; }
constexpr u64_t elements_of(const weight_shape& s) { return u64_t{is_matrix(s) ? s.rows : 1} * s.width; }

constexpr weight_shape shape_of(const llama& m, weight_role r) {
    switch (r) {
        case weight_role::embedding:
        case weight_role::head: return {m.vocab, m.hidden};
        case weight_role::q: return {q_width(m), m.hidden};
        case weight_role::k:
        case weight_role::v: return {kv_width(m), m.hidden};
        case weight_role::o: return {m.hidden, q_width(m)};
        case weight_role::gate:
        case weight_role::up: return {m.intermediate, m.hidden};
        case weight_role::down: return {m.hidden, m.intermediate};
        case weight_role::q_bias: return {0, q_width(m)};
        case weight_role::k_bias:
        case weight_role::v_bias: return {0, kv_width(m)};
        case weight_role::gate_bias:
        case weight_role::up_bias: return {0, m.intermediate};
        case weight_role::q_norm:
        case weight_role::k_norm: return {0, m.head_dim};
        case weight_role::rope_factors: return {0, rotary_dims(angles(m)) / 2};
        case weight_role::attention_norm:
        case weight_role::mlp_norm:
        case weight_role::final_norm:
        case weight_role::o_bias:
        case weight_role::down_bias: return {0, m.hidden};
    }
    return {};
}

/// Whether the contract has this weight; a checkpoint must hold exactly those.
constexpr bool has_weight(const llama& m, weight_role r) {
    switch (r) {
        case weight_role::q_bias:
        case weight_role::k_bias:
        case weight_role::v_bias: return m.qkv_bias;
        case weight_role::o_bias: return m.o_bias;
        case weight_role::gate_bias:
        case weight_role::up_bias:
        case weight_role::down_bias: return m.mlp_bias;
        case weight_role::q_norm:
        case weight_role::k_norm: return m.qk_norm;
        case weight_role::head: return !m.tied_head;
        case weight_role::rope_factors: return m.rope.scaling == rope_scaling::table;
        default: return true;
    }
}

/// The member of `formats` that holds a matrix's format, or null for vectors.
template <class Formats>
constexpr auto* format_slot(Formats& formats, weight_role r) {
    switch (r) {
        case weight_role::embedding: return &formats.embedding;
        case weight_role::q: return &formats.q;
        case weight_role::k: return &formats.k;
        case weight_role::v: return &formats.v;
        case weight_role::o: return &formats.o;
        case weight_role::gate: return &formats.gate;
        case weight_role::up: return &formats.up;
        case weight_role::down: return &formats.down;
        case weight_role::head: return &formats.head;
        default: return static_cast<decltype(&formats.q)>(nullptr);
    }
}

/// How the model keeps this weight in memory: vectors are fp32.
constexpr weight_format format_of(const llama& m, weight_role r) {
    const weight_format* slot = format_slot(m.weights, r);
    return slot != nullptr ? *slot : weight_format{f32};
}

}  // namespace netra::inline v0
