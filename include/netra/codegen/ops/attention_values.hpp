// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The values of a chunk of attention in PTX, weighted by its exponentials.
#pragma once

#include <netra/codegen/ops/attention_state.hpp>

namespace netra::inline v0 {

namespace ptx {

/// Emits the code that all threads of a worker run when a chunk's exponentials stand in shared memory.
template <class Sink>
class value_emitter {
public:
    constexpr value_emitter(assembler<Sink>& to, const attention& contract, const attention_tactic& tactic, const attention_state& state, const chunk_rows& rows)
        : as_(to), c_(contract), t_(tactic), s_(state), rows_(rows), columns_(columns_of_lane(contract, tactic)) {}

    /// A thread some columns of some heads, positions in ascending order.
    constexpr void emit(const partial_place& to) {
        const u32_t vectors = c_.head_dim / columns_;
        const u32_t across = vectors < threads_of_worker(t_) ? vectors : threads_of_worker(t_);
        const u32_t sets = threads_of_worker(t_) / across < t_.heads ? threads_of_worker(t_) / across : t_.heads;
        const reg set = as_.b32();
        const reg vector = as_.b32();
        const code_label done = as_.new_label();
        as_(op::div_u32, set, s_.member, across);
        as_(op::rem_u32, vector, s_.member, across);
        skip_from(set, sets, done);
        for (u32_t first = 0; first < vectors; first += across) {
            if (first != 0) as_(op::add_u32, vector, vector, across);
            if (first + across > vectors) skip_from(vector, vectors, done);
            values_of_set(set, sets, vector, to);
        }
        as_.place(done);
        as_(op::bar_warp, -1);  // lanes come from different places, and a barrier follows
    }

private:
    static constexpr u32_t most_positions = most_loads_ahead * terms_of_lane / 2;

    constexpr void skip_from(reg index, u32_t limit, code_label to) {
        const reg outside = as_.predicate();
        as_(op::setp_ge_u32, outside, index, limit);
        as_.when(outside, op::bra, to);
    }
    /// Heads `set`, `set` + `sets`, ...; the last head again where there are too few: read, but not stored.
    constexpr void values_of_set(reg set, u32_t sets, reg vector, const partial_place& to) {
        const u32_t count = (t_.heads + sets - 1) / sets;
        const reg from = element_at(as_, element_at(as_, rows_.values, vector, columns_ * kv_lane_bytes(c_) / terms_of_lane), rows_.from, kv_row_bytes(c_));
        const reg left = as_.b32();
        as_(op::sub_u32, left, rows_.end, rows_.from);
        reg heads[most_heads_together];
        reg scores[most_heads_together];
        lane_terms sums[most_heads_together];
        for (u32_t i = 0; i < count; ++i) {
            const reg inside = as_.b32();
            heads[i] = as_.b32();
            as_(op::add_u32, heads[i], set, i * sets);
            as_(op::min_u32, inside, heads[i], t_.heads - 1);
            scores[i] = element_at(as_, element_at(as_, s_.scores, inside, 4 * c_.chunk), rows_.from, 4);
            sums[i] = zeros(as_);
        }
        for (u32_t n = loads_ahead(c_) * terms_of_lane / columns_; n != 0; n = n == 2 ? 1 : n / 4)  // down to 1
            while_left(as_, left, n, [&] { add_positions(sums, scores, from, count, n); });
        for (u32_t i = 0; i < count; ++i) {
            const reg none = as_.predicate();
            as_(op::setp_ge_u32, none, heads[i], t_.heads);
            const reg place = element_at(as_, element_at(as_, to.base, heads[i], to.head_bytes), vector, columns_ * 4);
            for (u32_t j = 0; j < columns_; ++j) as_.unless(none, store_op(to), at(place, 8 + 4 * j), sums[i][j]);
        }
    }
    constexpr void add_positions(const lane_terms (&sums)[most_heads_together], const reg (&scores)[most_heads_together], reg from, u32_t count, u32_t positions) {
        raw_terms raw[most_positions];
        for (u32_t u = 0; u < positions; ++u) raw[u] = load_kv(as_, c_.kv, from, u64_t{u} * kv_row_bytes(c_), columns_);
        for (u32_t u = 0; u < positions; ++u) {
            const lane_terms v = decode(as_, weight_format(c_.kv), raw[u], columns_);
            for (u32_t i = 0; i < count; ++i) {
                const reg e = as_.f32();
                as_(op::ld_shared_f32, e, at(scores[i], 4 * u));
                for (u32_t j = 0; j < columns_; ++j) as_(op::fma_f32, sums[i][j], e, v[j], sums[i][j]);
            }
        }
        as_(op::add_u64, from, from, u64_t{positions} * kv_row_bytes(c_));
        for (u32_t i = 0; i < count; ++i) as_(op::add_u32, scores[i], scores[i], 4 * positions);
    }

    assembler<Sink>& as_;
    attention c_;
    attention_tactic t_;
    attention_state s_;
    chunk_rows rows_;
    u32_t columns_;
};

}  // namespace ptx
}  // namespace netra::inline v0
