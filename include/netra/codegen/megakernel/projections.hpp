// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The consumer warps: they take weights from the ring into registers ahead of the input, split the terms among them, multiply on tensor cores.
#pragma once

#include <netra/codegen/megakernel/copies.hpp>
#include <netra/codegen/megakernel/inputs.hpp>
#include <netra/codegen/megakernel/sums.hpp>

namespace netra::inline v0 {

template <class Sink>
class projection_code {
  public:
    constexpr projection_code(block_code<Sink>& k, consumer_state& state, projection_use& use, const epilogue_use& after)
        : k_(k), as_(k.as), s_(state), use_(use), op_(k.plan[use.which]), input_(k, use), sums_(k, state, use, after) {}

    /// Everything that this block does for the projection. `place`: its number among the blocks, from the projection's first.
    constexpr void run(ptx::reg place) {
        using namespace ptx;
        units_ = persistent::units_of_block(k_, use_.which, place);
        if (use_.which == stream_op::head) as_.when(equals(as_, persistent::order_of(k_, sums_.step(), 8), 0U), op::mov_u32, units_, 0U);
        sums_.begin(place);
        const reg some = as_.predicate();
        as_(op::setp_ne_u32, some, units_, 0U);
        where(as_, some, [&] {
            ahead_ = persistent::slots_of_units(k_, op_, units_);
            if (k_.plan.where.gpu.code.capability < 90) forget_slots();
            take_more(s_.now);
            if (two_slots()) take_more(s_.next);
            if (op_.normed)
                for (u32_t r = 0; r < k_.plan.model.rows; ++r) {
                    use_.squares[r] = as_.f32();
                    as_(op::mov_f32, use_.squares[r], 0.0F);
                }
            done_ = number(as_, 0);
            count_up(as_, done_, units_, op_.pass_units, [&] { pass(); });
            sums_.end();
        });
    }

  private:
    using slot_registers = ptx::fragment<4>[most_slot_steps];
    constexpr bool several_passes() const { return passes_of(op_, op_.block_units) > 1; }
    /// Whether the slot after the one that is multiplied is in registers, too. Inputs of more than two rows need those themselves, as do two rows, and
    /// before sm_90 also one, where they are of several chunks.
    constexpr bool two_slots() const {
        const u32_t rows = k_.plan.model.rows;
        if (rows == 1 && k_.plan.where.gpu.code.capability >= 90) return true;
        return rows <= 2 && k_.plan[stream_op::qkv].chunks == 1 && k_.plan[stream_op::o].chunks == 1;
    }
    /// Whether each chunk's sums are added to a unit's total, which f16 products need as chunks have scales of their own. Otherwise the sums of every unit
    /// stay where they are, for which targets before sm_90 run out of registers.
    constexpr bool adds_chunks() const { return op_.chunks > 1 && (k_.plan.f16_products || !two_slots() || k_.plan.where.gpu.code.capability < 90); }

    constexpr void pass() {
        using namespace ptx;
        live_ = as_.b32();
        as_(op::sub_u32, live_, units_, done_);
        sums_.ask_residual(done_, live_);
        clear_sums();
        if (op_.chunks == 1) {
            const reg zero = number(as_, 0);
            const code_label again = as_.new_label();
            const reg later = as_.predicate();
            as_(op::setp_ne_u32, later, done_, 0U);
            as_.when(later, op::bra, again);  // the input of the first pass stays in registers or shared memory
            input_.fetch(zero, zero);
            if (op_.normed) persistent::gather_squares(k_, use_, s_.row_squares);
            load_columns(zero);
            as_.place(again);
            multiply_slot();
            return;
        }
        const reg chunk = number(as_, 0);
        count_up(as_, chunk, op_.chunks, 1U, [&] { multiply_chunk(chunk); });
        for (u32_t u = 0; u < op_.pass_units; ++u) finish(u);
    }

    /// A slot that holds whole units.
    constexpr void multiply_slot() {
        using namespace ptx;
        for (u32_t u = 0; u < op_.slot_units; ++u) multiply(u, u * op_.steps);
        if (!two_slots()) {
            take_more(s_.now);
            for (u32_t u = 0; u < op_.slot_units; ++u) finish(u);
            return;
        }
        shift();
        const reg taken = as_.predicate();
        ready(taken);
        where(as_, taken, [&] { load_slot(s_.next); });
        for (u32_t u = 0; u < op_.slot_units; ++u) finish(u);
        where(as_, taken, [&] { release_slot(); });
        const reg missing = as_.predicate();
        as_(op::not_pred, missing, taken);
        where(as_, missing, [&] { take_more(s_.next); });
    }
    /// One chunk of the input for every unit of the pass.
    constexpr void multiply_chunk(ptx::reg chunk) {
        using namespace ptx;
        const reg offset = number(as_, 0);
        if (kept_chunks(op_) > 1) as_(op::mul_lo_u32, offset, chunk, k_.plan.model.rows * k_.plan.parts * input_row_bytes(op_));
        const code_label there = as_.new_label();
        if (several_passes()) {
            const reg later = as_.predicate();
            as_(op::setp_ne_u32, later, done_, 0U);
            as_.when(later, op::bra, there);
        }
        input_.fetch(chunk, offset);
        if (op_.normed) where(as_, equals(as_, chunk, op_.chunks - 1), [&] { persistent::gather_squares(k_, use_, s_.row_squares); });
        as_.place(there);
        load_columns(offset);
        for (u32_t u = 0; u < op_.pass_units; ++u)
            for_unit(u, [&] {
                if (adds_chunks()) clear_chains(u);
                multiply(u, 0);
                if (adds_chunks()) add_chunk(u);
                if (two_slots()) shift();
                take_more(two_slots() ? s_.next : s_.now);
            });
    }
    /// Code for where unit `u` of the pass exists; the first always does.
    template <class Body>
    constexpr void for_unit(u32_t u, Body&& body) {
        if (u == 0) return body();
        const ptx::reg exists = as_.predicate();
        as_(ptx::op::setp_gt_u32, exists, live_, u);
        ptx::where(as_, exists, body);
    }
    constexpr void finish(u32_t u) {
        using namespace ptx;
        for_unit(u, [&] {
            const reg index = as_.b32();
            as_(op::add_u32, index, done_, u);
            sums_.finish(index, totals(u));
        });
    }

    // the ring

    constexpr ptx::reg full_barrier() {
        using namespace ptx;
        const reg quarter = as_.b32();
        const reg pair = as_.b32();
        as_(op::shr_u32, pair, k_.warp, 1U);
        as_(op::mad_lo_u32, quarter, s_.slot.index, 4U, pair);
        return barrier_of(as_, k_.shared, k_.shared_at.full, quarter);
    }
    /// `taken`: there is another slot of this projection, and it has come.
    constexpr void ready(ptx::reg taken) {
        using namespace ptx;
        const reg come = as_.predicate();
        const reg all = as_.predicate();
        as_(op::mbarrier_test, come, at(full_barrier()), s_.slot.parity);
        as_(op::vote_all, all, come, -1);
        as_(op::setp_ne_u32, taken, ahead_, 0U);
        as_(op::and_pred, taken, taken, all);
    }
    constexpr void take_more(slot_registers& to) {
        using namespace ptx;
        const reg more = as_.predicate();
        as_(op::setp_ne_u32, more, ahead_, 0U);
        where(as_, more, [&] {
            wait_for(as_, k_.bulk, full_barrier(), s_.slot.parity);
            load_slot(to);
            release_slot();
        });
    }
    /// So that registers are free between projections, which ptxas cannot know: a slot is taken only where there is one.
    constexpr void forget_slots() {
        for (u32_t f = 0; f < slot_fragments(op_); ++f)
            for (u32_t i = 0; i < 4; ++i) {
                as_(ptx::op::mov_u32, s_.now[f][i], 0U);
                as_(ptx::op::mov_u32, s_.next[f][i], 0U);
            }
    }
    /// The warp's share of a slot that has come moves into registers.
    constexpr void load_slot(slot_registers& to) {
        using namespace ptx;
        const reg from = as_.b32();
        as_(op::mad_lo_u32, from, s_.slot.index, k_.shared_at.slot, k_.shared);
        as_(op::mad_lo_u32, from, k_.warp, slot_fragments(op_) * fragment_bytes, from);
        as_(op::mad_lo_u32, from, k_.lane, 16U, from);
        for (u32_t f = 0; f < slot_fragments(op_); ++f) as_(op::ld_shared_v4_b32, to[f], at(from, f * fragment_bytes));
        as_(op::sub_u32, ahead_, ahead_, 1U);
    }
    /// The slot is free for the producer. An arrival alone does not wait for loads that are still under way, and the copy engine, which is of
    /// another proxy, would overtake them: the fence waits.
    constexpr void release_slot() {
        using namespace ptx;
        if (k_.bulk) as_(op::fence_async_shared);
        arrive_as_warp(k_, barrier_of(as_, k_.shared, k_.shared_at.empty, s_.slot.index));
        advance(as_, s_.slot, k_.shared_at.slots);
    }
    constexpr void shift() {
        for (u32_t f = 0; f < slot_fragments(op_); ++f)
            for (u32_t i = 0; i < 4; ++i) as_(ptx::op::mov_b32, s_.now[f][i], s_.next[f][i]);
    }

    // the tensor cores

    /// This lane's place in the input: where its 16 bytes of 64 terms lie, of row (and part) `row`.
    constexpr ptx::reg column_address(ptx::reg row, ptx::reg offset, ptx::reg block, u32_t bytes) {
        using namespace ptx;
        const reg r = as_.b32();
        as_(op::mad_lo_u32, r, row, input_row_bytes(op_), use_.inputs);
        as_(op::add_u32, r, r, offset);
        as_(op::mad_lo_u32, r, block, bytes, r);
        return r;
    }
    constexpr void load_columns(ptx::reg offset) {
        using namespace ptx;
        const reg group = as_.b32();
        const reg t = as_.b32();
        as_(op::shr_u32, group, k_.lane, 2U);
        as_(op::and_b32, t, k_.lane, 3U);
        for (u32_t set = 0; set < persistent::column_sets(k_.plan); ++set) load_weight_columns(group, t, offset, set);
        if (!persistent::weights_first(k_.plan)) load_row_addresses(group, t, offset);
    }
    constexpr void load_weight_columns(ptx::reg group, ptx::reg t, ptx::reg offset, u32_t set) {
        using namespace ptx;
        const reg row = as_.b32();
        const reg block = as_.b32();
        as_(op::shr_u32, row, group, 1U);
        if (set != 0) as_(op::add_u32, row, row, 4 * set);
        as_(op::and_b32, row, row, k_.plan.model.rows * k_.plan.parts - 1);
        as_(op::and_b32, block, group, 1U);
        as_(op::mad_lo_u32, block, t, 2U, block);
        const reg from = column_address(row, offset, block, 16);
        const fragment<2>(&x)[most_slot_steps] = s_.columns[set];
        for (u32_t i = 0; i < persistent::pairs_of(op_); ++i) {
            if (persistent::half_pair(op_, i)) {
                as_(op::ld_shared_v2_b32, x[2 * i], at(column_address(row, offset, block, 8), 128 * i));
            } else {
                as_(op::ld_shared_v4_b32, fragment<4>{{x[2 * i][0], x[2 * i][1], x[2 * i + 1][0], x[2 * i + 1][1]}}, at(from, 128 * i));
            }
        }
        if (k_.plan.f16_products) {
            const reg back = as_.b32();
            const reg own = as_.b32();
            as_(op::mul_lo_u32, own, row_of_result(t, set), k_.plan.parts);
            as_(op::ld_shared_b32, back, at(column_address(own, offset, number(as_, 0), 0), input_row_bytes(op_) - 16));
            as_(op::mov_b32, s_.back[set], back);
        }
    }
    /// The row whose results of a set a lane with this `t` holds, where weights come first.
    constexpr ptx::reg row_of_result(ptx::reg t, u32_t set) {
        using namespace ptx;
        const reg row = as_.b32();
        as_(op::shr_u32, row, t, k_.plan.parts - 1);
        if (set != 0) as_(op::add_u32, row, row, set * 4 / k_.plan.parts);
        as_(op::and_b32, row, row, k_.plan.model.rows - 1);
        return row;
    }
    constexpr void load_row_addresses(ptx::reg group, ptx::reg t, ptx::reg offset) {
        using namespace ptx;
        const reg upper = as_.b32();
        const reg lower = as_.b32();
        as_(op::mul_lo_u32, upper, group, k_.plan.parts);
        as_(op::add_u32, lower, upper, k_.plan.parts == 2 ? 1U : 8U);
        const reg wanted[] = {upper, lower};
        for (u32_t i = 0; i < 2; ++i) {
            const reg whole = column_address(wanted[i], offset, t, 32);
            const reg half = column_address(wanted[i], offset, t, 16);
            as_(op::mov_b32, s_.row_from[i], whole);
            as_(op::mov_b32, s_.row_last[i], half);
            if (!k_.plan.f16_products) continue;
            const reg back = as_.b32();
            as_(op::ld_shared_b32, back, at(column_address(wanted[k_.plan.parts == 2 ? 0 : i], offset, number(as_, 0), 0), input_row_bytes(op_) - 16));
            as_(op::mov_b32, s_.back[i], back);
        }
    }

    constexpr void clear(ptx::fragment<4>& f) {
        f = as_.template fragment_of<4>(ptx::register_class::f32);
        for (const ptx::reg& r : f.r) as_(ptx::op::mov_f32, r, 0.0F);
    }
    constexpr void clear_chains(u32_t u) {
        for (auto& chain : sum_[u]) clear(chain);
    }
    constexpr void clear_sums() {
        for (u32_t u = 0; u < op_.pass_units; ++u) {
            if (adds_chunks()) clear(total_[u]);
            else clear_chains(u);
        }
    }
    /// Adds the products of unit `u`, whose fragments begin at register set `first`.
    constexpr void multiply(u32_t u, u32_t first) {
        using namespace ptx;
        const opcode& mma = k_.plan.f16_products ? op::mma_f16 : op::mma_bf16;
        if (persistent::weights_first(k_.plan)) {
            for (u32_t f = 0; f < op_.steps; ++f) {
                const fragment<4>& stored = s_.now[first + f];
                const fragment<4> w{{factor(stored[0]), factor(stored[1]), factor(stored[2]), factor(stored[3])}};
                for (u32_t set = 0; set < persistent::column_sets(k_.plan); ++set) {
                    const fragment<4>& chain = sum_[u][two_sets() ? set : f % 2];
                    as_(mma, chain, w, s_.columns[set][f], chain);
                }
            }
            return;
        }
        for (u32_t i = 0; i < persistent::pairs_of(op_); ++i) {
            fragment<4> x[2][2];  // [fragment of the pair][block]
            load_rows(i, x);
            for (u32_t j = 0; j < (persistent::half_pair(op_, i) ? 1U : 2U); ++j)
                for (u32_t c = 0; c < 2; ++c) {
                    const fragment<4>& w = s_.now[first + 2 * i + j];
                    as_(mma, sum_[u][c], x[j][c], fragment<2>{{factor(w[c]), factor(w[2 + c])}}, sum_[u][c]);
                }
        }
    }
    /// Two weights as they are multiplied. stream_packer sees to it that f16 holds them.
    constexpr ptx::reg factor(ptx::reg w) {
        using namespace ptx;
        if (!weights_change_format(k_.plan)) return w;
        const reg both = as_.b32();
        const reg high = persistent::bf16_value(as_, w, 1, f16_weight_shift);
        const reg low = persistent::bf16_value(as_, w, 0, f16_weight_shift);
        as_(op::cvt_f16x2_f32, both, high, low);
        return both;
    }
    /// The 16-row operands of pair `i`: upper rows in registers 0 and 2, lower rows in 1 and 3.
    constexpr void load_rows(u32_t i, ptx::fragment<4> (&x)[2][2]) {
        using namespace ptx;
        for (u32_t half = 0; half < 2; ++half) {
            fragment<4> got[2];  // of each block: two registers of each fragment
            for (auto& block : got) block = as_.template fragment_of<4>(register_class::b32);
            if (persistent::half_pair(op_, i)) {
                as_(op::ld_shared_v4_b32, fragment<4>{{got[0][0], got[0][1], got[1][0], got[1][1]}}, at(s_.row_last[half], 128 * i));
            } else {
                for (u32_t c = 0; c < 2; ++c) as_(op::ld_shared_v4_b32, got[c], at(s_.row_from[half], 128 * i + 16 * c));
            }
            for (u32_t j = 0; j < 2; ++j)
                for (u32_t c = 0; c < 2; ++c) x[j][c][half] = got[c][2 * j], x[j][c][2 + half] = got[c][2 * j + 1];
        }
    }
    constexpr void add_chunk(u32_t u) {
        using namespace ptx;
        for (u32_t i = 0; i < 4; ++i) {
            if (k_.plan.f16_products) as_(op::fma_f32, total_[u][i], sum_of_chains(u, i), back_of(i), total_[u][i]);
            else as_(op::add_f32, total_[u][i], total_[u][i], sum_of_chains(u, i));
        }
    }
    /// What the input behind the `i`-th result was divided by.
    constexpr ptx::reg back_of(u32_t i) const {
        if (persistent::weights_first(k_.plan)) return s_.back[two_sets() ? set_of(i) : 0];
        return s_.back[i / 2];
    }
    constexpr bool two_sets() const { return persistent::column_sets(k_.plan) == 2; }
    /// Each set has two results in a lane, in its first and its last accumulator: those of set 0 come first and last, those of set 1 between them.
    static constexpr u32_t set_of(u32_t i) { return i == 1 || i == 2 ? 1 : 0; }
    constexpr ptx::reg sum_of_chains(u32_t u, u32_t i) {
        if (two_sets()) return sum_[u][set_of(i)][i < 2 ? 0 : 3];
        const ptx::reg sum = as_.f32();
        as_(ptx::op::add_f32, sum, sum_[u][0][i], sum_[u][1][i]);
        return sum;
    }
    /// The four results that this lane's accumulators hold.
    constexpr ptx::fragment<4> totals(u32_t u) {
        using namespace ptx;
        if (adds_chunks()) return total_[u];
        fragment<4> t;
        for (u32_t i = 0; i < 4; ++i) {
            t.r[i] = sum_of_chains(u, i);
            if (k_.plan.f16_products) as_(op::mul_f32, t[i], t[i], back_of(i));
        }
        return t;
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    consumer_state& s_;
    projection_use& use_;
    const projection_plan& op_;
    persistent::input_code<Sink> input_;
    persistent::sum_code<Sink> sums_;
    ptx::reg units_{}, done_{}, live_{}, ahead_{};
    ptx::fragment<4> sum_[most_pass_units][2]{}, total_[most_pass_units]{};
};

}  // namespace netra::inline v0
