// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The price of a whole model in one kernel: plan, proof, 190 KB of text.
#include <netra/codegen/megakernel.hpp>

constexpr netra::llama model{.hidden = 576,
                             .layers = 30,
                             .heads = 9,
                             .kv_heads = 3,
                             .head_dim = 64,
                             .intermediate = 1536,
                             .vocab = 49152,
                             .context = 2048,
                             .rows = 1,
                             .tied_head = true,
                             .weights = netra::bf16,
                             .kv = netra::bf16};
using decode = netra::megakernel<model, netra::h200>;
static_assert(netra::accepted<decode>);
const char* text() { return decode::assembly.data(); }
