// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The price of 16 tokens a step: half a megabyte of text, in parts that no compiler's limits stop.
#include <netra/codegen/megakernel.hpp>

constexpr netra::llama model{.hidden = 2048,
                             .layers = 16,
                             .heads = 32,
                             .kv_heads = 8,
                             .head_dim = 64,
                             .intermediate = 8192,
                             .vocab = 128256,
                             .context = 8192,
                             .rows = 16,
                             .tied_head = true,
                             .weights = netra::bf16,
                             .kv = netra::bf16};
using decode = netra::megakernel<model, netra::h200>;
static_assert(netra::accepted<decode>);
const char* text() { return decode::assembly.data(); }
