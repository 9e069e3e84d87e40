// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Draws instead of the greedy choice: blocks agree on the smallest logit that is kept, then each publishes its largest score.
#pragma once

#include <netra/codegen/megakernel/rounds.hpp>

namespace netra::inline v0::persistent {

/// Run by the consumer warps behind the head, which left the block's logits in shared memory.
template <class Sink>
class draw_code {
  public:
    explicit constexpr draw_code(block_code<Sink>& k) : k_(k), as_(k.as), logits_(k, d_), rounds_(k, d_) {}

    constexpr void run(ptx::reg step) {
        using namespace ptx;
        const reg drawing = equals(as_, order_of(k_, step, __builtin_offsetof(step_order, head)), drawing_head);
        where(as_, both(as_, drawing, below(as_, k_.block, head_blocks(k_.plan))), [&] {
            k_.task = block_task::draw;
            d_.step = step;
            prepare();
            const reg top_k = member_of(k_, d_, __builtin_offsetof(draw, top_k));
            as_(op::cvt_u64_u32, d_.goal, top_k);
            as_(op::sub_u32, top_k, top_k, 1U);
            where(as_, below(as_, top_k, k_.plan.model.vocab - 1), [&] { rounds_.search(weight_of::one); });
            const reg some = as_.predicate();
            as_(op::setp_ne_u32, some, member_of(k_, d_, __builtin_offsetof(draw, share)), 0U);
            where(as_, some, [&] {
                rounds_.find_largest();
                rounds_.search(weight_of::mass);
            });
            choose();
        });
    }

  private:
    /// Logits become numbers that can be compared.
    constexpr void prepare() {
        using namespace ptx;
        d_.scale = as_.f32();
        as_(op::mov_b32, d_.scale, member_of(k_, d_, __builtin_offsetof(draw, scale)));
        d_.count = as_.b32();
        as_(op::mul_lo_u32, d_.count, k_.block, logits_.of_block());
        as_(op::sub_u32, d_.count, number(as_, k_.plan.model.vocab), d_.count);
        as_(op::min_u32, d_.count, d_.count, logits_.of_block());
        d_.round = as_.b64();
        as_(op::add_u64, d_.round, k_.words, k_.words_at.rounds * word_bytes);
        d_.least = number(as_, 0);
        d_.goal = as_.b64();
        d_.largest = as_.f32();
        as_(op::bar_sync, 2U, 32 * consumer_warps);
        logits_.for_each([&](reg l, reg, reg from) {
            settle_logit(as_, l);
            as_(op::st_shared_f32, at(from, k_.shared_at.logits), l);
        });
    }
    constexpr void choose() {
        using namespace ptx;
        const reg best = as_.f32();
        const reg best_id = number(as_, 0);
        as_(op::mov_f32, best, -__builtin_inff());
        const reg first = as_.b32();
        as_(op::mul_lo_u32, first, k_.block, logits_.of_block());
        constexpr u32_t noise_at = __builtin_offsetof(draw, noise);
        const reg low = member_of(k_, d_, noise_at);
        const reg noise[] = {low, member_of(k_, d_, noise_at + 4)};
        logits_.for_each([&](reg l, reg i, reg) {
            const reg out = below(as_, ordered_of(as_, l), d_.least);
            const reg id = as_.b32();
            const reg score = as_.f32();
            as_(op::add_u32, id, first, i);
            as_(op::mul_f32, score, l, d_.scale);
            as_(op::add_f32, score, score, gumbel_of(as_, noise_bits_of(as_, noise, id)));
            as_.when(out, op::mov_f32, score, -__builtin_inff());
            take_larger(as_, best, best_id, score, id);
        });
        as_(op::bar_warp, -1);
        for (u32_t apart = 1; apart < 32; apart *= 2) larger_of_lanes(as_, best, best_id, apart);
        const reg to = as_.b32();
        as_(op::mad_lo_u32, to, k_.warp, 8U, k_.shared);
        const reg leads = equals(as_, k_.lane, 0U);
        as_.when(leads, op::st_shared_f32, at(to, k_.shared_at.best), best);
        as_.when(leads, op::st_shared_b32, at(to, k_.shared_at.best + 4), best_id);
        publish_best_of_warps(k_, k_.epoch);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    draw_state d_{};
    logit_code<Sink> logits_;
    round_code<Sink> rounds_;
};

}  // namespace netra::inline v0::persistent
