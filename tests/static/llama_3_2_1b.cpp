// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// 16 layers, scaled rotary frequencies, no norm fused, tiles on queues in turn.
#include <netra/schedule/program.hpp>

constexpr netra::llama model{.hidden = 2048,
                             .layers = 16,
                             .heads = 32,
                             .kv_heads = 8,
                             .head_dim = 64,
                             .intermediate = 8192,
                             .vocab = 128256,
                             .context = 131072,
                             .rows = 1,
                             .rope = {.theta = 500000.0F, .scaling = netra::rope_scaling::llama3, .factor = 32.0F},
                             .tied_head = true,
                             .weights = netra::bf16};
using decode =
    netra::program<model, netra::host_cpu(),
                   netra::lower_config{
                       .workers = 8, .fuse_norm = false, .fuse_gate_up = false, .assignment = netra::queue_assignment::round_robin}>;
static_assert(netra::accepted<decode>);
