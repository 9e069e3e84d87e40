// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The tokenizer in a GGUF file's metadata.
#pragma once

#include <netra/engine/gguf_metadata.hpp>
#include <netra/engine/tokenizer.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace netra::inline v0 {

namespace detail {

inline std::optional<u32_t> gguf_token_id(const gguf_metadata& keys, std::string_view key, usz tokens) {
    if (!keys.has(key)) return std::nullopt;
    const u64_t id = keys.u64(key);
    if (id >= tokens) throw model_error(said("{}: the key '{}' is {}; the vocabulary has {} tokens", {keys.file(), key, id, tokens}));
    return static_cast<u32_t>(id);
}

}  // namespace detail

/// Refuses vocabularies and pre-tokenizers that netra does not know, by name.
inline tokenizer_data tokenizer_from_gguf(const gguf_metadata& keys) {
    const auto refuse = [&](const std::string& what) -> void { throw model_error(keys.file() + ": " + what); };
    if (const auto model = keys.string("tokenizer.ggml.model"); model != "gpt2") {
        refuse(said("the key 'tokenizer.ggml.model' is {}; netra reads gpt2 (byte-level BPE), so give the prompt as ids",
                           {detail::in_quotes(model)}));
    }
    const auto words = keys.string("tokenizer.ggml.pre");
    const auto kind = pre_tokenizer_named(words);
    if (!kind) {
        refuse(said("the key 'tokenizer.ggml.pre' is {}; netra knows gpt-2, smollm, llama-bpe and qwen2, so give the prompt as ids",
                           {detail::in_quotes(words)}));
    }
    if (keys.boolean_or("tokenizer.ggml.add_eos_token", false)) {
        refuse("the key 'tokenizer.ggml.add_eos_token' is true; an end token after every prompt is not supported");
    }
    if (keys.boolean_or("tokenizer.ggml.add_space_prefix", false)) {
        refuse("the key 'tokenizer.ggml.add_space_prefix' is true; a space before every text is not supported");
    }

    tokenizer_data out;
    out.source = keys.file();
    out.words = *kind;
    out.nfc = *kind == pre_tokenizer::qwen2;
    out.ignore_merges = *kind == pre_tokenizer::llama_bpe;
    const auto tokens = keys.strings("tokenizer.ggml.tokens");
    out.tokens.assign(tokens.begin(), tokens.end());
    const auto merges = keys.strings("tokenizer.ggml.merges");
    out.merges.reserve(merges.size());
    for (const std::string_view m : merges) {
        out.merges.push_back(detail::merge_in(m, out.source, "tokenizer.ggml.merges", out.merges.size()));
    }

    enum : i64_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5 };
    const auto types = keys.has("tokenizer.ggml.token_type") ? keys.integers("tokenizer.ggml.token_type") : std::vector<i64_t>{};
    if (!types.empty() && types.size() != tokens.size()) {
        refuse(said("the key 'tokenizer.ggml.token_type' has {} items, the vocabulary has {} tokens", {types.size(), tokens.size()}));
    }
    for (u32_t id = 0; id < types.size(); ++id) {
        const i64_t type = types[id];
        if (type == normal || type == unused || type == unknown) continue;
        if (type != control && type != user_defined) {
            refuse(said("the key 'tokenizer.ggml.token_type' is {} for the token {}; 1 to 5 are possible here", {type, id}));
        }
        if (tokens[id].empty()) refuse(said("the key 'tokenizer.ggml.tokens' has no text for the special token {}", {id}));
        out.added.push_back({.content = std::string(tokens[id]), .id = id, .special = type == control});
    }

    out.bos = detail::gguf_token_id(keys, "tokenizer.ggml.bos_token_id", tokens.size());
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
        const auto id = detail::gguf_token_id(keys, key, tokens.size());
        if (id && std::find(out.eos.begin(), out.eos.end(), *id) == out.eos.end()) out.eos.push_back(*id);
    }
    // files for Llama 3 that do not say mean yes
    out.add_bos = keys.boolean_or("tokenizer.ggml.add_bos_token", *kind == pre_tokenizer::llama_bpe && out.bos.has_value());
    out.chat_template = keys.string_or("tokenizer.chat_template", "");
    return out;
}

}  // namespace netra::inline v0
