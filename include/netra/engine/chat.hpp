// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// From what a person types to the ids of a prompt.
#pragma once

#include <netra/engine/chat_template.hpp>

namespace netra::inline v0 {

/// The ids of one user turn, as the model's chat template writes it, up to where the answer begins.
inline std::vector<u32_t> encode_chat(const tokenizer& tokens, std::string_view user_turn) {
    const auto text_of = [&](std::optional<u32_t> id) { return id ? std::string(tokens.bytes_of(*id)) : std::string(); };
    const std::optional<u32_t> eos = tokens.eos().empty() ? std::nullopt : std::optional(tokens.eos().front());
    const chat_message turn{"user", std::string(user_turn)};
    const chat_template format(tokens.chat_template(), tokens.source());
    return tokens.encode(format.render({&turn, 1}, text_of(tokens.bos()), text_of(eos)));
}

}  // namespace netra::inline v0
