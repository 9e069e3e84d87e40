// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model on disk, opened: a contract and the tensors that fill it, each checked against the other.
#pragma once

#include <netra/contracts/models/llama_weights.hpp>
#include <netra/engine/gguf_metadata.hpp>
#include <netra/engine/tensor.hpp>

namespace netra::inline v0 {

/// Which names the tensors have.
enum class weight_naming : u8_t { safetensors, gguf };

/// How matrices are kept in memory.
enum class weight_storage : u8_t { as_stored, as_f32, as_bf16, as_f16 };

/// The name of a weight in a file, or nothing where such files never hold it.
inline std::string tensor_name(weight_naming naming, weight_role role, u32_t layer = 0) {
    std::string name = naming == weight_naming::gguf ? names_of(role).gguf : names_of(role).safetensors;
    if (const usz at = name.find("{}"); at != std::string::npos) name.replace(at, 2, std::to_string(layer));
    return name;
}

/// A weight of the contract and the tensor that holds it; `layer` is 0 for weights of the whole model.
struct bound_weight {
    weight_role role{};
    u32_t layer = 0;
    const tensor* stored = nullptr;
};

namespace detail {

template <class Each>
void for_each_weight(const llama& m, Each each) {
    for (const weight_names& w : weight_table) {
        if (!has_weight(m, w.role)) continue;
        for (u32_t layer = 0; layer < (per_layer(w.role) ? m.layers : 1); ++layer) each(w.role, layer);
    }
}

/// The role and layer of a tensor by its name, whether or not the contract has it.
inline const weight_names* weight_called(weight_naming naming, std::string_view name, u32_t& layer) {
    for (const weight_names& w : weight_table) {
        const std::string_view pattern = naming == weight_naming::gguf ? w.gguf : w.safetensors;
        const usz hole = pattern.find("{}");
        layer = 0;
        if (hole == std::string_view::npos) {
            if (!pattern.empty() && name == pattern) return &w;
            continue;
        }
        if (!name.starts_with(pattern.substr(0, hole)) || !name.ends_with(pattern.substr(hole + 2)) || name.size() < pattern.size() - 1)
            continue;
        const std::string_view digits = name.substr(hole, name.size() - (pattern.size() - 2));
        if (digits.size() > 4 || (digits.size() > 1 && digits[0] == '0') ||
            digits.find_first_not_of("0123456789") != std::string_view::npos)
            continue;
        for (const char c : digits) layer = 10 * layer + static_cast<u32_t>(c - '0');
        return &w;
    }
    return nullptr;
}

/// Frequencies that old checkpoints carry although they follow from the configuration.
inline bool is_derived_buffer(std::string_view name) { return name.ends_with("rotary_emb.inv_freq"); }

inline bool equal_contents(const tensor& a, const tensor& b) {
    return a.format == b.format && a.shape == b.shape && a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
}

/// Refuses a tensor that no weight of the contract is.
inline void check_tensor_is_used(const weight_files& files, const llama& m, weight_naming naming, const tensor& t) {
    u32_t layer = 0;
    const weight_names* w = weight_called(naming, t.name, layer);
    if (w == nullptr) {
        if (naming == weight_naming::safetensors && is_derived_buffer(t.name)) return;
        throw model_error(
            said("{} is none of the weights that netra knows in such a file; a model that needs it is not supported", {describe(t)}));
    }
    if (per_layer(w->role) && layer >= m.layers)
        throw model_error(said("{} belongs to layer {}, but the model has {} layers", {describe(t), layer, m.layers}));
    if (has_weight(m, w->role)) return;
    if (w->role == weight_role::head) {
        if (equal_contents(t, files.at(tensor_name(naming, weight_role::embedding)))) return;
        throw model_error(said(
            "{} differs from the embedding, but the configuration ties them; set tie_word_embeddings to false or remove the tensor",
            {describe(t)}));
    }
    throw model_error(
        said("{} is a weight ({}) that the model's configuration has no use for; correct the configuration or remove the tensor",
                    {describe(t), w->role_name}));
}

inline void check_shape(const tensor& t, const weight_shape& expected) {
    const bool good = is_matrix(expected) ? t.shape.size() == 2 && t.shape[0] == expected.rows && t.shape[1] == expected.width
                                          : t.shape.size() == 1 && t.shape[0] == expected.width;
    if (good) return;
    const std::string wanted =
        is_matrix(expected) ? said("{} x {}", {expected.rows, expected.width}) : said("{}", {expected.width});
    throw model_error(said("{} has another shape than the model's configuration gives it: [{}] is expected", {describe(t), wanted}));
}

inline bool is_plain(const weight_format& f) { return f == weight_format{f32} || f == weight_format{f16} || f == weight_format{bf16}; }

}  // namespace detail

/// The formats in which the tensors are stored. Refuses a missing matrix, and one stored in different formats in different layers.
inline llama_formats weight_formats_of(const weight_files& files, const llama& m, weight_naming naming) {
    llama_formats formats;
    detail::for_each_weight(m, [&](weight_role role, u32_t layer) {
        weight_format* slot = format_slot(formats, role);
        if (slot == nullptr) return;
        const tensor& t = files.at(tensor_name(naming, role, layer));
        if (layer == 0) *slot = t.format;
        if (t.format == *slot) return;
        throw model_error(said(
            "{} is stored in another format than {}, which is {}; netra keeps one format for all layers: use --dtype f32 or --dtype bf16",
            {describe(t), detail::in_quotes(tensor_name(naming, role)), name_of(*slot)}));
    });
    if (m.tied_head) formats.head = formats.embedding;
    return formats;
}

/// Every weight of the contract with its tensor. Refuses by name a tensor that the contract does not use, a missing one, one of another
/// shape and, unless `convert`, a matrix stored in another format than the contract says. Vectors may be f32, f16 or bf16.
/// Knowingly skipped: rotary_emb.inv_freq buffers, and the head of a tied model when it has the embedding's very bytes.
inline std::vector<bound_weight> bind_weights(const weight_files& files, const llama& m, weight_naming naming, bool convert = false) {
    for (const tensor& t : files.tensors()) detail::check_tensor_is_used(files, m, naming, t);
    std::vector<bound_weight> bound;
    detail::for_each_weight(m, [&](weight_role role, u32_t layer) {
        const std::string name = tensor_name(naming, role, layer);
        if (name.empty())
            throw model_error(
                said("{}: the contract needs {}, which such a file cannot hold; import the contract from its config.json",
                            {files.source(), name_of(role)}));
        const tensor& t = files.at(name);
        detail::check_shape(t, shape_of(m, role));
        const weight_format expected = format_of(m, role);
        const bool matrix = is_matrix(shape_of(m, role));
        if (!matrix && !detail::is_plain(t.format))
            throw model_error(said("{} is a vector, which must be f32, f16 or bf16", {describe(t)}));
        if (matrix && !convert && t.format != expected) {
            throw model_error(said("{} is stored as {}, but the contract says {}; use a file in that format or change the contract",
                                          {describe(t), name_of(t.format), name_of(expected)}));
        }
        bound.push_back({role, layer, &t});
    });
    return bound;
}

struct open_options {
    u32_t rows = max_rows;
    u32_t context = 0;  ///< 0: the most that the model allows
    dtype kv = dtype::f32;
    weight_storage storage = weight_storage::as_stored;
};

/// A model whose tensors were checked against its contract. Movable; `metadata` and `weights` see into the mapped files.
struct opened_model {
    llama contract{};
    weight_naming naming = weight_naming::safetensors;
    weight_files weights;
    std::vector<bound_weight> bound;
    gguf_metadata metadata;  ///< of a GGUF file
    std::string path;
    std::string tokenizer;          ///< the GGUF file, or tokenizer.json; empty when the directory has none
    std::vector<u32_t> end_tokens;  ///< that end a text by the model's configuration, ascending

    opened_model() = default;
    opened_model(opened_model&&) = default;
    opened_model& operator=(opened_model&&) = default;
};

namespace detail {

inline void set_formats(opened_model& model, weight_storage storage) {
    switch (storage) {
        case weight_storage::as_stored:
            model.contract.weights = weight_formats_of(model.weights, model.contract, model.naming);
            break;
        case weight_storage::as_f32:
            model.contract.weights = dtype::f32;
            break;
        case weight_storage::as_bf16:
            model.contract.weights = dtype::bf16;
            break;
        case weight_storage::as_f16:
            model.contract.weights = dtype::f16;
            break;
    }
    model.bound = bind_weights(model.weights, model.contract, model.naming, storage != weight_storage::as_stored);
    if (const verdict v = check(model.contract); !v.ok()) throw model_error(said("{}: {}", {model.path, sentence(v).d}));
}

}  // namespace detail

}  // namespace netra::inline v0
