// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The price of the model contract and its check: a user's smallest translation unit.
#include <netra/contracts/models/llama.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::llama model{
    .hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .weights = netra::bf16};
static_assert(netra::accepted_contract<model>);
