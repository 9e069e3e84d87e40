// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Small models with odd sizes, and every kind of configuration to lower them with.
#pragma once

#include <netra/schedule/lower.hpp>

#include "schedule/loose_schedule.hpp"

namespace netra::test {

/// 6 heads on 3 kv heads.
inline constexpr llama grouped_model{
    .hidden = 24, .layers = 2, .heads = 6, .kv_heads = 3, .head_dim = 4, .intermediate = 20, .vocab = 11, .context = 6, .rows = 2};
/// 3 heads on one kv head, everything that can be present.
inline constexpr llama odd_model{.hidden = 20,
                                 .layers = 2,
                                 .heads = 3,
                                 .kv_heads = 1,
                                 .head_dim = 6,
                                 .intermediate = 13,
                                 .vocab = 17,
                                 .context = 5,
                                 .rows = 1,
                                 .tied_head = true,
                                 .qkv_bias = true,
                                 .o_bias = true,
                                 .mlp_bias = true,
                                 .qk_norm = true,
                                 .window = 3,
                                 .first_window_layer = 1};

inline loose_schedule lowered(const llama& m, const lower_config& c) {
    loose_schedule s;
    s.operations.clear();
    lower(m, host_cpu(), c, s);
    plan_memory(s);
    return s;
}

/// Every combination of the flags with a few sizes.
inline std::vector<lower_config> all_configs() {
    std::vector<lower_config> all;
    for (const u32_t workers : {1U, 2U, 3U, 7U})
        for (const u32_t tile : {0U, 2U, 5U})
            for (const u32_t splits : {1U, 3U})
                for (u32_t flags = 0; flags < 64; ++flags)
                    all.push_back({.workers = workers,
                                   .tile_outputs = tile,
                                   .kv_splits = splits,
                                   .heads_per_tile = flags & 1,
                                   .fuse_norm = (flags & 2) != 0,
                                   .fuse_qkv = (flags & 4) != 0,
                                   .fuse_gate_up = (flags & 8) != 0,
                                   .fuse_residual = (flags & 16) != 0,
                                   .per_head_waits = (flags & 32) != 0,
                                   .assignment = (flags & 1) != 0 ? queue_assignment::round_robin : queue_assignment::blocked});
    return all;
}

}  // namespace netra::test
