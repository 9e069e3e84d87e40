// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a block publishes at the end of a step: its largest logit, or score of a draw, of each row, with its id.
#pragma once

#include <netra/codegen/megakernel/block.hpp>

namespace netra::inline v0::persistent {

/// Publishes the largest of what each consumer warp has left in shared memory. Run by all of them.
template <class Sink>
constexpr void publish_best_of_warps(block_code<Sink>& k, ptx::reg epoch) {
    using namespace ptx;
    auto& as = k.as;
    const u32_t rows = k.plan.model.rows;
    const u32_t at_best = k.shared_at.best;
    as(op::bar_sync, 2U, 32 * consumer_warps);
    where(as, both(as, {equals(as, k.warp, 0U), below(as, k.lane, rows)}), [&] {
        const reg from = as.b32();
        as(op::mad_lo_u32, from, k.lane, 8U, k.shared);
        const reg value = as.f32();
        const reg id = as.b32();
        as(op::ld_shared_f32, value, at(from, at_best));
        as(op::ld_shared_b32, id, at(from, at_best + 4));
        for (u32_t w = 1; w < consumer_warps; ++w) {
            const reg other = as.f32();
            const reg other_id = as.b32();
            as(op::ld_shared_f32, other, at(from, at_best + w * rows * 8));
            as(op::ld_shared_b32, other_id, at(from, at_best + w * rows * 8 + 4));
            take_larger(as, value, id, other, other_id);
        }
        const reg pair = as.b32();
        as(op::mad_lo_u32, pair, k.lane, k.plan.blocks, k.block);
        const reg to = element(as, k.words, pair, 2 * word_bytes);
        const reg id_bits = as.f32();
        as(op::mov_b32, id_bits, id);
        publish(as, at(to, k.words_at.best * word_bytes), value, epoch);
        publish(as, at(to, k.words_at.best * word_bytes + word_bytes), id_bits, epoch);
    });
    as(op::bar_warp, -1);
}

}  // namespace netra::inline v0::persistent
