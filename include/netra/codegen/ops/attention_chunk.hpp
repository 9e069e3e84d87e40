// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// One chunk of attention in PTX: a few warps turn a chunk of one kv head's cache into (maximum, sum, values) of several query heads.
#pragma once

#include <netra/codegen/ops/attention_values.hpp>
#include <netra/codegen/ptx/math.hpp>

namespace netra::inline v0 {

namespace ptx {

/// Emits the code that all threads of a worker run for one chunk.
template <class Sink>
class chunk_emitter {
public:
    constexpr chunk_emitter(assembler<Sink>& to, const attention& contract, const attention_tactic& tactic, const attention_state& state)
        : as_(to), c_(contract), t_(tactic), s_(state), rows_{as_.b32(), as_.b32(), as_.b64(), as_.b64()} {}

    constexpr void emit(reg chunk, const partial_place& to) {
        find_span(chunk);
        form_scores();
        wait_for_worker();
        form_exponentials(to);
        wait_for_worker();
        value_emitter(as_, c_, t_, s_, rows_).emit(to);
    }
    /// Where the block merges, workers keep step: barriers of all threads, `waits_of_chunk` of them. Otherwise each worker has its own.
    static constexpr u32_t waits_of_chunk = 2;
    constexpr void wait_for_worker() {
        if (t_.workers == 1 || c_.splits == 1) return as_(op::bar_sync, 0U);
        for (u32_t w = 0; w < t_.workers; ++w) {
            const reg own = as_.predicate();
            as_(op::setp_eq_u32, own, s_.worker, w);
            as_.when(own, op::bar_sync, w + 1, threads_of_worker(t_));
        }
    }

private:
    /// The chunk's positions rows_.from ... rows_.end - 1, counted from its start; its rows of the caches.
    constexpr void find_span(reg chunk) {
        const reg start = as_.b32();
        as_(op::mul_lo_u32, start, chunk, c_.chunk);
        as_(op::max_u32, rows_.from, start, s_.first);
        as_(op::sub_u32, rows_.from, rows_.from, start);
        as_(op::sub_u32, rows_.end, s_.position, start);
        as_(op::add_u32, rows_.end, rows_.end, 1U);
        as_(op::min_u32, rows_.end, rows_.end, c_.chunk);
        as_(op::mad_wide_u32, rows_.keys, start, kv_row_bytes(c_), s_.keys);
        as_(op::mad_wide_u32, rows_.values, start, kv_row_bytes(c_), s_.values);
    }

    /// Two threads a key: each holds 8 of the 16 partial sums of lanes16.
    constexpr void form_scores() {
        const reg half = as_.b32();
        const reg base = as_.b32();
        const reg queries = as_.b32();
        const reg scale = as_.f32();
        as_(op::and_b32, half, s_.member, 1U);
        as_(op::mad_lo_u32, queries, half, terms_of_lane * 4, s_.queries);
        as_(op::mov_f32, scale, c_.scale != 0.0F ? c_.scale : static_cast<float>(c_.head_dim));
        if (c_.scale == 0.0F) as_(op::sqrt_f32, scale, scale), as_(op::rcp_f32, scale, scale);
        as_(op::mov_u32, base, rows_.from);
        strided(as_, base, rows_.end, threads_of_worker(t_) / 2, [&] { score_keys(half, base, queries, scale); });
    }
    constexpr void score_keys(reg half, reg base, reg queries, reg scale) {
        const reg own = as_.b32();
        const reg inside = as_.b32();
        as_(op::shr_u32, own, s_.member, 1U);
        as_(op::add_u32, own, own, base);
        as_(op::sub_u32, inside, rows_.end, 1U);
        as_(op::min_u32, inside, inside, own);  // the last key again where there are too few: read, but not stored
        const reg key = element_at(as_, element_at(as_, rows_.keys, half, kv_lane_bytes(c_)), inside, kv_row_bytes(c_));
        const reg query = as_.b32();
        as_(op::mov_u32, query, queries);
        lane_terms sums[most_heads_together];
        for (u32_t h = 0; h < t_.heads; ++h) sums[h] = zeros(as_);
        const u32_t whole = c_.head_dim / terms_of_step;
        repeat(as_, whole / loads_ahead(c_), [&] { add_steps(sums, key, query, loads_ahead(c_)); });
        add_steps(sums, key, query, whole % loads_ahead(c_));
        if (c_.head_dim % terms_of_step != 0) {  // the second thread has no terms left: those of the first, times zero
            const reg back = as_.b64();
            as_(op::cvt_u64_u32, back, half);
            as_(op::mad_lo_u64, key, back, u64_t{0} - kv_lane_bytes(c_), key);
            add_steps(sums, key, query, 1);
        }
        store_scores(sums, half, own, scale);
    }
    constexpr void add_steps(const lane_terms (&sums)[most_heads_together], reg key, reg query, u32_t count) {
        raw_terms raw[most_loads_ahead];
        for (u32_t u = 0; u < count; ++u) raw[u] = load_kv(as_, c_.kv, key, u64_t{2} * u * kv_lane_bytes(c_));
        for (u32_t u = 0; u < count; ++u) {
            const lane_terms k = decode(as_, weight_format(c_.kv), raw[u]);
            for (u32_t h = 0; h < t_.heads; ++h) {
                const auto q = as_.template fragment_of<terms_of_lane>(register_class::f32);
                for (u32_t j = 0; j < terms_of_lane; j += 4)
                    as_(op::ld_shared_v4_f32, fragment<4>{{q[j], q[j + 1], q[j + 2], q[j + 3]}}, at(query, 4 * (u64_t{h} * padded_dim(c_) + u * terms_of_step + j)));
                for (u32_t j = 0; j < terms_of_lane; ++j) as_(op::fma_f32, sums[h][j], q[j], k[j], sums[h][j]);
            }
        }
        if (count == 0) return;
        as_(op::add_u64, key, key, u64_t{2} * count * kv_lane_bytes(c_));
        as_(op::add_u32, query, query, count * terms_of_step * 4);
    }
    constexpr void store_scores(const lane_terms (&sums)[most_heads_together], reg half, reg own, reg scale) {
        const reg other = as_.f32();
        const reg present = as_.predicate();
        const reg first = as_.predicate();
        as_(op::setp_lt_u32, present, own, rows_.end);
        as_(op::setp_eq_u32, first, half, 0U);
        as_(op::and_pred, present, present, first);
        const reg to = element_at(as_, s_.scores, own, 4);
        for (u32_t h = 0; h < t_.heads; ++h) {
            for (u32_t j = 0; j < terms_of_lane; ++j) {
                as_(op::shfl_bfly, other, sums[h][j], 1U, 31U, -1);
                as_(op::add_f32, sums[h][j], sums[h][j], other);
            }
            for (u32_t apart = terms_of_lane / 2; apart != 0; apart /= 2)
                for (u32_t j = 0; j < apart; ++j) as_(op::add_f32, sums[h][j], sums[h][j], sums[h][j + apart]);
            as_(op::mul_f32, sums[h][0], sums[h][0], scale);
            as_.when(present, op::st_shared_f32, at(to, 4 * u64_t{h} * c_.chunk), sums[h][0]);
        }
    }

    /// Scores become exponentials: half a warp a head, lane l the positions l, l + 16, ...
    constexpr void form_exponentials(const partial_place& to) {
        const reg pair = as_.b32();
        as_(op::shr_u32, pair, s_.member, 5U);
        strided(as_, pair, (t_.heads + 1) / 2, t_.warps, [&] {
            const reg head = as_.b32();
            const reg lane = as_.b32();
            const reg none = as_.predicate();
            as_(op::shr_u32, head, s_.member, 4U);
            as_(op::and_b32, head, head, 1U);
            as_(op::mad_lo_u32, head, pair, 2U, head);
            as_(op::and_b32, lane, s_.member, reduction_lanes - 1);
            as_(op::setp_ge_u32, none, head, t_.heads);
            exponentials_of_head(head, lane, none, to);
        });
    }
    constexpr void exponentials_of_head(reg head, reg lane, reg none, const partial_place& to) {
        const reg begin = as_.b32();
        const reg early = as_.predicate();
        as_(op::and_b32, begin, rows_.from, ~(reduction_lanes - 1));
        as_(op::add_u32, begin, begin, lane);
        as_(op::setp_lt_u32, early, begin, rows_.from);
        as_.when(early, op::add_u32, begin, begin, reduction_lanes);
        as_.when(none, op::mov_u32, begin, rows_.end);
        const reg scores = element_at(as_, s_.scores, head, 4 * c_.chunk);
        const reg top = as_.f32();
        const reg sum = as_.f32();
        const reg index = as_.b32();
        as_(op::mov_f32, top, -__builtin_inff());
        as_(op::mov_f32, sum, 0.0F);
        as_(op::mov_u32, index, begin);
        strided(as_, index, rows_.end, reduction_lanes, [&] {
            const reg score = as_.f32();
            as_(op::ld_shared_f32, score, at(element_at(as_, scores, index, 4)));
            as_(op::max_f32, top, top, score);
        });
        as_(op::bar_warp, -1);
        combine_16(as_, op::max_f32, top);
        as_(op::mov_u32, index, begin);
        strided(as_, index, rows_.end, reduction_lanes, [&] {
            const reg e = as_.f32();
            const reg place = element_at(as_, scores, index, 4);
            as_(op::ld_shared_f32, e, at(place));
            as_(op::sub_f32, e, e, top);
            const reg power = exp_of(as_, e);
            as_(op::st_shared_f32, at(place), power);
            as_(op::add_f32, sum, sum, power);
        });
        as_(op::bar_warp, -1);
        combine_16(as_, op::add_f32, sum);
        const reg others = as_.predicate();
        as_(op::setp_ne_u32, others, lane, 0U);
        as_(op::or_pred, others, others, none);
        const reg place = element_at(as_, to.base, head, to.head_bytes);
        as_.unless(others, store_op(to), at(place), top);
        as_.unless(others, store_op(to), at(place, 4), sum);
    }

    assembler<Sink>& as_;
    attention c_;
    attention_tactic t_;
    attention_state s_;
    chunk_rows rows_;
};

}  // namespace ptx
}  // namespace netra::inline v0
