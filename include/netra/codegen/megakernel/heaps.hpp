// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What the kept logits of a block weigh, heap by heap.
#pragma once

#include <netra/codegen/megakernel/block.hpp>
#include <netra/codegen/ptx/sampled.hpp>

namespace netra::inline v0::persistent {

/// Registers of a step's draw.
struct draw_state {
    ptx::reg step{}, scale{};
    ptx::reg count{};    ///< of the block's logits
    ptx::reg least{};    ///< the smallest key that is kept so far
    ptx::reg largest{};  ///< logit of all
    ptx::reg goal{};     ///< b64
    ptx::reg round{};    ///< b64: where the words of the round lie
};
/// Heaps weigh as many logits as fall into them, or their masses.
enum class weight_of : u8_t { one, mass };

/// A member of the step's draw. What is seldom used is read again, as registers are few.
template <class Sink>
constexpr ptx::reg member_of(block_code<Sink>& k, const draw_state& d, u32_t offset) {
    return order_of(k, d.step, __builtin_offsetof(step_order, how) + offset);
}

/// A 64-bit number of another lane; `which` as the shuffle has it.
template <class Sink, class Which>
constexpr ptx::reg shuffled(ptx::assembler<Sink>& as, const ptx::opcode& how, ptx::reg value, const Which& which) {
    using namespace ptx;
    const auto half = as.template fragment_of<2>(register_class::b32);
    const reg other = as.b64();
    as(op::mov_b64, half, value);
    for (const reg& r : half.r) as(how, r, r, which, 31U, -1);
    as(op::mov_b64, other, half);
    return other;
}

/// The logits that a block keeps in shared memory. Run by its consumer warps.
template <class Sink>
class logit_code {
  public:
    constexpr logit_code(block_code<Sink>& k, const draw_state& d) : k_(k), as_(k.as), d_(d) {}

    constexpr u32_t of_block() const { return k_.plan[stream_op::head].block_units * unit_rows; }
    /// body(logit, its number in the block, its place) for those of this thread, which are always the same.
    template <class Body>
    constexpr void for_each(Body&& body) {
        using namespace ptx;
        const reg i = as_.b32();
        as_(op::mov_u32, i, k_.thread);
        count_up(as_, i, d_.count, 32 * consumer_warps, [&] {
            const reg from = as_.b32();
            const reg l = as_.f32();
            as_(op::mad_lo_u32, from, i, 4U, k_.shared);
            as_(op::ld_shared_f32, l, at(from, k_.shared_at.logits));
            body(l, i, from);
        });
    }

    /// Lane i: what heap i % 16 of this warp's logits weighs.
    constexpr ptx::reg heaps(weight_of what, ptx::reg prefix, ptx::reg shift) {
        using namespace ptx;
        // before sm_90 kernels have fewer registers left
        const u32_t at_once = k_.plan.where.gpu.code.capability >= 90 ? draw_heaps : draw_heaps / 2;
        const reg lower = heaps_from(0, at_once, what, prefix, shift);
        if (at_once == draw_heaps) return lower;
        const reg upper = heaps_from(at_once, at_once, what, prefix, shift);
        as_.when(lane_bit(at_once), op::mov_u64, lower, upper);
        return lower;
    }

  private:
    constexpr ptx::reg lane_bit(u32_t bit) {
        using namespace ptx;
        const reg masked = as_.b32();
        const reg p = as_.predicate();
        as_(op::and_b32, masked, k_.lane, bit);
        as_(op::setp_ne_u32, p, masked, 0U);
        return p;
    }
    /// Lane i: what heap `from` + i % `count` weighs.
    constexpr ptx::reg heaps_from(u32_t from, u32_t count, weight_of what, ptx::reg prefix, ptx::reg shift) {
        using namespace ptx;
        reg sums[draw_heaps];
        for (u32_t h = 0; h < count; ++h) {
            sums[h] = as_.b64();
            as_(op::mov_u64, sums[h], 0U);
        }
        const reg known = as_.b32();
        const reg begins = as_.b32();
        as_(op::add_u32, known, shift, 4U);
        as_(op::shr_u32, begins, prefix, known);  // by 32: 0
        for_each([&](reg l, reg, reg) {
            const reg key = ordered_of(as_, l);
            const reg begin = as_.b32();
            const reg out = below(as_, key, d_.least);
            const reg other = as_.predicate();
            as_(op::shr_u32, begin, key, known);
            as_(op::setp_ne_u32, other, begin, begins);
            as_(op::or_pred, out, out, other);
            as_(op::shr_u32, key, key, shift);
            as_(op::and_b32, key, key, draw_heaps - 1);
            as_.when(out, op::mov_u32, key, draw_heaps);
            const reg weight = what == weight_of::mass ? mass_of(as_, d_.scale, l, d_.largest) : reg{};
            for (u32_t h = 0; h < count; ++h) {
                const reg falls = equals(as_, key, from + h);
                if (what == weight_of::one) as_.when(falls, op::add_u64, sums[h], sums[h], 1U);
                else as_.when(falls, op::add_u64, sums[h], sums[h], weight);
            }
        });
        as_(op::bar_warp, -1);
        // a lane keeps the heaps whose number has its lane's bit, and gives the others away
        for (u32_t apart = count / 2; apart != 0; apart /= 2) {
            const reg upper = lane_bit(apart);
            for (u32_t h = 0; h < apart; ++h) {
                const reg given = as_.b64();
                as_(op::selp_b64, given, sums[h], sums[apart + h], upper);
                as_(op::selp_b64, sums[h], sums[apart + h], sums[h], upper);
                as_(op::add_u64, sums[h], sums[h], shuffled(as_, op::shfl_bfly, given, apart));
            }
        }
        for (u32_t apart = count; apart < 32; apart *= 2) as_(op::add_u64, sums[0], sums[0], shuffled(as_, op::shfl_bfly, sums[0], apart));
        return sums[0];
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    const draw_state& d_;
};

}  // namespace netra::inline v0::persistent
