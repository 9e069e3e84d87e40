// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// 32 layers on 132 workers, as many as a large GPU has multiprocessors.
#include <netra/schedule/program.hpp>

constexpr netra::llama model{.hidden = 4096,
                             .layers = 32,
                             .heads = 32,
                             .kv_heads = 8,
                             .head_dim = 128,
                             .intermediate = 14336,
                             .vocab = 128256,
                             .context = 131072,
                             .rows = 1,
                             .rope = {.theta = 500000.0F, .scaling = netra::rope_scaling::llama3, .factor = 8.0F},
                             .weights = netra::bf16};
using decode = netra::program<model, netra::host_cpu(), netra::lower_config{.workers = 132}>;
static_assert(netra::accepted<decode>);
