// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Opens a GGUF file as a model.
#pragma once

#include <netra/engine/gguf_config.hpp>
#include <netra/engine/opened_model.hpp>

namespace netra::inline v0 {

/// The contract and tensors of a GGUF file. @throws model_error when it is refused, naming what is wrong
inline opened_model open_gguf_model(const std::string& path, const open_options& options) {
    gguf_file file = open_gguf(path);
    opened_model model;
    model.naming = weight_naming::gguf;
    model.path = model.tokenizer = path;
    model.contract = read_gguf_config(file.metadata, file.weights, {.rows = options.rows, .context = options.context, .kv = options.kv});
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
        if (!file.metadata.has(key)) continue;
        const u64_t id = file.metadata.u64(key);
        if (id >= model.contract.vocab)
            throw model_error(said("{}: key '{}' is {}, but the vocabulary has {} tokens", {path, key, id, model.contract.vocab}));
        const auto end_token = static_cast<u32_t>(id);
        const auto at = std::lower_bound(model.end_tokens.begin(), model.end_tokens.end(), end_token);
        if (at == model.end_tokens.end() || *at != end_token) model.end_tokens.insert(at, end_token);
    }
    model.weights = std::move(file.weights);
    model.metadata = std::move(file.metadata);
    detail::set_formats(model, options.storage);
    return model;
}

}  // namespace netra::inline v0
