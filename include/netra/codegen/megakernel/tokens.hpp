// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// From logits to the next residual stream: every block finds the largest logit of all blocks, looks its token up, and publishes its share.
#pragma once

#include <netra/codegen/megakernel/observe.hpp>

namespace netra::inline v0 {

/// Run by the attention warps. `thread`, `warp`: counted from their first.
template <class Sink>
class token_code {
  public:
    constexpr token_code(block_code<Sink>& k, ptx::reg thread, ptx::reg warp) : k_(k), as_(k.as), thread_(thread), warp_(warp) {}

    /// Publishes the embeddings of the step's tokens with `epoch`.
    constexpr void embed(ptx::reg step, ptx::reg epoch) {
        using namespace ptx;
        k_.task = block_task::embedding;
        persistent::note_time(k_, stamp::start);
        persistent::delay(k_);
        const auto& m = k_.plan.model;
        const u32_t tile = divided_up(m.hidden, k_.plan.blocks);
        const reg first = as_.b32();
        as_(op::mul_lo_u32, first, k_.block, tile);
        where(as_, below(as_, first, m.hidden), [&] {
            const reg tokens = element(as_, pointer(as_, "tokens"), step, 4 * m.rows);
            const reg token = as_.b32();
            const reg headless = as_.predicate();
            as_(op::ld_global_nc_b32, token, at(tokens));
            await_step_before(step, token, epoch, headless);
            persistent::note_time(k_, stamp::ready);
            const reg i = as_.b32();
            as_(op::mov_u32, i, thread_);
            count_up(as_, i, m.rows * tile, 32 * attention_warps, [&] {
                const reg row = as_.b32();
                const reg column = as_.b32();
                as_(op::div_u32, row, i, tile);
                as_(op::rem_u32, column, i, tile);
                as_(op::add_u32, column, column, first);
                where(as_, below(as_, column, m.hidden), [&] {
                    if (m.rows != 1) as_(op::ld_global_nc_b32, token, at(element(as_, tokens, row, 4)));
                    publish_element(row, column, token, epoch, headless);
                });
            });
        });
        persistent::note_time(k_, stamp::end);
    }

    /// Stores the greedy choice of each row that is this block's. Only blocks that publish embeddings have rows: the next step waits for them.
    constexpr void choose(ptx::reg step, ptx::reg epoch) {
        using namespace ptx;
        k_.task = block_task::choose;
        persistent::note_time(k_, stamp::start);
        const u32_t rows = k_.plan.model.rows;
        where(as_, equals(as_, warp_, 0U), [&] {
            const reg row = as_.b32();
            as_(op::mov_u32, row, k_.block);
            count_up(as_, row, rows, k_.plan.blocks, [&] {
                const reg id = largest(row, epoch);
                const reg place = as_.b32();
                as_(op::mad_lo_u32, place, step, rows, row);
                const reg to = element(as_, pointer(as_, "chosen"), place, 4);
                as_.when(equals(as_, k_.lane, 0U), op::st_global_b32, at(to), id);
            });
        });
        persistent::note_time(k_, stamp::end);
    }

  private:
    static constexpr u32_t most_reads = 16;  ///< of a lane at once

    /// The residual stream may be overwritten when the step before is done with it: its words of `best` say so, and which token it chose. After a
    /// step without a head, its last words of the stream say so.
    constexpr void await_step_before(ptx::reg step, ptx::reg token, ptx::reg epoch, ptx::reg headless) {
        using namespace ptx;
        const reg chosen = as_.predicate();
        const reg waits = as_.predicate();
        const reg later = as_.predicate();
        as_(op::setp_lt_s32, chosen, token, 0U);
        as_(op::setp_ne_u32, later, step, 0U);
        const reg had_head = number(as_, 1);
        const reg before = as_.b32();
        as_(op::sub_u32, before, step, 1U);
        where(as_, later, [&] { as_(op::mov_u32, had_head, persistent::order_of(k_, before, 8)); });
        as_(op::setp_eq_u32, headless, had_head, 0U);
        as_(op::or_pred, waits, later, chosen);
        const reg ended = as_.predicate();
        as_(op::not_pred, ended, headless);
        where(as_, both(as_, waits, ended), [&] {
            where(as_, equals(as_, warp_, 0U), [&] {
                const reg id = largest(number(as_, 0), epoch);
                as_.when(equals(as_, k_.lane, 0U), op::st_shared_b32, at(k_.shared, k_.shared_at.flags + 4), id);
            });
            as_(op::bar_sync, 1U, 32 * attention_warps);
            as_.when(chosen, op::ld_shared_b32, token, at(k_.shared, k_.shared_at.flags + 4));
            as_(op::bar_sync, 1U, 32 * attention_warps);
        });
    }
    constexpr void publish_element(ptx::reg row, ptx::reg column, ptx::reg token, ptx::reg epoch, ptx::reg headless) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg id = as_.b32();
        as_(op::min_u32, id, token, m.vocab - 1);
        const reg from = element(as_, element(as_, pointer(as_, "embedding"), id, 2 * m.hidden), column, 2);
        const reg half = as_.b16();
        const reg value = as_.f32();
        as_(op::ld_global_nc_b16, half, at(from));
        if (m.weights.embedding == weight_format{f16}) {
            as_(op::cvt_f32_f16, value, half);
        } else {
            const reg zero = as_.b16();
            as_(op::mov_b16, zero, 0U);
            as_(op::mov_b32, value, fragment<2>{{zero, half}});
        }
        const reg index = as_.b32();
        as_(op::mad_lo_u32, index, row, m.hidden, column);
        const reg to = element(as_, k_.words, index, word_bytes);
        as_(op::add_u64, to, to, k_.words_at.residual * word_bytes);
        where(as_, headless, [&] {
            const reg before = as_.b32();
            as_(op::sub_u32, before, epoch, 1U);
            poll_word(k_, to, 0, before);
        });
        publish(as_, at(to), value, epoch);
    }
    /// The id of the largest logit of a row over all blocks, in every lane of the warp.
    constexpr ptx::reg largest(ptx::reg row, ptx::reg epoch) {
        using namespace ptx;
        const u32_t blocks = k_.plan.blocks;
        const reg value = as_.f32();
        const reg id = number(as_, ~0U);
        as_(op::mov_f32, value, -__builtin_inff());
        const reg index = as_.b32();
        as_(op::mad_lo_u32, index, row, blocks, k_.lane);
        const reg from = element(as_, k_.words, index, 2 * word_bytes);
        as_(op::add_u64, from, from, k_.words_at.best * word_bytes);
        for (u32_t first = 0; first < head_blocks(k_.plan); first += 32 * most_reads) read_best(from, first, value, id, epoch);
        for (u32_t apart = 16; apart != 0; apart /= 2) larger_of_lanes(as_, value, id, apart);
        return id;
    }
    constexpr void read_best(ptx::reg from, u32_t first, ptx::reg value, ptx::reg id, ptx::reg epoch) {
        using namespace ptx;
        const u32_t blocks = head_blocks(k_.plan);
        const u32_t reads = blocks - first < 32 * most_reads ? divided_up(blocks - first, 32) : most_reads;
        fragment<2> raw[most_reads];
        reg inside[most_reads];
        for (u32_t i = 0; i < reads; ++i) {
            raw[i] = as_.template fragment_of<2>(register_class::b64);
            for (const reg& r : raw[i].r) as_(op::mov_u64, r, 0U);
            const reg block = as_.b32();
            as_(op::add_u32, block, k_.lane, first + 32 * i);
            inside[i] = below(as_, block, blocks);
        }
        reg low[most_reads][2];
        poll_words(
            k_, from, epoch,
            [&] {
                for (u32_t i = 0; i < reads; ++i) as_.when(inside[i], op::ld_relaxed_v2_b64, raw[i], at(from, (first + 32 * i) * 2 * word_bytes));
            },
            [&](reg seen) {
                for (u32_t i = 0; i < reads; ++i)
                    for (u32_t h = 0; h < 2; ++h) {
                        low[i][h] = as_.b32();
                        open_word(as_, raw[i][h], low[i][h], epoch, seen, &inside[i]);
                    }
            });
        for (u32_t i = 0; i < reads; ++i) {
            const reg other = as_.f32();
            as_(op::mov_b32, other, low[i][0]);
            as_.unless(inside[i], op::mov_f32, other, -__builtin_inff());
            take_larger(as_, value, id, other, low[i][1]);
        }
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::reg thread_, warp_;
};

}  // namespace netra::inline v0
