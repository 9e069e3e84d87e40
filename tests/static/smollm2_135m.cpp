// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// 30 layers in their files' formats: the checker accepts them within every compiler's default limits.
#include <netra/schedule/program.hpp>

constexpr netra::llama model{.hidden = 576,
                             .layers = 30,
                             .heads = 9,
                             .kv_heads = 3,
                             .head_dim = 64,
                             .intermediate = 1536,
                             .vocab = 49152,
                             .context = 8192,
                             .rope = {.theta = 100000.0F},
                             .tied_head = true,
                             .weights = netra::q4_1};
using decode = netra::program<model, netra::host_cpu(), netra::lower_config{.workers = 2}>;
static_assert(netra::accepted<decode>);
