// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The price of lowering and checking 30 layers for 2 workers.
#include <netra/schedule/program.hpp>

constexpr netra::llama model{.hidden = 576,
                             .layers = 30,
                             .heads = 9,
                             .kv_heads = 3,
                             .head_dim = 64,
                             .intermediate = 1536,
                             .vocab = 49152,
                             .tied_head = true,
                             .weights = netra::q4_1};
static_assert(netra::accepted<netra::program<model, netra::host_cpu(), netra::lower_config{.workers = 2}>>);
