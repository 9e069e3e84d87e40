// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The rounds in which blocks agree on the smallest logit that a draw keeps, and on the largest there is.
#pragma once

#include <netra/codegen/megakernel/best.hpp>
#include <netra/codegen/megakernel/heaps.hpp>

namespace netra::inline v0::persistent {

/// Run by the consumer warps. Sums are integers, so no order of anything matters.
///
/// A search finds the largest key (a logit in the order of integers) from which on the kept logits weigh at least `goal`: each weighs 1 for
/// top-k, its mass for top-p. In a round, logits whose key begins as the sought one does fall into 16 heaps by its next four bits; blocks
/// publish what their heaps weigh, and everybody finds the heap in which the goal lies. A round's words carry the step's epoch and are written
/// once a step, so whoever sees that epoch sees the words of that round.
template <class Sink>
class round_code {
  public:
    constexpr round_code(block_code<Sink>& k, draw_state& d) : k_(k), as_(k.as), d_(d), logits_(k, d) {}

    /// A round that finds the largest logit of all blocks.
    constexpr void find_largest() {
        using namespace ptx;
        const reg key = number(as_, 0);
        logits_.for_each([&](reg l, reg, reg) { as_(op::max_u32, key, key, ordered_of(as_, l)); });
        as_(op::bar_warp, -1);
        as_(op::redux_max_u32, key, key, -1);
        const reg own = as_.b32();
        as_(op::mad_lo_u32, own, k_.warp, 4U, k_.shared);
        as_.when(equals(as_, k_.lane, 0U), op::st_shared_b32, at(own, block_heaps()), key);
        meet();
        where(as_, equals(as_, k_.warp, 0U), [&] {
            const reg from = as_.b32();
            as_(op::and_b32, from, k_.lane, consumer_warps - 1);
            as_(op::mad_lo_u32, from, from, 4U, k_.shared);
            as_(op::ld_shared_b32, key, at(from, block_heaps()));
            as_(op::redux_max_u32, key, key, -1);
            const reg to = element(as_, words_of_block(k_.block), k_.lane, word_bytes);
            const reg value = as_.f32();
            as_(op::mov_b32, value, key);
            where(as_, below(as_, k_.lane, 2U), [&] { publish(as_, at(to), value, k_.epoch); });
        });
        as_(op::bar_warp, -1);
        as_(op::mov_u32, key, 0U);
        for_pairs(words_of_block(k_.lane), k_.lane, 32, [&](reg low, reg, reg there) { as_.when(there, op::max_u32, key, key, low); });
        as_(op::redux_max_u32, key, key, -1);
        as_(op::mov_f32, d_.largest, number_of(as_, key));
        meet();  // the keys of warps were read
        end_round();
    }

    constexpr void search(weight_of what) {
        using namespace ptx;
        const reg prefix = number(as_, 0);
        const reg shift = number(as_, 28);
        const code_label again = as_.new_label();
        const code_label found = as_.new_label();
        as_.place(again);
        const reg sum = logits_.heaps(what, prefix, shift);
        publish_heaps(sum);
        const reg total = heaps_of_all();
        end_round();
        // what weighs as much as heaps from the lane's on, and behind it
        const reg heap = as_.b32();
        as_(op::and_b32, heap, k_.lane, draw_heaps - 1);
        const reg from_here = as_.b64();
        as_(op::mov_u64, from_here, total);
        for (u32_t apart = 1; apart < draw_heaps; apart *= 2) {
            const reg other = shuffled(as_, op::shfl_down, from_here, apart);
            as_.when(below(as_, heap, draw_heaps - apart), op::add_u64, from_here, from_here, other);
        }
        if (what == weight_of::mass) {
            const reg first = equals(as_, shift, 28U);
            const reg all = shuffled(as_, op::shfl_idx, from_here, 0U);
            as_.when(first, op::mov_u64, d_.goal, share_of(as_, member_of(k_, d_, __builtin_offsetof(draw, share)), all));
        }
        const reg less = as_.predicate();
        const reg lesser = as_.b32();
        as_(op::setp_lt_u64, less, from_here, d_.goal);
        as_(op::vote_ballot, lesser, less, -1);
        as_(op::and_b32, lesser, lesser, (1U << draw_heaps) - 1);
        as_(op::popc_b32, lesser, lesser);
        as_(op::min_u32, lesser, lesser, draw_heaps - 1);
        const reg chosen = as_.b32();
        as_(op::sub_u32, chosen, number(as_, draw_heaps - 1), lesser);
        const reg reached = shuffled(as_, op::shfl_idx, from_here, chosen);
        const reg exact = as_.predicate();
        as_(op::setp_eq_u64, exact, reached, d_.goal);
        as_(op::sub_u64, from_here, from_here, total);
        as_(op::sub_u64, d_.goal, d_.goal, shuffled(as_, op::shfl_idx, from_here, chosen));
        as_(op::shl_b32, chosen, chosen, shift);
        as_(op::or_b32, prefix, prefix, chosen);
        as_.when(exact, op::bra, found);  // all of this heap is kept
        as_(op::sub_u32, shift, shift, 4U);
        as_.when(below(as_, shift, 32U), op::bra, again);
        as_.place(found);
        as_(op::max_u32, d_.least, d_.least, prefix);
    }
  private:
    static constexpr u32_t threads = 32 * consumer_warps;
    static constexpr u32_t most_reads = 10;  ///< of a lane at once
    constexpr u32_t round_bytes() const { return round_words * word_bytes; }
    constexpr u32_t block_heaps() const { return k_.shared_at.heaps; }
    constexpr u32_t all_heaps() const { return k_.shared_at.heaps + 8 * consumer_warps * draw_heaps; }
    constexpr void meet() { as_(ptx::op::bar_sync, 2U, threads); }
    /// Where the words of the round's block `index` lie.
    constexpr ptx::reg words_of_block(ptx::reg index) { return ptx::element(as_, d_.round, index, round_bytes()); }
    constexpr void end_round() { as_(ptx::op::add_u64, d_.round, d_.round, u64_t{k_.plan.blocks} * round_bytes()); }

    /// body(low, high, there) for the pair of words at `from` + i x `stride` bytes of every `apart`-th block, from block `index` on.
    template <class Body>
    constexpr void for_pairs(ptx::reg from, ptx::reg index, u32_t apart, Body&& body) {
        using namespace ptx;
        const u32_t blocks = head_blocks(k_.plan);
        const u32_t all = divided_up(blocks, apart);
        for (u32_t first = 0; first < all; first += most_reads) {
            const u32_t reads = all - first < most_reads ? all - first : most_reads;
            fragment<2> raw[most_reads], halves[most_reads];
            reg there[most_reads];
            for (u32_t i = 0; i < reads; ++i) {
                raw[i] = as_.template fragment_of<2>(register_class::b64);
                halves[i] = as_.template fragment_of<2>(register_class::b32);
                for (const reg& r : raw[i].r) as_(op::mov_u64, r, 0U);
                const reg block = as_.b32();
                as_(op::add_u32, block, index, apart * (first + i));
                there[i] = below(as_, block, blocks);
            }
            poll_words(
                k_, from, k_.epoch,
                [&] {
                    for (u32_t i = 0; i < reads; ++i)
                        as_.when(there[i], op::ld_relaxed_v2_b64, raw[i], at(from, u64_t{first + i} * apart * round_bytes()));
                },
                [&](reg seen) {
                    for (u32_t i = 0; i < reads; ++i)
                        for (u32_t h = 0; h < 2; ++h) open_word(as_, raw[i][h], halves[i][h], k_.epoch, seen, &there[i]);
                });
            for (u32_t i = 0; i < reads; ++i) body(halves[i][0], halves[i][1], there[i]);
        }
    }
    /// Where lane i keeps heap i of its warp; only lanes below 16 may.
    constexpr ptx::reg heap_of_warp() {
        using namespace ptx;
        const reg to = as_.b32();
        as_(op::mad_lo_u32, to, k_.warp, draw_heaps, k_.lane);
        as_(op::mad_lo_u32, to, to, 8U, k_.shared);
        return to;
    }
    /// The sum of what the warps keep for heap `heap`.
    constexpr ptx::reg sum_of_warps(u32_t first, ptx::reg heap) {
        using namespace ptx;
        const reg from = as_.b32();
        const reg sum = as_.b64();
        as_(op::mad_lo_u32, from, heap, 8U, k_.shared);
        as_(op::ld_shared_b64, sum, at(from, first));
        for (u32_t w = 1; w < consumer_warps; ++w) {
            const reg more = as_.b64();
            as_(op::ld_shared_b64, more, at(from, first + 8 * w * draw_heaps));
            as_(op::add_u64, sum, sum, more);
        }
        return sum;
    }
    constexpr void publish_heaps(ptx::reg sum) {
        using namespace ptx;
        const reg own_heap = heap_of_warp();
        as_.when(below(as_, k_.lane, draw_heaps), op::st_shared_b64, at(own_heap, block_heaps()), sum);
        meet();
        where(as_, equals(as_, k_.warp, 0U), [&] {
            const reg heap = as_.b32();
            const auto half = as_.template fragment_of<2>(register_class::b32);
            const reg value = as_.f32();
            as_(op::shr_u32, heap, k_.lane, 1U);
            as_(op::mov_b64, half, sum_of_warps(block_heaps(), heap));
            as_(op::and_b32, heap, k_.lane, 1U);
            as_.when(equals(as_, heap, 1U), op::mov_u32, half[0], half[1]);
            as_(op::mov_b32, value, half[0]);
            publish(as_, at(element(as_, words_of_block(k_.block), k_.lane, word_bytes)), value, k_.epoch);
        });
        as_(op::bar_warp, -1);
    }
    /// Lane i: what heap i % 16 weighs in all blocks. A half of a warp reads every 16th of them.
    constexpr ptx::reg heaps_of_all() {
        using namespace ptx;
        const reg index = as_.b32();
        const reg heap = as_.b32();
        const reg sum = as_.b64();
        as_(op::shr_u32, index, k_.thread, 4U);
        as_(op::and_b32, heap, k_.lane, draw_heaps - 1);
        as_(op::mov_u64, sum, 0U);
        for_pairs(element(as_, words_of_block(index), heap, 2 * word_bytes), index, threads / draw_heaps, [&](reg low, reg high, reg there) {
            const reg more = as_.b64();
            as_(op::mov_b64, more, fragment<2>{{low, high}});
            as_.when(there, op::add_u64, sum, sum, more);
        });
        as_(op::add_u64, sum, sum, shuffled(as_, op::shfl_bfly, sum, draw_heaps));
        const reg own_heap = heap_of_warp();
        as_.when(below(as_, k_.lane, draw_heaps), op::st_shared_b64, at(own_heap, all_heaps()), sum);
        meet();
        return sum_of_warps(all_heaps(), heap);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    draw_state& d_;
    logit_code<Sink> logits_;
};

}  // namespace netra::inline v0::persistent
