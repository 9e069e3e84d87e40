// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model of any contract whose weights are random numbers in memory, the same for one seed on every machine.
#pragma once

#include <netra/engine/stream_weights.hpp>

#include <fmt/format.h>

#include <cmath>
#include <deque>

namespace netra::inline v0 {

/// Matrices have the contract's formats, vectors are f32. What `open` returns sees into this object.
class random_model {
public:
    /// @throws model_error when the contract is refused, or has matrices other than f32, f16 and bf16
    random_model(const llama& contract, u64_t seed, u32_t workers = 1) : contract_(contract) {
        if (const verdict v = check(contract); !v.ok()) throw model_error(sentence(v).d);
        detail::for_each_weight(contract, [&](weight_role role, u32_t layer) { add(role, layer, ++seed, workers); });
    }
    random_model(const random_model&) = delete;
    random_model& operator=(const random_model&) = delete;

    const llama& contract() const { return contract_; }

    opened_model open(dtype kv = bf16) const {
        opened_model o;
        o.contract = contract_;
        o.contract.kv = kv;
        o.naming = weight_naming::gguf;
        o.path = "random weights";
        usz i = 0;
        detail::for_each_weight(contract_, [&](weight_role role, u32_t layer) {
            const weight_shape s = shape_of(contract_, role);
            std::vector<u64_t> shape{s.width};
            if (is_matrix(s)) shape.insert(shape.begin(), s.rows);
            const std::vector<std::byte>& bytes = weights_[i++];
            o.weights.add({.name = tensor_name(o.naming, role, layer),
                           .format = stored(role),
                           .shape = shape,
                           .data = bytes.data(),
                           .bytes = bytes.size(),
                           .offset = 0,
                           .file = o.path});
        });
        o.bound = bind_weights(o.weights, o.contract, o.naming);
        return o;
    }

private:
    /// Number `i` of a stream, in [-1, 1): the finaliser of splitmix64.
    static float number(u64_t stream, u64_t i) {
        u64_t z = stream * 0xd1342543de82ef95ULL + (i + 1) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return static_cast<float>(static_cast<i64_t>((z ^ (z >> 31)) >> 40) - (i64_t{1} << 23)) * 0x1p-23F;
    }
    weight_format stored(weight_role role) const { return is_matrix(shape_of(contract_, role)) ? format_of(contract_, role) : f32; }

    /// Matrices so large that what they make of a normed vector is about as large again; norms and factors around 1.
    void add(weight_role role, u32_t layer, u64_t stream, u32_t workers) {
        const weight_shape s = shape_of(contract_, role);
        const weight_format format = stored(role);
        if (!detail::is_plain(format))
            throw model_error(fmt::format("random weights of {}: {} cannot be made; use f32, f16 or bf16", name_of(role), name_of(format)));
        const bool norm = role == weight_role::attention_norm || role == weight_role::mlp_norm || role == weight_role::final_norm ||
                          role == weight_role::q_norm || role == weight_role::k_norm;
        const float scale = is_matrix(s) ? 2.0F / std::sqrt(static_cast<float>(s.width)) : 0.25F;
        const float middle = role == weight_role::rope_factors || (norm && !contract_.norm_plus_one) ? 1.0F : 0.0F;
        std::vector<std::byte>& to = weights_.emplace_back(bytes_of(format, elements_of(s)));
        stream = stream * 4096 + layer;
        detail::in_parts(elements_of(s), elements_of(s) < (1U << 20) ? 1 : workers, [&](u64_t first, u64_t last) {
            for (u64_t i = first; i < last; ++i) {
                const float v = middle + scale * number(stream, i);
                const u16_t half = format == weight_format{f16} ? f32_to_f16(v) : f32_to_bf16(v);
                if (format == weight_format{f32})
                    std::memcpy(to.data() + 4 * i, &v, sizeof v);
                else
                    std::memcpy(to.data() + 2 * i, &half, sizeof half);
            }
        });
    }

    llama contract_;
    std::deque<std::vector<std::byte>> weights_;  ///< in the order of for_each_weight
};

}  // namespace netra::inline v0
