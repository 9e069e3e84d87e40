// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// An opened model whose tensors lie in memory instead of a file: any contract, random weights.
#pragma once

#include <netra/engine/opened_model.hpp>

#include "support/dice.hpp"
#include "support/encode.hpp"

#include <deque>
#include <stdexcept>

namespace netra::test {

/// Keeps the bytes that the tensors of `opened` see.
struct memory_model {
    opened_model opened;
    std::deque<blob> data;
};

/// The bytes that a tensor of `model` sees.
inline blob& bytes_of(memory_model& model, const tensor& t) {
    for (blob& b : model.data)
        if (b.data() == t.data) return b;
    throw std::logic_error("no bytes of tensor " + t.name);
}

/// `stored_as(role)` is the format in which a weight is stored; the contract's own say what the kernels see.
template <class StoredAs>
memory_model make_memory_model(const llama& m, dice& d, const StoredAs& stored_as, float size = 1.0F) {
    memory_model made;
    opened_model& o = made.opened;
    o.contract = m;
    o.naming = weight_naming::gguf;
    o.path = "memory";
    detail::for_each_weight(m, [&](weight_role role, u32_t layer) {
        const weight_shape s = shape_of(m, role);
        std::vector<float> values(elements_of(s));
        const bool norm = role == weight_role::attention_norm || role == weight_role::mlp_norm || role == weight_role::final_norm ||
                          role == weight_role::q_norm || role == weight_role::k_norm;
        const float scale = is_matrix(s) ? 2.0F * size / std::sqrt(static_cast<float>(s.width)) : 0.25F;
        const float middle = role == weight_role::rope_factors || (norm && !m.norm_plus_one) ? 1.0F : 0.0F;
        for (float& v : values) v = middle + scale * (static_cast<float>(d.below(1U << 24)) / static_cast<float>(1U << 23) - 1.0F);
        const weight_format format = stored_as(role);
        const blob& bytes = made.data.emplace_back(encode(format, values));
        std::vector<u64_t> shape{s.width};
        if (is_matrix(s)) shape.insert(shape.begin(), s.rows);
        o.weights.add({.name = tensor_name(o.naming, role, layer),
                       .format = format,
                       .shape = shape,
                       .data = bytes.data(),
                       .bytes = bytes.size(),
                       .offset = 0,
                       .file = "memory"});
    });
    o.bound = bind_weights(o.weights, m, o.naming, true);
    return made;
}

/// Every matrix as the contract says, vectors f32.
inline memory_model make_memory_model(const llama& m, dice& d) {
    return make_memory_model(m, d, [&](weight_role role) { return format_of(m, role); });
}

}  // namespace netra::test
