// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Queries and keys of one kv head: normalise, rotate, append to the caches.
#pragma once

#include <netra/backends/cpu/rows.hpp>
#include <netra/contracts/ops/rope_append.hpp>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

/// rope_append for kv head `kv_head` and its query heads. Pointers are to row 0 of whole buffers, pitches in floats; row r belongs to
/// `position` + r. Keys and values are copied to the caches, keys after their rotation; qkv's own stay as they are.
inline void rope_append_tile(const rope_append& c, u32_t kv_head, u32_t rows, u64_t position, float* qkv, u64_t qkv_pitch, const float* angles,
                             u64_t angles_pitch, const float* q_norm, const float* k_norm, u8_t* keys, u8_t* values) {
    const u64_t head = c.table.head_dim;
    const u64_t group = c.heads / c.kv_heads;
    const rms_norm norm = head_norm(c);
    float key[1024];  // the contract's most elements of a head
    for (u32_t r = 0; r < rows; ++r) {
        float* row = qkv + r * qkv_pitch;
        const float* turn = angles + r * angles_pitch;
        for (u64_t h = kv_head * group; h < (kv_head + 1) * group; ++h) {
            if (c.qk_norm) rms_norm_row(norm, row + h * head, q_norm, row + h * head);
            rotate(c.table, turn, row + h * head);
        }
        const float* k = row + (c.heads + kv_head) * head;
        const float* v = row + (u64_t{c.heads} + c.kv_heads + kv_head) * head;
        if (c.qk_norm) rms_norm_row(norm, k, k_norm, key);
        else __builtin_memcpy(key, k, head * sizeof(float));
        rotate(c.table, turn, key);
        const u64_t at = (u64_t{kv_head} * c.context + position + r) * head;
        for (u64_t d = 0; d < head; ++d) {
            store_kv(c.kv, keys, at + d, key[d]);
            store_kv(c.kv, values, at + d, v[d]);
        }
    }
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
