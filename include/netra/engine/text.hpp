// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// From a model to its tokenizer, and from what a person types to the ids of a prompt.
#pragma once

#include <netra/engine/chat_template.hpp>
#include <netra/engine/model_file.hpp>
#include <netra/engine/tokenizer_gguf.hpp>
#include <netra/engine/tokenizer_json.hpp>

namespace netra::inline v0 {

/// @throws model_error when the model comes without a tokenizer, or with one that netra does not know
inline tokenizer open_tokenizer(const opened_model& model) {
    if (model.tokenizer.empty())
        throw model_error(model.path + ": no tokenizer.json in it; give the prompt as token ids (--prompt-ids), or add the file");
    if (model.naming == weight_naming::gguf) return tokenizer(tokenizer_from_gguf(model.metadata));
    return tokenizer(tokenizer_from_directory(model.path));
}

/// The ids of one user turn, as the model's chat template writes it, up to where the answer begins.
inline std::vector<u32_t> encode_chat(const tokenizer& tokens, std::string_view user_turn) {
    const auto text_of = [&](std::optional<u32_t> id) { return id ? std::string(tokens.bytes_of(*id)) : std::string(); };
    const std::optional<u32_t> eos = tokens.eos().empty() ? std::nullopt : std::optional(tokens.eos().front());
    const chat_message turn{"user", std::string(user_turn)};
    const chat_template format(tokens.chat_template(), tokens.source());
    return tokens.encode(format.render({&turn, 1}, text_of(tokens.bos()), text_of(eos)));
}

}  // namespace netra::inline v0
