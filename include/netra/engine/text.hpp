// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// From a model to its tokenizer and to prompts.
#pragma once

#include <netra/engine/chat.hpp>
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

}  // namespace netra::inline v0
