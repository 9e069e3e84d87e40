// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How a model is cut into task groups, tiles and queues. No choice changes a bit of the result.
#pragma once

#include <netra/contracts/verdict.hpp>

namespace netra::inline v0 {

/// blocked: consecutive tiles stay on one queue.  round_robin: tile t goes to queue t modulo queues.
enum class queue_assignment : u8_t { blocked, round_robin };

struct lower_config {
    u32_t workers = 1;             ///< queues
    u32_t tile_outputs = 0;        ///< outputs of a projection's tile; 0: one tile a worker
    u32_t kv_splits = 0;           ///< attention tiles of a kv head; a combine merges their chunks. 0: as many as spread kv heads evenly
    u32_t heads_per_tile = 0;      ///< query heads of an attention tile that is not split; 0: all of a kv head
    bool fuse_norm = true;         ///< every tile normalises its input itself
    bool fuse_qkv = true;          ///< one group for the three projections
    bool fuse_gate_up = true;      ///< one group for gate, up and their product
    bool fuse_residual = true;     ///< o and down projections add to the residual stream in place
    bool per_head_waits = false;   ///< rope_append and attention wait for the tiles of their head, where tiles do not straddle heads
    queue_assignment assignment = queue_assignment::blocked;
    friend constexpr bool operator==(const lower_config&, const lower_config&) = default;
};

}  // namespace netra::inline v0
