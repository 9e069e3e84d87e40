// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The attention warps: each block has some positions of one kv head, appends the new ones, attends over its own, and merges with the others.
#pragma once

#include <netra/codegen/megakernel/combine.hpp>
#include <netra/codegen/megakernel/heads.hpp>

namespace netra::inline v0 {

template <class Sink>
class attention_code {
  public:
    constexpr attention_code(block_code<Sink>& k, ptx::reg thread, ptx::reg warp)
        : k_(k), as_(k.as), thread_(thread), warp_(warp), head_(k), combine_(k, warp) {}

    constexpr void prepare() {
        using namespace ptx;
        head_.prepare();
        sub_ = as_.b32();
        part_ = as_.b32();
        as_(op::div_u32, sub_, k_.lane, row_lanes());
        as_(op::rem_u32, part_, k_.lane, row_lanes());
        own_ = below(as_, part_, k_.plan.kv_row / 8);
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
    }
    /// One layer. `parameters`: b64, the layer's; `number`: which layer it is.
    constexpr void layer(ptx::reg number_of, ptx::reg parameters, ptx::reg epoch) {
        using namespace ptx;
        parameters_ = parameters;
        epoch_ = epoch;
        const u32_t tiles = k_.plan.model.kv_heads * k_.plan.kv_splits;
        const reg tile = as_.b32();
        k_.task = block_task::attention;
        as_(op::mov_u32, tile, k_.block);
        count_up(as_, tile, tiles, k_.plan.blocks, [&] {
            find_tile(tile, number_of);
            where(as_, below(as_, split_, active_), [&] { attend(number_of); });
        });
        if (k_.plan.kv_splits == 1) return;
        const reg several = as_.predicate();
        as_(op::setp_gt_u32, several, active_, 1U);
        where(as_, several, [&] {
            k_.task = block_task::combine;
            as_(op::mov_u32, tile, k_.block);
            count_up(as_, tile, tiles, k_.plan.blocks, [&] {
                find_tile(tile, number_of);
                combine_.run(kv_head_, split_, active_, epoch);
            });
        });
    }

  private:
    constexpr u32_t group() const { return k_.plan.model.heads / k_.plan.model.kv_heads; }
    /// Lanes that share a cached row, 8 elements each; the next power of two.
    constexpr u32_t row_lanes() const {
        u32_t n = 1;
        while (n * 8 < k_.plan.kv_row) n *= 2;
        return n;
    }
    constexpr u32_t rows_of_warp() const { return 32 / row_lanes(); }

    constexpr void find_tile(ptx::reg tile, ptx::reg layer) {
        using namespace ptx;
        kv_head_ = as_.b32();
        split_ = as_.b32();
        as_(op::div_u32, kv_head_, tile, k_.plan.kv_splits);
        as_(op::rem_u32, split_, tile, k_.plan.kv_splits);
        const reg index = as_.b32();
        as_(op::mad_lo_u32, index, layer, k_.plan.model.kv_heads * k_.plan.kv_splits, tile);
        const reg wide = as_.b64();
        keys_ = as_.b64();
        values_ = as_.b64();
        as_(op::cvt_u64_u32, wide, index);
        as_(op::mad_lo_u64, keys_, wide, kv_split_bytes(k_.plan), pointer(as_, "cache"));
        as_(op::add_u64, values_, keys_, kv_bytes(k_.plan));
    }
    constexpr void attend(ptx::reg layer) {
        using namespace ptx;
        append();
        as_(op::bar_sync, 1U, 32 * attention_warps);
        const reg row = number(as_, 0);
        count_up(as_, row, k_.plan.model.rows, 1U, [&] {
            const reg position = as_.b32();
            as_(op::add_u32, position, position_, row);
            find_limits(row, position, layer);
            prepare_queries(row, position);
            as_(op::bar_sync, 1U, 32 * attention_warps);
            for (u32_t first = 0; first < group(); first += most_queries) attend_queries(row, first, group() - first < most_queries ? group() - first : most_queries);
        });
    }
    /// First word in qkv of head `head` (queries, then keys, then values) of a row.
    constexpr ptx::reg head_word(ptx::reg row, ptx::reg head, u32_t heads_before) {
        using namespace ptx;
        const reg index = as_.b32();
        const reg first = as_.b32();
        as_(op::mul_lo_u32, first, row, qkv_width(k_.plan.model));
        as_(op::add_u32, index, head, heads_before);
        as_(op::mad_lo_u32, index, index, k_.plan.model.head_dim, first);
        return index;
    }
    /// New keys and values of the positions that this block keeps; a warp a row.
    constexpr void append() {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const u32_t block = k_.plan.config.kv_block;
        const reg row = as_.b32();
        as_(op::mov_u32, row, warp_);
        count_up(as_, row, live_, attention_warps, [&] {
            const reg position = as_.b32();
            const reg owner = as_.b32();
            const reg round = as_.b32();
            as_(op::add_u32, position, position_, row);
            as_(op::div_u32, owner, position, block);
            as_(op::div_u32, round, owner, k_.plan.kv_splits);
            as_(op::rem_u32, owner, owner, k_.plan.kv_splits);
            where(as_, equals(as_, owner, split_), [&] {
                const reg place = as_.b32();
                as_(op::rem_u32, place, position, block);
                as_(op::mad_lo_u32, place, round, block, place);
                head_.load(head_word(row, kv_head_, m.heads), epoch_, parameters_, k_.parameters_at.k_norm, position);
                head_.store_cache(element(as_, keys_, place, 2 * k_.plan.kv_row));
                head_.load_plain(head_word(row, kv_head_, m.heads + m.kv_heads), epoch_);
                head_.store_cache(element(as_, values_, place, 2 * k_.plan.kv_row));
            });
        });
    }
    /// Positions from first_ to before end_ are seen by the row; a row without a token sees none.
    constexpr void find_limits(ptx::reg row, ptx::reg position, ptx::reg layer) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        end_ = as_.b32();
        first_ = number(as_, 0);
        as_(op::add_u32, end_, position, 1U);
        as_.unless(below(as_, row, live_), op::mov_u32, end_, 0U);
        if (m.window == 0) return;
        reg far = as_.predicate();
        as_(op::setp_gt_u32, far, end_, m.window);
        if (m.first_window_layer != 0) {
            const reg windowed = as_.predicate();
            as_(op::setp_ge_u32, windowed, layer, m.first_window_layer);
            far = both(as_, far, windowed);
        }
        as_.when(far, op::sub_u32, first_, end_, m.window);
    }
    constexpr void prepare_queries(ptx::reg row, ptx::reg position) {
        using namespace ptx;
        const float scale = score_scale_of() * 1.44269504F;  // scores in powers of two
        const reg angle = as_.b32();
        as_(op::min_u32, angle, position, k_.plan.model.context - 1);  // rows without a token may lie beyond the context
        const reg h = as_.b32();
        as_(op::mov_u32, h, warp_);
        count_up(as_, h, group(), attention_warps, [&] {
            const reg head = as_.b32();
            const reg to = as_.b32();
            as_(op::mad_lo_u32, head, kv_head_, group(), h);
            as_(op::mad_lo_u32, to, h, 4 * k_.plan.kv_row, k_.shared);
            as_(op::add_u32, to, to, k_.shared_at.queries);
            head_.load(head_word(row, head, 0), epoch_, parameters_, k_.parameters_at.q_norm, angle);
            head_.store_query(to, scale);
        });
    }
    constexpr float score_scale_of() const {
        const float given = netra::attend(k_.plan.model, 0, 1).scale;
        return given != 0.0F ? given : 1.0F / persistent::square_root(static_cast<float>(k_.plan.model.head_dim));
    }

    /// Maximum, sum and weighted values of one query in this lane.
    struct running {
        ptx::reg top{}, sum{};
        ptx::reg values[8]{};
        ptx::reg query[8]{};
    };
    constexpr void attend_queries(ptx::reg row, u32_t first, u32_t count) {
        using namespace ptx;
        running q[most_queries];
        for (u32_t i = 0; i < count; ++i) start_query(q[i], first + i);
        scan(q, count);
        for (u32_t i = 0; i < count; ++i)
            for (u32_t apart = row_lanes(); apart < 32; apart *= 2) merge_lanes(q[i], apart);
        for (u32_t i = 0; i < count; ++i) store_state(q[i], i);
        as_(op::bar_sync, 1U, 32 * attention_warps);
        publish_states(row, first, count);
        as_(op::bar_sync, 1U, 32 * attention_warps);
    }
    constexpr void start_query(running& q, u32_t index) {
        using namespace ptx;
        q.top = as_.f32();
        q.sum = as_.f32();
        as_(op::mov_f32, q.top, -1e30F);  // finite: no difference of two of them is a NaN
        as_(op::mov_f32, q.sum, 0.0F);
        const reg from = as_.b32();
        as_(op::mad_lo_u32, from, part_, 32U, k_.shared);
        for (u32_t d = 0; d < 8; ++d) {
            q.values[d] = as_.f32();
            q.query[d] = as_.f32();
            as_(op::mov_f32, q.values[d], 0.0F);
            as_(op::mov_f32, q.query[d], 0.0F);
        }
        for (u32_t d = 0; d < 8; d += 4)
            as_.when(own_, op::ld_shared_v4_f32, fragment<4>{{q.query[d], q.query[d + 1], q.query[d + 2], q.query[d + 3]}},
                     at(from, k_.shared_at.queries + index * 4 * k_.plan.kv_row + 4 * d));
    }
    /// Goes through this block's positions, rows_of_warp of them a warp at a time.
    constexpr void scan(running (&q)[most_queries], u32_t count) {
        using namespace ptx;
        const u32_t block = k_.plan.config.kv_block;
        const reg places = as_.b32();  // kv blocks of this split, then positions
        as_(op::add_u32, places, blocks_, k_.plan.kv_splits - 1);
        as_(op::sub_u32, places, places, split_);
        as_(op::div_u32, places, places, k_.plan.kv_splits);
        as_(op::mul_lo_u32, places, places, block);
        const reg base = as_.b32();
        as_(op::mul_lo_u32, base, warp_, rows_of_warp());
        count_up(as_, base, places, attention_warps * rows_of_warp(), [&] {
            const reg place = as_.b32();
            const reg position = as_.b32();
            const reg rest = as_.b32();
            as_(op::add_u32, place, base, sub_);
            as_(op::div_u32, position, place, block);
            as_(op::rem_u32, rest, place, block);
            as_(op::mad_lo_u32, position, position, k_.plan.kv_splits, split_);
            as_(op::mad_lo_u32, position, position, block, rest);
            const reg seen = both(as_, below(as_, position, end_), not_below(position, first_));
            const reg loads = both(as_, seen, own_);
            const auto key = load_row(keys_, place, loads);
            const auto value = load_row(values_, place, loads);
            for (u32_t i = 0; i < count; ++i) add_position(q[i], key, value, seen);
        });
    }
    constexpr ptx::reg not_below(ptx::reg a, ptx::reg b) {
        const ptx::reg p = as_.predicate();
        as_(ptx::op::setp_ge_u32, p, a, b);
        return p;
    }
    /// Eight bf16 of a cached row, as fp32; zeros where `loads` is false.
    constexpr ptx::fragment<8> load_row(ptx::reg rows, ptx::reg place, ptx::reg loads) {
        using namespace ptx;
        const auto raw = as_.template fragment_of<4>(register_class::b32);
        const auto out = as_.template fragment_of<8>(register_class::f32);
        for (const reg& r : raw.r) as_(op::mov_u32, r, 0U);
        const reg from = element(as_, element(as_, rows, place, 2 * k_.plan.kv_row), part_, 16);
        as_.when(loads, op::ld_global_v4_b32, raw, at(from));
        for (u32_t i = 0; i < 4; ++i) {
            const reg low = as_.b32();
            const reg high = as_.b32();
            as_(op::shl_b32, low, raw[i], 16U);
            as_(op::and_b32, high, raw[i], 0xffff0000U);
            as_(op::mov_b32, out[2 * i], low);
            as_(op::mov_b32, out[2 * i + 1], high);
        }
        return out;
    }
    constexpr void add_position(running& q, const ptx::fragment<8>& key, const ptx::fragment<8>& value, ptx::reg seen) {
        using namespace ptx;
        const reg score = as_.f32();
        const reg other = as_.f32();
        as_(op::mul_f32, score, q.query[0], key[0]);
        for (u32_t d = 1; d < 8; ++d) as_(op::fma_f32, score, q.query[d], key[d], score);
        for (u32_t apart = row_lanes() / 2; apart != 0; apart /= 2) {
            as_(op::shfl_bfly, other, score, apart, 31U, -1);
            as_(op::add_f32, score, score, other);
        }
        as_.unless(seen, op::mov_f32, score, -__builtin_inff());
        const reg top = as_.f32();
        const reg keep = as_.f32();
        const reg weight = as_.f32();
        as_(op::max_f32, top, q.top, score);
        as_(op::sub_f32, keep, q.top, top);
        as_(op::sub_f32, weight, score, top);
        as_(op::ex2_f32, keep, keep);
        as_(op::ex2_f32, weight, weight);
        as_(op::mov_f32, q.top, top);
        as_(op::fma_f32, q.sum, q.sum, keep, weight);
        for (u32_t d = 0; d < 8; ++d) {
            as_(op::mul_f32, q.values[d], q.values[d], keep);
            as_(op::fma_f32, q.values[d], weight, value[d], q.values[d]);
        }
    }
    constexpr void merge_lanes(running& q, u32_t apart) {
        using namespace ptx;
        const auto from = [&](reg r) {
            const reg other = as_.f32();
            as_(op::shfl_bfly, other, r, apart, 31U, -1);
            return other;
        };
        const reg other_top = from(q.top);
        const reg top = as_.f32();
        const reg keep = as_.f32();
        const reg add = as_.f32();
        as_(op::max_f32, top, q.top, other_top);
        as_(op::sub_f32, keep, q.top, top);
        as_(op::sub_f32, add, other_top, top);
        as_(op::ex2_f32, keep, keep);
        as_(op::ex2_f32, add, add);
        as_(op::mov_f32, q.top, top);
        const auto merge = [&](reg r) {
            const reg other = from(r);
            const reg mine = as_.f32();
            as_(op::mul_f32, other, other, add);  // both products rounded: the two lanes then agree
            as_(op::mul_f32, mine, r, keep);
            as_(op::add_f32, r, mine, other);
        };
        merge(q.sum);
        for (const reg& v : q.values) merge(v);
    }
    constexpr u32_t state_bytes() const { return 4 * (2 + k_.plan.kv_row); }
    constexpr void store_state(const running& q, u32_t index) {
        using namespace ptx;
        const reg to = as_.b32();
        as_(op::mad_lo_u32, to, warp_, most_queries * state_bytes(), k_.shared);
        const u32_t state = k_.shared_at.states + index * state_bytes();
        const reg first = both(as_, equals(as_, sub_, 0U), own_);
        as_.when(first, op::st_shared_f32, at(to, state), q.top);
        as_.when(first, op::st_shared_f32, at(to, state + 4), q.sum);
        as_(op::mad_lo_u32, to, part_, 32U, to);
        for (u32_t d = 0; d < 8; ++d) as_.when(first, op::st_shared_f32, at(to, state + 8 + 4 * d), q.values[d]);
    }
    /// Merges what the warps found in a fixed order; a thread an element.
    constexpr void publish_states(ptx::reg row, u32_t first, u32_t count) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg i = as_.b32();
        as_(op::mov_u32, i, thread_);
        count_up(as_, i, count * m.head_dim, 32 * attention_warps, [&] {
            const reg query = as_.b32();
            const reg d = as_.b32();
            as_(op::div_u32, query, i, m.head_dim);
            as_(op::rem_u32, d, i, m.head_dim);
            const reg from = as_.b32();
            as_(op::mad_lo_u32, from, query, state_bytes(), k_.shared);
            const reg element_from = as_.b32();
            as_(op::mad_lo_u32, element_from, d, 4U, from);
            reg tops[attention_warps], sums[attention_warps], values[attention_warps];
            for (u32_t w = 0; w < attention_warps; ++w) {
                const u32_t state = k_.shared_at.states + w * most_queries * state_bytes();
                tops[w] = as_.f32();
                sums[w] = as_.f32();
                values[w] = as_.f32();
                as_(op::ld_shared_f32, tops[w], at(from, state));
                as_(op::ld_shared_f32, sums[w], at(from, state + 4));
                as_(op::ld_shared_f32, values[w], at(element_from, state + 8));
            }
            const reg top = as_.f32();
            as_(op::max_f32, top, tops[0], tops[1]);
            for (u32_t w = 2; w < attention_warps; ++w) as_(op::max_f32, top, top, tops[w]);
            const reg sum = as_.f32();
            const reg value = as_.f32();
            as_(op::mov_f32, sum, 0.0F);
            as_(op::mov_f32, value, 0.0F);
            for (u32_t w = 0; w < attention_warps; ++w) {
                as_(op::sub_f32, tops[w], tops[w], top);
                as_(op::ex2_f32, tops[w], tops[w]);
                as_(op::fma_f32, sum, sums[w], tops[w], sum);
                as_(op::fma_f32, value, values[w], tops[w], value);
            }
            const reg head = as_.b32();
            as_(op::mad_lo_u32, head, kv_head_, group(), first);
            as_(op::add_u32, head, head, query);
            as_(op::mad_lo_u32, head, row, m.heads, head);
            publish_result(head, d, top, sum, value);
        });
    }
    /// One split that has everything publishes the result, several publish their parts. `head`: counted through the rows.
    constexpr void publish_result(ptx::reg head, ptx::reg d, ptx::reg top, ptx::reg sum, ptx::reg value) {
        using namespace ptx;
        const code_label parts = as_.new_label();
        const code_label done = as_.new_label();
        if (k_.plan.kv_splits > 1) {
            const reg several = as_.predicate();
            as_(op::setp_gt_u32, several, active_, 1U);
            as_.when(several, op::bra, parts);
        }
        combine_.publish_quotient(head, d, value, sum, epoch_);
        if (k_.plan.kv_splits == 1) return;
        as_(op::bra, done);
        as_.place(parts);
        const reg index = as_.b32();
        as_(op::mad_lo_u32, index, head, k_.plan.kv_splits, split_);
        const reg base = element(as_, k_.words, index, partial_words(k_.plan) * word_bytes);
        publish(as_, at(element(as_, base, d, word_bytes), (k_.words_at.partials + 2) * word_bytes), value, epoch_);
        where(as_, equals(as_, d, 0U), [&] {
            publish(as_, at(base, k_.words_at.partials * word_bytes), top, epoch_);
            publish(as_, at(base, (k_.words_at.partials + 1) * word_bytes), sum, epoch_);
        });
        as_.place(done);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::reg thread_, warp_;
    persistent::head_code<Sink> head_;
    persistent::combine_code<Sink> combine_;
    ptx::reg sub_{}, part_{}, own_{};                              ///< of this lane: cached row of the warp's, 16 bytes of it, whether they exist
    ptx::reg position_{}, live_{}, active_{}, blocks_{};           ///< of the step
    ptx::reg kv_head_{}, split_{}, keys_{}, values_{};             ///< of the tile
    ptx::reg parameters_{}, epoch_{}, first_{}, end_{};
};

}  // namespace netra::inline v0
