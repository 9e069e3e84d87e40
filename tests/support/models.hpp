// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Files of tiny models: metadata, configuration and every tensor of a contract.
#pragma once

#include <netra/engine/model_file.hpp>

#include "support/gguf_writer.hpp"
#include "support/safetensors_writer.hpp"

namespace netra::test {

/// Values for a weight, different for every name.
inline std::vector<float> model_values(std::string_view name, u64_t count) {
    u32_t seed = 2166136261U;
    for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 16777619U;
    std::vector<float> out(count);
    for (float& v : out) {
        seed = seed * 1664525U + 1013904223U;
        v = static_cast<float>(static_cast<int>(seed >> 24) - 128) / 512.0F;
    }
    return out;
}

/// Calls `add(name, format, shape, values)` for every weight of the contract, vectors in `vectors`.
template <class Add>
void each_tensor(const llama& m, weight_naming naming, const weight_format& vectors, Add add) {
    detail::for_each_weight(m, [&](weight_role role, u32_t layer) {
        const weight_shape s = shape_of(m, role);
        const std::string name = tensor_name(naming, role, layer);
        std::vector<u64_t> shape{s.width};
        if (is_matrix(s)) shape.insert(shape.begin(), s.rows);
        add(name, is_matrix(s) ? format_of(m, role) : vectors, shape, model_values(name, elements_of(s)));
    });
}

/// The metadata of a GGUF file that holds the contract.
inline gguf_writer gguf_model_keys_of(const llama& m, const std::string& architecture) {
    gguf_writer out;
    const auto key = [&](const char* name) { return architecture + "." + name; };
    out.key("general.architecture", architecture);
    out.key(key("embedding_length"), m.hidden).key(key("block_count"), m.layers).key(key("feed_forward_length"), m.intermediate);
    out.key(key("attention.head_count"), m.heads)
        .key(key("attention.head_count_kv"), m.kv_heads)
        .key(key("attention.key_length"), m.head_dim);
    out.key(key("attention.value_length"), m.head_dim)
        .key(key("attention.layer_norm_rms_epsilon"), m.eps)
        .key(key("rope.freq_base"), m.rope.theta);
    out.key(key("context_length"), m.context);
    return out;
}

inline gguf_writer gguf_model(const llama& m, const std::string& architecture) {
    gguf_writer out = gguf_model_keys_of(m, architecture);
    each_tensor(m, weight_naming::gguf, f32, [&](const auto& name, const auto& format, const auto& shape, const auto& values) {
        out.tensor(name, format, shape, std::span<const float>(values));
    });
    return out;
}

inline safetensors_writer safetensors_model(const llama& m, const weight_format& vectors = f32) {
    safetensors_writer out;
    each_tensor(m, weight_naming::safetensors, vectors, [&](const auto& name, const auto& format, const auto& shape, const auto& values) {
        out.tensor(name, format, shape, std::span<const float>(values));
    });
    return out;
}

}  // namespace netra::test
