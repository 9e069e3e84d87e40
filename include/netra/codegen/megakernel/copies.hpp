// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The producer warp: streams this block's weights through the ring, never stopping at an operation, a layer or a token.
#pragma once

#include <netra/codegen/megakernel/block.hpp>

namespace netra::inline v0 {

/// Quarters of a slot that are asked for and not there yet: what keeps memory busy. Source: h200 measurement in docs/performance.md.
constexpr u32_t quarters_in_flight(const stream_plan& p, const shared_layout& s) {
    const u32_t quarter = slot_bytes(p[stream_op::gate_up]) / 4;
    const u32_t wanted = divided_up(p.config.bytes_in_flight, quarter);
    const u32_t most = 4 * s.slots - 4;
    return wanted < most ? wanted : most;
}

namespace persistent {

/// The units of projection `o` that this block has, from its place among the blocks.
template <class Sink>
constexpr ptx::reg units_of_block(block_code<Sink>& k, stream_op o, ptx::reg place) {
    using namespace ptx;
    auto& as = k.as;
    const projection_plan& op = k.plan[o];
    const reg units = as.b32();
    if (o != stream_op::head) {
        const reg more = below(as, place, op.units % k.plan.blocks);
        as(op::mov_u32, units, op.units / k.plan.blocks);
        as.when(more, op::add_u32, units, units, 1U);
        return units;
    }
    as(op::mul_lo_u32, units, place, op.block_units);
    as(op::min_u32, units, units, op.units);
    as(op::sub_u32, units, op.units, units);
    as(op::min_u32, units, units, op.block_units);
    return units;
}
/// Slots that hold so many units.
template <class Sink>
constexpr ptx::reg slots_of_units(block_code<Sink>& k, const projection_plan& p, ptx::reg units) {
    using namespace ptx;
    const reg slots = k.as.b32();
    if (p.chunks > 1) {
        k.as(op::mul_lo_u32, slots, units, p.chunks);
    } else {
        k.as(op::add_u32, slots, units, p.slot_units - 1);
        k.as(op::div_u32, slots, slots, p.slot_units);
    }
    return slots;
}
/// The block's place for the projection after `o`.
template <class Sink>
constexpr void move_place(block_code<Sink>& k, stream_op o, ptx::reg place) {
    using namespace ptx;
    const u32_t on = k.plan[o].units % k.plan.blocks;
    if (on == 0) return;
    const reg wraps = below(k.as, place, on);
    k.as.when(wraps, op::add_u32, place, place, k.plan.blocks);
    k.as(op::sub_u32, place, place, on);
}

}  // namespace persistent

template <class Sink>
class copy_code {
  public:
    constexpr copy_code(block_code<Sink>& k) : k_(k), as_(k.as) {}

    constexpr void run() {
        using namespace ptx;
        k_.role = block_role::producer;
        const code_label done = as_.new_label();
        if (k_.bulk) {
            const reg others = as_.predicate();
            as_(op::setp_ne_u32, others, k_.lane, 0U);
            as_.when(others, op::bra, done);
        }
        slot_ = ring_start(as_, 1);
        oldest_ = ring_start(as_, 0);
        left_ = number(as_, quarters_in_flight(k_.plan, k_.shared_at));
        const reg start = as_.b64();
        const reg first = as_.b64();
        as_(op::cvt_u64_u32, first, k_.block);
        as_(op::mad_lo_u64, start, first, stream_stride(k_.plan), pointer(as_, "weights"));
        from_ = as_.b64();
        const reg step = number(as_, 0);
        count_up(as_, step, k_.steps, 1U, [&] {
            as_(op::mov_u64, from_, start);
            copy_step(step);
        });
        if (!k_.bulk) await_all();
        as_.place(done);
        as_(op::ret);
    }

  private:
    constexpr void copy_step(ptx::reg step) {
        using namespace ptx;
        const reg place = as_.b32();
        as_(op::mov_u32, place, k_.block);
        const reg layer = number(as_, 0);
        count_up(as_, layer, k_.plan.model.layers, 1U, [&] {
            const stream_op of_layer[] = {stream_op::qkv, stream_op::o, stream_op::gate_up, stream_op::down};
            for (const auto o : of_layer) {
                copy_projection(o, place);
                persistent::move_place(k_, o, place);
            }
        });
        const reg head = as_.predicate();
        as_(op::setp_ne_u32, head, persistent::order_of(k_, step, 8), 0U);
        where(as_, head, [&] { copy_projection(stream_op::head, k_.block); });
    }
    constexpr void copy_projection(stream_op o, ptx::reg place) {
        using namespace ptx;
        const reg slots = persistent::slots_of_units(k_, k_.plan[o], persistent::units_of_block(k_, o, place));
        const reg i = number(as_, 0);
        count_up(as_, i, slots, 1U, [&] { copy_slot(slot_bytes(k_.plan[o]) / 4); });
    }
    /// Four quarters, each with a barrier of its own; no more than the limit are under way.
    constexpr void copy_slot(u32_t quarter) {
        using namespace ptx;
        wait_for(as_, k_.bulk, barrier_of(as_, k_.shared, k_.shared_at.empty, slot_.index), slot_.parity);
        const reg barrier = as_.b32();
        const reg to = as_.b32();
        as_(op::mad_lo_u32, barrier, slot_.index, 32U, k_.shared);
        as_(op::add_u32, barrier, barrier, k_.shared_at.full);
        as_(op::mad_lo_u32, to, slot_.index, k_.shared_at.slot, k_.shared);
        for (u32_t q = 0; q < 4; ++q) {
            await_oldest();
            if (k_.bulk) {
                const reg state = as_.b64();
                as_(op::mbarrier_expect, state, at(barrier, 8 * q), quarter);
                as_(op::bulk_copy, at(to, q * quarter), at(from_, q * quarter), quarter, at(barrier, 8 * q));
            } else {
                copy_by_lanes(to, q * quarter, quarter);
                as_(op::cp_async_arrive, at(barrier, 8 * q));
            }
        }
        as_(op::add_u64, from_, from_, 4 * quarter);
        advance(as_, slot_, k_.shared_at.slots);
    }
    constexpr void await_oldest() {
        using namespace ptx;
        const code_label free = as_.new_label();
        const code_label past = as_.new_label();
        const reg some = as_.predicate();
        as_(op::setp_ne_u32, some, left_, 0U);
        as_.when(some, op::bra, free);
        await_next();
        as_(op::bra, past);
        as_.place(free);
        as_(op::sub_u32, left_, left_, 1U);
        as_.place(past);
    }
    constexpr void await_next() {
        using namespace ptx;
        wait_for(as_, k_.bulk, barrier_of(as_, k_.shared, k_.shared_at.full, oldest_.index), oldest_.parity);
        advance(as_, oldest_, 4 * k_.shared_at.slots);
    }
    /// A warp may not end while copies of its own are under way.
    constexpr void await_all() { ptx::count_up(as_, left_, quarters_in_flight(k_.plan, k_.shared_at), 1U, [&] { await_next(); }); }
    constexpr void copy_by_lanes(ptx::reg to, u32_t offset, u32_t bytes) {
        using namespace ptx;
        const reg there = as_.b32();
        const reg here = element(as_, from_, k_.lane, 16);
        as_(op::mad_lo_u32, there, k_.lane, 16U, to);
        for (u32_t at_byte = 0; at_byte < bytes; at_byte += 512) as_(op::cp_async_16, at(there, offset + at_byte), at(here, offset + at_byte), 16U);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::ring_place slot_{}, oldest_{};
    ptx::reg left_{}, from_{};
};

}  // namespace netra::inline v0
