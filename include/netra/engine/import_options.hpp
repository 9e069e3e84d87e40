// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What the readers of model files need to know beside the file.
#pragma once

#include <netra/contracts/models/llama.hpp>

namespace netra::inline v0 {

/// What a model file leaves to whoever opens it.
struct import_options {
    u32_t rows = max_rows;
    u32_t context = 0;  ///< 0: the most that the file allows
    dtype kv = dtype::f32;
    llama_formats weights{};
    rope_pairing pairing = rope_pairing::halves;  ///< of a config.json; a GGUF file says itself
};

}  // namespace netra::inline v0
