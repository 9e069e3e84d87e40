// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The attention warps: each block has some positions of one kv head, appends the new ones, attends over its own, and merges with the others.
#pragma once

#include <netra/codegen/megakernel/combine.hpp>
#include <netra/codegen/megakernel/results.hpp>

namespace netra::inline v0 {

/// With one row a step the warps share its positions; with more, each takes queries of its own over all positions.
template <class Sink>
class attention_code {
  public:
    constexpr attention_code(block_code<Sink>& k, ptx::reg thread, ptx::reg warp)
        : k_(k), as_(k.as), thread_(thread), warp_(warp), heads_(k), queries_(k), combine_(k, warp), results_(k, thread, warp) {}

    constexpr void prepare() {
        heads_.prepare();
        queries_.prepare();
    }
    /// What a step fixes: where its rows are, how many splits have positions.
    constexpr void begin_step(ptx::reg position, ptx::reg live) {
        using namespace ptx;
        position_ = position;
        live_ = live;
        active_ = as_.b32();
        blocks_ = as_.b32();
        as_(op::add_u32, blocks_, position, live);
        as_(op::add_u32, blocks_, blocks_, k_.plan.config.kv_block - 1);
        as_(op::div_u32, blocks_, blocks_, k_.plan.config.kv_block);
        as_(op::min_u32, active_, blocks_, k_.plan.kv_splits);
        if (one_row()) heads_.load_angles(position);
    }
    /// One layer. `parameters`: b64, the layer's.
    constexpr void layer(ptx::reg parameters, ptx::reg epoch) {
        using namespace ptx;
        epoch_ = epoch;
        const u32_t tiles = k_.plan.model.kv_heads * k_.plan.kv_splits;
        const reg tile = as_.b32();
        k_.task = block_task::attention;
        persistent::note_time(k_, stamp::start);
        persistent::delay(k_);
        heads_.load_norms(parameters);
        as_(op::mov_u32, tile, k_.block);
        count_up(as_, tile, tiles, k_.plan.blocks, [&] {
            find_tile(tile);
            where(as_, below(as_, split_, active_), [&] {
                results_.begin(kv_head_, split_, active_, epoch);
                attend();
            });
        });
        persistent::note_time(k_, stamp::end);
        if (k_.plan.kv_splits == 1) return;
        const reg several = as_.predicate();
        as_(op::setp_gt_u32, several, active_, 1U);
        where(as_, several, [&] {
            k_.task = block_task::combine;
            persistent::note_time(k_, stamp::start);
            as_(op::mov_u32, tile, k_.block);
            count_up(as_, tile, tiles, k_.plan.blocks, [&] {
                find_tile(tile);
                combine_.run(kv_head_, split_, active_, epoch);
            });
            persistent::note_time(k_, stamp::end);
        });
    }

  private:
    constexpr bool one_row() const { return k_.plan.model.rows == 1; }
    constexpr u32_t group() const { return k_.plan.model.heads / k_.plan.model.kv_heads; }
    constexpr u32_t batches() const { return query_batches(k_.plan); }
    constexpr u32_t batch() const { return divided_up(group(), batches()); }
    constexpr u32_t query_bytes() const { return 4 * k_.plan.kv_row; }

    constexpr void find_tile(ptx::reg tile) {
        using namespace ptx;
        kv_head_ = as_.b32();
        split_ = as_.b32();
        as_(op::div_u32, kv_head_, tile, k_.plan.kv_splits);
        as_(op::rem_u32, split_, tile, k_.plan.kv_splits);
        const reg index = as_.b32();
        as_(op::mad_lo_u32, index, k_.layer, k_.plan.model.kv_heads * k_.plan.kv_splits, tile);
        const reg wide = as_.b64();
        positions_ = {.keys = as_.b64(), .values = as_.b64(), .split = split_, .places = as_.b32()};
        as_(op::cvt_u64_u32, wide, index);
        as_(op::mad_lo_u64, positions_.keys, wide, kv_split_bytes(k_.plan), pointer(as_, "cache"));
        as_(op::add_u64, positions_.values, positions_.keys, kv_bytes(k_.plan));
        as_(op::add_u32, positions_.places, blocks_, k_.plan.kv_splits - 1);
        as_(op::sub_u32, positions_.places, positions_.places, split_);
        as_(op::div_u32, positions_.places, positions_.places, k_.plan.kv_splits);
        as_(op::mul_lo_u32, positions_.places, positions_.places, k_.plan.config.kv_block);
    }
    /// What `row` sees; a row without a token sees nothing.
    constexpr void find_limits(ptx::reg row, ptx::reg position) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        positions_.end = as_.b32();
        positions_.first = number(as_, 0);
        as_(op::add_u32, positions_.end, position, 1U);
        if (!one_row()) as_.unless(below(as_, row, live_), op::mov_u32, positions_.end, 0U);
        if (m.window == 0) return;
        reg far = as_.predicate();
        as_(op::setp_gt_u32, far, positions_.end, m.window);
        if (m.first_window_layer != 0) {
            const reg windowed = as_.predicate();
            as_(op::setp_ge_u32, windowed, k_.layer, m.first_window_layer);
            far = both(as_, far, windowed);
        }
        as_.when(far, op::sub_u32, positions_.first, positions_.end, m.window);
    }
    constexpr void attend() { one_row() ? attend_together() : attend_apart(); }

    /// Whether this block keeps a position, and where in its caches (places before it times the row's bytes go to `place`).
    constexpr ptx::reg keeps(ptx::reg position, ptx::reg place) {
        using namespace ptx;
        const u32_t block = k_.plan.config.kv_block;
        const reg owner = as_.b32();
        const reg round = as_.b32();
        as_(op::div_u32, owner, position, block);
        as_(op::div_u32, round, owner, k_.plan.kv_splits);
        as_(op::rem_u32, owner, owner, k_.plan.kv_splits);
        as_(op::rem_u32, place, position, block);
        as_(op::mad_lo_u32, place, round, block, place);
        return equals(as_, owner, split_);
    }
    constexpr ptx::reg query_head(ptx::reg of_group) {
        using namespace ptx;
        const reg head = as_.b32();
        as_(op::min_u32, head, of_group, group() - 1);  // the last batch may repeat it
        as_(op::mad_lo_u32, head, kv_head_, group(), head);
        return head;
    }
    constexpr ptx::reg key_head(u32_t before) {
        const ptx::reg head = as_.b32();
        as_(ptx::op::add_u32, head, kv_head_, before);
        return head;
    }
    constexpr float query_scale() const {  // scores in powers of two
        const float given = netra::attend(k_.plan.model, 0, 1).scale;
        return (given != 0.0F ? given : 1.0F / persistent::square_root(static_cast<float>(k_.plan.model.head_dim))) * 1.44269504F;
    }

    // one row a step

    constexpr void attend_together() {
        using namespace ptx;
        const reg row = number(as_, 0);
        find_limits(row, position_);
        queries_.ask_first(positions_, warp_, attention_warps, position_);
        take_heads(row);
        as_(op::bar_sync, 1U, 32 * attention_warps);
        persistent::note_time(k_, stamp::ready);
        queries_.ask_fresh(positions_, position_);
        const reg first = number(as_, 0);
        count_up(as_, first, batches() * batch(), batch(), [&] {
            if (batches() > 1) {
                const reg later = as_.predicate();
                as_(op::setp_ne_u32, later, first, 0U);
                where(as_, later, [&] { queries_.ask_first(positions_, warp_, attention_warps, positions_.end); });
            }
            const reg from = as_.b32();
            as_(op::mad_lo_u32, from, first, query_bytes(), k_.shared);
            as_(op::add_u32, from, from, k_.shared_at.queries);
            persistent::running_query q[most_queries];
            queries_.start(q, batch(), from);
            queries_.scan(q, batch(), positions_);
            for (u32_t n = 0; n < batch(); ++n) queries_.merge_lanes(q[n]);
            for (u32_t n = 0; n < batch(); ++n) results_.store_state(queries_, q[n], n);
            as_(op::bar_sync, 1U, 32 * attention_warps);
            results_.publish_states(row, first, batch());
            as_(op::bar_sync, 1U, 32 * attention_warps);
        });
    }
    /// The queries of the kv head, and its new key and value where this block keeps the position; a warp takes two at once.
    constexpr void take_heads(ptx::reg row) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const u32_t queries = batches() * batch();
        const reg place = as_.b32();
        const reg mine = keeps(position_, place);
        const reg count = number(as_, queries);
        as_.when(mine, op::add_u32, count, count, 2U);
        const reg item = as_.b32();
        as_(op::mov_u32, item, warp_);
        count_up(as_, item, count, 2 * attention_warps, [&] {
            persistent::head_registers heads[persistent::most_heads_at_once];
            reg number_of[2];
            for (u32_t n = 0; n < 2; ++n) {
                number_of[n] = as_.b32();
                as_(op::add_u32, number_of[n], item, n * attention_warps);
                heads[n].exists = below(as_, number_of[n], count);
                heads[n].index = query_head(number_of[n]);
                const reg key = key_head(m.heads);
                const reg value = key_head(m.heads + m.kv_heads);
                as_.when(equals(as_, number_of[n], queries), op::mov_u32, heads[n].index, key);
                as_.when(equals(as_, number_of[n], queries + 1), op::mov_u32, heads[n].index, value);
            }
            heads_.read(heads, 2, row, epoch_);
            for (u32_t n = 0; n < 2; ++n) where(as_, heads[n].exists, [&] { keep_head(heads[n], number_of[n], queries, place); });
        });
    }
    constexpr void keep_head(persistent::head_registers& head, ptx::reg number_of, u32_t queries, ptx::reg place) {
        using namespace ptx;
        where(as_, below(as_, number_of, queries), [&] {
            const reg to = as_.b32();
            as_(op::mad_lo_u32, to, number_of, query_bytes(), k_.shared);
            as_(op::add_u32, to, to, k_.shared_at.queries);
            heads_.turn(head, false);
            heads_.store_query(head, to, query_scale());
        });
        where(as_, equals(as_, number_of, queries), [&] {
            heads_.turn(head, true);
            heads_.store_cache(head, element(as_, positions_.keys, place, 2 * k_.plan.kv_row));
        });
        where(as_, equals(as_, number_of, queries + 1), [&] { heads_.store_cache(head, element(as_, positions_.values, place, 2 * k_.plan.kv_row)); });
    }
    // several rows a step

    constexpr void attend_apart() {
        using namespace ptx;
        append();
        as_(op::bar_sync, 1U, 32 * attention_warps);
        persistent::note_time(k_, stamp::ready);
        const reg queries = as_.b32();
        as_(op::mad_lo_u32, queries, warp_, most_queries * query_bytes(), k_.shared);
        as_(op::add_u32, queries, queries, k_.shared_at.queries);
        const reg item = as_.b32();
        as_(op::mov_u32, item, warp_);
        count_up(as_, item, k_.plan.model.rows * batches(), attention_warps, [&] { attend_item(item, queries); });
    }
    /// New keys and values of the positions that this block keeps; a warp a row.
    constexpr void append() {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg row = as_.b32();
        as_(op::mov_u32, row, warp_);
        count_up(as_, row, live_, attention_warps, [&] {
            const reg position = as_.b32();
            const reg place = as_.b32();
            as_(op::add_u32, position, position_, row);
            where(as_, keeps(position, place), [&] {
                heads_.load_angles(position);
                persistent::head_registers heads[persistent::most_heads_at_once];
                for (u32_t n = 0; n < 2; ++n) {
                    heads[n].exists = equals(as_, row, row);
                    heads[n].index = key_head(m.heads + n * m.kv_heads);
                }
                heads_.read(heads, 2, row, epoch_);
                heads_.turn(heads[0], true);
                heads_.store_cache(heads[0], element(as_, positions_.keys, place, 2 * k_.plan.kv_row));
                heads_.store_cache(heads[1], element(as_, positions_.values, place, 2 * k_.plan.kv_row));
            });
        });
    }
    /// A batch of queries of one row, by this warp alone.
    constexpr void attend_item(ptx::reg item, ptx::reg queries) {
        using namespace ptx;
        const reg row = as_.b32();
        const reg first = as_.b32();
        const reg position = as_.b32();
        const reg angle = as_.b32();
        as_(op::div_u32, row, item, batches());
        as_(op::rem_u32, first, item, batches());
        as_(op::mul_lo_u32, first, first, batch());
        as_(op::add_u32, position, position_, row);
        as_(op::min_u32, angle, position, k_.plan.model.context - 1);  // rows without a token may lie beyond the context
        find_limits(row, position);
        queries_.ask_first(positions_, number(as_, 0), 1, positions_.end);
        heads_.load_angles(angle);
        persistent::head_registers heads[persistent::most_heads_at_once];
        reg of_group[most_queries];
        for (u32_t n = 0; n < batch(); ++n) {
            of_group[n] = as_.b32();
            as_(op::add_u32, of_group[n], first, n);
            heads[n].exists = equals(as_, row, row);
            heads[n].index = query_head(of_group[n]);
        }
        heads_.read(heads, batch(), row, epoch_);
        for (u32_t n = 0; n < batch(); ++n) {
            const reg to = as_.b32();
            as_(op::add_u32, to, queries, n * query_bytes());
            heads_.turn(heads[n], false);
            heads_.store_query(heads[n], to, query_scale());
        }
        as_(op::bar_warp, -1);
        persistent::running_query q[most_queries];
        queries_.start(q, batch(), queries);
        queries_.scan(q, batch(), positions_);
        for (u32_t n = 0; n < batch(); ++n) {
            queries_.merge_lanes(q[n]);
            results_.publish_query(queries_, q[n], row, of_group[n]);
        }
        as_(op::bar_warp, -1);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::reg thread_, warp_;
    persistent::head_code<Sink> heads_;
    persistent::query_code<Sink> queries_;
    persistent::combine_code<Sink> combine_;
    persistent::result_code<Sink> results_;
    ptx::reg position_{}, live_{}, active_{}, blocks_{};  ///< of the step
    ptx::reg kv_head_{}, split_{};                        ///< of the tile
    persistent::attended_positions positions_{};
    ptx::reg epoch_{};
};

}  // namespace netra::inline v0
