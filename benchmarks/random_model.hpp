// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model of any size whose matrices look into one block of random bf16: correct answers can be computed, nothing has to be downloaded.
#pragma once

#include <netra/engine/opened_model.hpp>

#include <cmath>
#include <vector>

namespace netra::benchmarks {

struct random_model {
    opened_model opened;
    std::vector<u16_t> matrices;
    std::vector<float> vectors;
};

/// Matrix elements are uniform with the variance that keeps activations about as large as their input.
inline random_model make_random_model(const llama& m) {
    random_model made;
    opened_model& o = made.opened;
    o.contract = m;
    o.naming = weight_naming::gguf;
    o.path = "random weights";
    u64_t largest = 0;
    detail::for_each_weight(m, [&](weight_role role, u32_t) { largest = std::max(largest, elements_of(shape_of(m, role))); });
    made.matrices.resize(largest + 65536);
    made.vectors.assign(65536, 1.0F);
    u64_t state = 1;
    const float size = std::sqrt(3.0F / static_cast<float>(m.hidden));
    for (u16_t& v : made.matrices) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        v = f32_to_bf16(size * (static_cast<float>(state >> 40) / static_cast<float>(1U << 23) - 1.0F));
    }
    u64_t shift = 0;
    detail::for_each_weight(m, [&](weight_role role, u32_t layer) {
        const weight_shape s = shape_of(m, role);
        const bool matrix = is_matrix(s);
        shift = (shift + 8191) % 65536;  // no two matrices are the same
        const void* data = matrix ? static_cast<const void*>(made.matrices.data() + shift) : static_cast<const void*>(made.vectors.data());
        std::vector<u64_t> shape{s.width};
        if (matrix) shape.insert(shape.begin(), s.rows);
        o.weights.add({.name = tensor_name(o.naming, role, layer),
                       .format = matrix ? weight_format{bf16} : weight_format{f32},
                       .shape = shape,
                       .data = static_cast<const std::byte*>(data),
                       .bytes = elements_of(s) * (matrix ? 2 : 4),
                       .offset = 0,
                       .file = o.path});
    });
    o.bound = bind_weights(o.weights, m, o.naming, true);
    return made;
}

}  // namespace netra::benchmarks
