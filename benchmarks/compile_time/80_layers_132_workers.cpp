// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The price of lowering and checking 80 layers for 132 workers.
#include <netra/schedule/program.hpp>

constexpr netra::llama model{.hidden = 8192,
                             .layers = 80,
                             .heads = 64,
                             .kv_heads = 8,
                             .head_dim = 128,
                             .intermediate = 28672,
                             .vocab = 128256,
                             .rows = 1,
                             .weights = netra::bf16};
static_assert(netra::accepted<netra::program<model, netra::host_cpu(), netra::lower_config{.workers = 132}>>);
