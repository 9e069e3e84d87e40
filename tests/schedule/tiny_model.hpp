// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The model whose costs and exports tests know by hand.
#pragma once

#include <netra/contracts/models/llama.hpp>

namespace netra::test {

constexpr llama tiny_model(u32_t layers) {
    return {.hidden = 96,
            .layers = layers,
            .heads = 6,
            .kv_heads = 2,
            .head_dim = 16,
            .intermediate = 160,
            .vocab = 50,
            .context = 512,
            .weights = q8_0};
}

}  // namespace netra::test
