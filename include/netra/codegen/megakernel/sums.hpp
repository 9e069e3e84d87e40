// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The end of a projection's unit: eight warps hand over partial sums, the warp whose turn it is adds them in a fixed order and publishes results.
#pragma once

#include <netra/codegen/megakernel/best.hpp>
#include <netra/codegen/megakernel/inputs.hpp>
#include <netra/codegen/ptx/activation.hpp>

namespace netra::inline v0 {

/// What consumer warps carry from one projection to the next: their places in the rings, whose turn it is to add up, and the registers that a
/// projection fills only on some paths. Projections share these: registers of their own would stay alive through the whole token loop.
struct consumer_state {
    ptx::ring_place slot{};
    ptx::ring_place stage{};
    ptx::reg turn{};
    ptx::fragment<4> now[most_slot_steps]{};      ///< the slot's weights that are multiplied next
    ptx::fragment<4> next[most_slot_steps]{};     ///< the slot's after it
    ptx::fragment<2> columns[2][most_slot_steps]{};  ///< sets of the input, where weights are the 16-row operand
    ptx::reg row_from[2]{}, row_last[2]{};        ///< where the input lies, where it is the 16-row operand
    ptx::reg back[2]{};                           ///< of f16 products: what the input was divided by
    ptx::reg row_squares{};                       ///< lane r: the sum of squares of this warp's terms of row r
};
template <class Sink>
constexpr consumer_state start_consumer(block_code<Sink>& k) {
    using namespace ptx;
    auto& as = k.as;
    consumer_state s{.slot = ring_start(as, 0), .stage = ring_start(as, 0), .turn = number(as, 0)};
    for (u32_t f = 0; f < most_slot_steps; ++f) {
        s.now[f] = as.template fragment_of<4>(register_class::b32);
        s.next[f] = as.template fragment_of<4>(register_class::b32);
        for (auto& set : s.columns) set[f] = as.template fragment_of<2>(register_class::b32);
        for (const reg& r : s.next[f].r) as(op::mov_u32, r, 0U);  // moved on even where there is no next slot
    }
    for (u32_t i = 0; i < 2; ++i) {
        s.row_from[i] = as.b32();
        s.row_last[i] = as.b32();
        s.back[i] = as.f32();
    }
    s.row_squares = as.f32();
    as(op::mov_f32, s.row_squares, 0.0F);
    return s;
}

/// Where a projection's results go.
struct epilogue_use {
    ptx::reg epoch{};           ///< of the results
    ptx::reg layer{};           ///< b64: this layer's parameters
    ptx::reg residual_epoch{};  ///< of what o and down add to
    ptx::reg step{};
};

namespace persistent {

template <class Sink>
class sum_code {
  public:
    constexpr sum_code(block_code<Sink>& k, consumer_state& state, const projection_use& use, const epilogue_use& after)
        : k_(k), as_(k.as), s_(state), use_(use), to_(after), op_(k.plan[use.which]) {}

    constexpr ptx::reg step() const { return to_.step; }
    constexpr void begin(ptx::reg place) {
        using namespace ptx;
        place_ = place;
        row_ = as_.b32();
        token_ = as_.b32();
        as_(op::and_b32, row_, k_.lane, 7U);
        as_(op::shr_u32, token_, k_.lane, 3U);
        if (use_.which != stream_op::head) return;
        for (u32_t i = 0; i < passes(); ++i) {
            best_[i] = as_.f32();
            best_id_[i] = number(as_, 0);
            as_(op::mov_f32, best_[i], -__builtin_inff());
        }
    }

    /// o and down: asks early for what the warp's results will be added to, where its turn is coming: at most once in a pass.
    constexpr void ask_residual(ptx::reg done, ptx::reg live) {
        using namespace ptx;
        static_assert(most_pass_units <= consumer_warps);
        if (!adds()) return;
        const reg unit = as_.b32();
        const reg index = as_.b32();
        as_(op::sub_u32, unit, k_.warp, s_.turn);
        as_(op::and_b32, unit, unit, consumer_warps - 1);
        const reg mine = both(as_, {below(as_, unit, op_.pass_units), below(as_, unit, live)});
        as_(op::add_u32, index, done, unit);
        const reg out = out_of(index);
        for (u32_t i = 0; i < passes(); ++i) {
            asked_[i] = as_.b64();
            as_(op::mov_u64, asked_[i], 0U);
            const reg p = both(as_, mine, stored(out));
            as_.when(p, op::ld_relaxed_b64, asked_[i], at(word_of(residual(), i, out)));
        }
    }

    /// The block's `index`-th unit, with the four results of this lane's accumulators.
    constexpr void finish(ptx::reg index, const ptx::fragment<4>& total) {
        using namespace ptx;
        if (stages_are_awaited()) {
            const reg other_parity = as_.b32();
            as_(op::xor_b32, other_parity, s_.stage.parity, 1U);
            wait_for(as_, k_.bulk, barrier_of(as_, k_.shared, k_.shared_at.sums_empty, s_.stage.index), other_parity);
        }
        const reg stage = as_.b32();
        as_(op::mad_lo_u32, stage, s_.stage.index, sum_stage_bytes(k_.plan), k_.shared);
        as_(op::add_u32, stage, stage, k_.shared_at.sums);
        hand_over(stage, total);
        const reg full = barrier_of(as_, k_.shared, k_.shared_at.sums_full, s_.stage.index);
        arrive_as_warp(k_, full);
        where(as_, equals(as_, s_.turn, k_.warp), [&] {
            wait_for(as_, k_.bulk, full, s_.stage.parity);
            const reg out = out_of(index);
            for (u32_t i = 0; i < passes(); ++i) add_up(i, stage, out);
            if (stages_are_awaited()) arrive_as_warp(k_, barrier_of(as_, k_.shared, k_.shared_at.sums_empty, s_.stage.index));
        });
        advance(as_, s_.stage, sum_stages(k_.plan));
        as_(op::add_u32, s_.turn, s_.turn, 1U);
        as_(op::and_b32, s_.turn, s_.turn, consumer_warps - 1);
    }

    /// After the last unit of the head: its largest logits, where the block had units and does not draw.
    constexpr void end() {
        using namespace ptx;
        if (use_.which != stream_op::head) return;
        if (k_.shared_at.logits == 0) return publish_best();
        const reg greedy = as_.predicate();
        as_(op::setp_ne_u32, greedy, order_of(k_, to_.step, 8), drawing_head);
        where(as_, greedy, [&] { publish_best(); });
    }

  private:
    static constexpr u32_t most_passes = 4;
    constexpr u32_t rows() const { return k_.plan.model.rows; }
    constexpr u32_t passes() const { return (8 * rows() + 31) / 32; }  ///< of 32 results, 4 tokens
    /// Whether a stage must be waited for. With as many stages as warps it need not: before a warp comes back to a stage it has added up one in
    /// between, for which the warp that read the stage had arrived.
    constexpr bool stages_are_awaited() const { return sum_stages(k_.plan) < consumer_warps; }
    constexpr bool adds() const { return use_.which == stream_op::o || use_.which == stream_op::down; }
    constexpr u64_t residual() const { return use_.which == stream_op::o ? k_.words_at.residual : k_.words_at.middle; }
    constexpr u64_t target() const {
        switch (use_.which) {
            case stream_op::qkv: return k_.words_at.qkv;
            case stream_op::o: return k_.words_at.middle;
            case stream_op::gate_up: return k_.words_at.gated;
            default: return k_.words_at.residual;
        }
    }
    /// The result that this lane adds up for a unit.
    constexpr ptx::reg out_of(ptx::reg index) {
        using namespace ptx;
        const reg unit = as_.b32();
        if (use_.which == stream_op::head) as_(op::mad_lo_u32, unit, place_, op_.block_units, index);
        else as_(op::mad_lo_u32, unit, index, k_.plan.blocks, place_);
        const reg row = as_.b32();
        as_(op::and_b32, row, row_, op_.unit_outs - 1);
        as_(op::mad_lo_u32, unit, unit, op_.unit_outs, row);
        return unit;
    }
    /// Whether this lane's result exists; the zero behind an odd row does.
    constexpr ptx::reg stored(ptx::reg out) {
        using namespace ptx;
        reg p = below(as_, out, use_.which == stream_op::head ? op_.outs : even(op_.outs));
        if (rows() < 4) p = both(as_, p, below(as_, token_, rows()));
        if (op_.unit_outs < unit_rows) p = both(as_, p, below(as_, row_, op_.unit_outs));
        return p;
    }
    constexpr ptx::reg word_of(u64_t first, u32_t i, ptx::reg out) {
        using namespace ptx;
        const reg index = as_.b32();
        as_(op::mad_lo_u32, index, token_, even(op_.outs), out);
        const reg from = element(as_, k_.words, index, word_bytes);
        as_(op::add_u64, from, from, (first + u64_t{4} * i * even(op_.outs)) * word_bytes);
        return from;
    }

    constexpr void hand_over(ptx::reg stage, const ptx::fragment<4>& total) {
        using namespace ptx;
        const reg group = as_.b32();
        const reg t = as_.b32();
        as_(op::shr_u32, group, k_.lane, 2U);
        as_(op::and_b32, t, k_.lane, 3U);
        const reg mine = as_.b32();
        as_(op::mad_lo_u32, mine, k_.warp, 4U, stage);
        if (op_.normed) {
            const reg to = as_.b32();
            as_(op::mad_lo_u32, to, k_.lane, sum_stride * 4, mine);
            as_.when(below(as_, k_.lane, rows()), op::st_shared_f32, at(to, rows() * unit_rows * sum_stride * 4), s_.row_squares);
        }
        for (u32_t set = 0; set < column_sets(k_.plan); ++set) hand_over_columns(mine, group, t, set, total);
        if (!weights_first(k_.plan)) hand_over_rows(mine, group, t, total);
    }
    constexpr void hand_over_columns(ptx::reg mine, ptx::reg group, ptx::reg t, u32_t set, const ptx::fragment<4>& total) {
        using namespace ptx;
        const reg v = as_.f32();
        as_(op::add_f32, v, total[set], total[3 - set]);
        reg token = t;
        reg good = below(as_, t, rows() * k_.plan.parts);
        if (k_.plan.parts == 2) {
            const reg low = as_.f32();
            as_(op::shfl_bfly, low, v, 1U, 31U, -1);
            as_(op::add_f32, v, v, low);
            token = as_.b32();
            as_(op::shr_u32, token, t, 1U);
            const reg odd = as_.b32();
            as_(op::and_b32, odd, t, 1U);
            good = both(as_, good, equals(as_, odd, 0U));
        }
        const reg to = as_.b32();
        as_(op::mad_lo_u32, to, token, unit_rows, group);
        as_(op::mad_lo_u32, to, to, sum_stride * 4, mine);
        as_.when(good, op::st_shared_f32, at(to, set * (4 / k_.plan.parts) * unit_rows * sum_stride * 4), v);
    }
    constexpr void hand_over_rows(ptx::reg mine, ptx::reg group, ptx::reg t, const ptx::fragment<4>& total) {
        using namespace ptx;
        const reg to = as_.b32();
        as_(op::mul_lo_u32, to, t, 2U);
        as_(op::mad_lo_u32, to, group, unit_rows, to);
        as_(op::mad_lo_u32, to, to, sum_stride * 4, mine);
        for (u32_t i = 0; i < 2; ++i) {
            reg v = total[i];
            if (k_.plan.parts == 2) {
                v = as_.f32();
                as_(op::add_f32, v, total[i], total[2 + i]);
            }
            as_(op::st_shared_f32, at(to, i * sum_stride * 4), v);
            if (k_.plan.parts == 1) as_(op::st_shared_f32, at(to, (8 * unit_rows + i) * sum_stride * 4), total[2 + i]);
        }
    }

    /// Eight numbers from shared memory, added as a tree.
    constexpr ptx::reg sum_of_eight(ptx::reg from, u32_t offset) {
        using namespace ptx;
        const auto a = as_.template fragment_of<4>(register_class::f32);
        const auto b = as_.template fragment_of<4>(register_class::f32);
        as_(op::ld_shared_v4_f32, a, at(from, offset));
        as_(op::ld_shared_v4_f32, b, at(from, offset + 16));
        const fragment<4> halves[] = {a, b};
        for (const auto& v : halves) {
            as_(op::add_f32, v[0], v[0], v[1]);
            as_(op::add_f32, v[2], v[2], v[3]);
            as_(op::add_f32, v[0], v[0], v[2]);
        }
        as_(op::add_f32, a[0], a[0], b[0]);
        return a[0];
    }
    constexpr void add_up(u32_t i, ptx::reg stage, ptx::reg out) {
        using namespace ptx;
        const reg good = stored(out);
        const reg token = as_.b32();
        as_(op::mov_u32, token, token_);
        if (rows() < 4) as_(op::and_b32, token, token, rows() - 1);  // lanes without a row repeat another's
        const reg from = as_.b32();
        as_(op::mad_lo_u32, from, token, unit_rows, row_);
        as_(op::mad_lo_u32, from, from, sum_stride * 4, stage);
        reg v = sum_of_eight(from, 4 * i * unit_rows * sum_stride * 4);
        if (op_.normed) as_(op::mul_f32, v, v, norm_scale(i, token, stage));
        add_bias(v, out);
        if (use_.which == stream_op::gate_up) {
            const reg up = as_.f32();
            as_(op::shfl_down, up, v, 4U, 31U, -1);
            v = activated(as_, k_.plan.model.act, v);
            as_(op::mul_f32, v, v, up);
        }
        if (use_.which == stream_op::head) return keep_logit(i, v, out, good);
        if (adds()) as_(op::add_f32, v, v, residual_value(i, out, good));
        where(as_, good, [&] { publish(as_, at(word_of(target(), i, out)), v, to_.epoch); });
    }
    constexpr ptx::reg norm_scale(u32_t i, ptx::reg token, ptx::reg stage) {
        using namespace ptx;
        const reg from = as_.b32();
        as_(op::mad_lo_u32, from, token, sum_stride * 4, stage);
        const reg s = sum_of_eight(from, (rows() * unit_rows + 4 * i) * sum_stride * 4);
        as_(op::fma_f32, s, s, 1.0F / static_cast<float>(op_.in), k_.plan.model.eps);
        as_(op::rsqrt_f32, s, s);
        return s;
    }
    constexpr void add_bias(ptx::reg v, ptx::reg out) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const parameter_layout& l = k_.parameters_at;
        u32_t first = 0;
        switch (use_.which) {
            case stream_op::qkv: if (!m.qkv_bias) return; first = l.qkv_bias; break;
            case stream_op::o: if (!m.o_bias) return; first = l.o_bias; break;
            case stream_op::gate_up: if (!m.mlp_bias) return; first = l.gate_bias; break;
            case stream_op::down: if (!m.mlp_bias) return; first = l.down_bias; break;
            default: return;
        }
        const reg from = element(as_, to_.layer, out, 4);
        if (use_.which == stream_op::gate_up) {
            const reg second = as_.predicate();
            as_(op::setp_ge_u32, second, row_, unit_rows / 2);
            as_.when(second, op::add_u64, from, from, 4 * (l.up_bias - l.gate_bias));
        }
        const reg bias = as_.f32();
        as_(op::mov_f32, bias, 0.0F);
        as_.when(below(as_, out, op_.outs), op::ld_global_nc_f32, bias, at(from, 4 * first));
        as_(op::add_f32, v, v, bias);
    }
    constexpr ptx::reg residual_value(u32_t i, ptx::reg out, ptx::reg good) {
        using namespace ptx;
        const reg value = as_.f32();
        const reg low = as_.b32();
        const reg epoch = as_.b32();
        as_(op::mov_b64, fragment<2>{{low, epoch}}, asked_[i]);
        as_(op::mov_b32, value, low);
        const reg late = as_.predicate();
        as_(op::setp_ne_u32, late, epoch, to_.residual_epoch);
        where(as_, both(as_, late, good), [&] { as_(op::mov_f32, value, poll_word(k_, word_of(residual(), i, out), 0, to_.residual_epoch)); });
        as_(op::bar_warp, -1);
        return value;
    }

    constexpr void keep_logit(u32_t i, ptx::reg v, ptx::reg out, ptx::reg good) {
        using namespace ptx;
        const reg larger = as_.predicate();
        as_(op::setp_gt_f32, larger, v, best_[i]);
        as_(op::and_pred, larger, larger, good);
        as_.when(larger, op::mov_f32, best_[i], v);
        as_.when(larger, op::mov_u32, best_id_[i], out);
        if (k_.shared_at.logits != 0) {  // for a draw
            const reg place = as_.b32();
            as_(op::mul_lo_u32, place, place_, op_.block_units * unit_rows);
            as_(op::sub_u32, place, out, place);
            as_(op::mad_lo_u32, place, place, 4U, k_.shared);
            as_.when(good, op::st_shared_f32, at(place, k_.shared_at.logits), v);
        }
        const reg logits = pointer(as_, "logits");
        const reg wanted = as_.predicate();
        as_(op::setp_ne_u64, wanted, logits, 0U);
        where(as_, both(as_, wanted, good), [&] {
            const reg row = as_.b32();
            as_(op::mad_lo_u32, row, to_.step, rows(), token_);
            as_(op::add_u32, row, row, 4 * i);
            const reg to = element(as_, logits, row, 4 * op_.outs);
            as_(op::mad_wide_u32, to, out, 4U, to);
            as_(op::st_global_f32, at(to), v);
        });
        as_(op::bar_warp, -1);
    }
    constexpr void publish_best() {
        using namespace ptx;
        const u32_t at_best = k_.shared_at.best;
        as_(op::bar_sync, 2U, 32 * consumer_warps);  // the step before has been read
        const reg mine = as_.b32();
        as_(op::mad_lo_u32, mine, k_.warp, rows() * 8, k_.shared);
        as_(op::mad_lo_u32, mine, token_, 8U, mine);
        for (u32_t i = 0; i < passes(); ++i) {
            for (u32_t apart = 1; apart < unit_rows; apart *= 2) larger_of_lanes(as_, best_[i], best_id_[i], apart);
            reg first = equals(as_, row_, 0U);
            if (rows() < 4) first = both(as_, first, below(as_, token_, rows()));
            as_.when(first, op::st_shared_f32, at(mine, at_best + 32 * i), best_[i]);
            as_.when(first, op::st_shared_b32, at(mine, at_best + 32 * i + 4), best_id_[i]);
        }
        publish_best_of_warps(k_, to_.epoch);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    consumer_state& s_;
    const projection_use& use_;
    const epilogue_use& to_;
    const projection_plan& op_;
    ptx::reg place_{}, row_{}, token_{};
    ptx::reg asked_[most_passes]{};
    ptx::reg best_[most_passes]{}, best_id_[most_passes]{};
};

}  // namespace persistent

}  // namespace netra::inline v0
