// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// 28 layers, a norm per head, split attention, waits for single heads.
#include <netra/schedule/program.hpp>

constexpr netra::llama model{.hidden = 1024,
                             .layers = 28,
                             .heads = 16,
                             .kv_heads = 8,
                             .head_dim = 128,
                             .intermediate = 3072,
                             .vocab = 151936,
                             .context = 40960,
                             .eps = 1e-6F,
                             .rope = {.theta = 1e6F},
                             .tied_head = true,
                             .qk_norm = true,
                             .weights = netra::bf16,
                             .kv = netra::bf16};
using decode = netra::program<model, netra::host_cpu(),
                              netra::lower_config{.workers = 4, .tile_outputs = 128, .kv_splits = 2, .per_head_waits = true}>;
static_assert(netra::accepted<decode>);
