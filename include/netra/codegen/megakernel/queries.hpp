// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A warp attends: a few queries at once over cached positions, several positions a warp, several loads under way.
#pragma once

#include <netra/codegen/megakernel/heads.hpp>

namespace netra::inline v0::persistent {

/// Maximum, sum and weighted values of one query in this lane: of its positions, and of 8 of the head's elements.
struct running_query {
    ptx::reg top{}, sum{};
    ptx::reg values[8]{};
    ptx::reg query[8]{};
};

/// The positions that are attended to: a split's part of one row's.
struct attended_positions {
    ptx::reg keys{}, values{};  ///< b64: the split's caches
    ptx::reg split{};
    ptx::reg places{};          ///< of the split's caches that may hold positions
    ptx::reg first{}, end{};    ///< positions that the row sees
};

template <class Sink>
class query_code {
  public:
    constexpr query_code(block_code<Sink>& k) : k_(k), as_(k.as) {}

    constexpr void prepare() {
        using namespace ptx;
        sub_ = as_.b32();
        part_ = as_.b32();
        as_(op::div_u32, sub_, k_.lane, row_lanes());
        as_(op::rem_u32, part_, k_.lane, row_lanes());
        own_ = below(as_, part_, k_.plan.kv_row / 8);
        for (u32_t i = 0; i < in_flight(); ++i) {
            seen_[i] = as_.predicate();
            position_[i] = as_.b32();
            key_[i] = as_.template fragment_of<4>(register_class::b32);
            value_[i] = as_.template fragment_of<4>(register_class::b32);
        }
        base_ = as_.b32();
    }
    /// Lanes that share a cached row, 8 elements each: the next power of two. Positions that a warp takes at once.
    constexpr u32_t row_lanes() const {
        u32_t n = 1;
        while (n * 8 < k_.plan.kv_row) n *= 2;
        return n;
    }
    constexpr u32_t rows_of_warp() const { return 32 / row_lanes(); }
    /// This lane's 8 elements of a row, whether they exist, and whether it is the one of its like that publishes.
    constexpr ptx::reg part() const { return part_; }
    constexpr ptx::reg publishes() { return ptx::both(as_, ptx::equals(as_, sub_, 0U), own_); }

    /// Asks for the first positions of a scan by warp `warp` of `warps`; those from `fresh` on are not written yet and left out.
    constexpr void ask_first(const attended_positions& p, ptx::reg warp, u32_t warps, ptx::reg fresh) {
        using namespace ptx;
        step_ = warps * rows_of_warp();
        as_(op::mul_lo_u32, base_, warp, rows_of_warp());
        for (u32_t i = 0; i < in_flight(); ++i) find(p, i, 0), load(p, i, 0, both(as_, seen_[i], below(as_, position_[i], fresh)));
    }
    /// Asks for the positions from `fresh` on among them.
    constexpr void ask_fresh(const attended_positions& p, ptx::reg fresh) {
        using namespace ptx;
        for (u32_t i = 0; i < in_flight(); ++i) {
            const reg late = as_.predicate();
            as_(op::setp_ge_u32, late, position_[i], fresh);
            load_more(p, i, 0, both(as_, seen_[i], late));
        }
    }
    /// Queries of `count` heads from shared memory at `from`, a padded row each.
    constexpr void start(running_query (&q)[most_queries], u32_t count, ptx::reg from) {
        using namespace ptx;
        const reg own_from = as_.b32();
        as_(op::mad_lo_u32, own_from, part_, 32U, from);
        for (u32_t n = 0; n < count; ++n) {
            q[n].top = as_.f32();
            q[n].sum = as_.f32();
            as_(op::mov_f32, q[n].top, -1e30F);  // finite: no difference of two of them is a NaN
            as_(op::mov_f32, q[n].sum, 0.0F);
            for (u32_t d = 0; d < 8; ++d) {
                q[n].values[d] = as_.f32();
                q[n].query[d] = as_.f32();
                as_(op::mov_f32, q[n].values[d], 0.0F);
                as_(op::mov_f32, q[n].query[d], 0.0F);
            }
            for (u32_t d = 0; d < 8; d += 4)
                as_.when(own_, op::ld_shared_v4_f32, fragment<4>{{q[n].query[d], q[n].query[d + 1], q[n].query[d + 2], q[n].query[d + 3]}},
                         at(own_from, n * 4 * k_.plan.kv_row + 4 * d));
        }
    }
    /// Goes through the positions that were asked for and all after them.
    constexpr void scan(running_query (&q)[most_queries], u32_t count, const attended_positions& p) {
        using namespace ptx;
        count_up(as_, base_, p.places, in_flight() * step_, [&] {
            for (u32_t i = 0; i < in_flight(); ++i) {
                const reg there = as_.b32();
                as_(op::add_u32, there, base_, i * step_);
                where(as_, below(as_, there, p.places), [&] {
                    const auto key = unpack(key_[i]);
                    const auto value = unpack(value_[i]);
                    const reg seen = as_.predicate();
                    as_(op::or_pred, seen, seen_[i], seen_[i]);
                    find(p, i, in_flight() * step_);
                    load(p, i, in_flight() * step_, seen_[i]);
                    for (u32_t n = 0; n < count; ++n) add_position(q[n], key, value, seen);
                });
            }
        });
    }
    /// Merges the warp's lanes that have the same elements; they then agree.
    constexpr void merge_lanes(running_query& q) {
        for (u32_t apart = row_lanes(); apart < 32; apart *= 2) merge(q, apart);
    }

  private:
    static constexpr u32_t most_in_flight = 4;
    /// Loads under way. Where a warp has several batches of queries, heads are long, normed or leave lanes idle, registers do not suffice for more.
    constexpr u32_t in_flight() const {
        const auto& m = k_.plan.model;
        if (m.head_dim > 128) return m.rows == 1 ? 1 : 2;
        const u32_t group = m.heads / m.kv_heads;
        return group > most_queries || (m.qk_norm && group > 2) || row_lanes() * 8 != k_.plan.kv_row ? 2 : most_in_flight;
    }

    constexpr ptx::reg place_of(u32_t i, u32_t further) {
        using namespace ptx;
        const reg place = as_.b32();
        as_(op::add_u32, place, base_, sub_);
        as_(op::add_u32, place, place, i * step_ + further);
        return place;
    }
    constexpr void find(const attended_positions& p, u32_t i, u32_t further) {
        using namespace ptx;
        const u32_t block = k_.plan.config.kv_block;
        const reg place = place_of(i, further);
        const reg rest = as_.b32();
        as_(op::div_u32, position_[i], place, block);
        as_(op::rem_u32, rest, place, block);
        as_(op::mad_lo_u32, position_[i], position_[i], k_.plan.kv_splits, p.split);
        as_(op::mad_lo_u32, position_[i], position_[i], block, rest);
        const reg late = as_.predicate();
        as_(op::setp_ge_u32, late, position_[i], p.first);
        as_(op::and_pred, seen_[i], late, below(as_, position_[i], p.end));
    }
    /// Rows as they are stored; zeros where `loads` is false.
    constexpr void load(const attended_positions& p, u32_t i, u32_t further, ptx::reg loads) {
        const ptx::fragment<4> both_rows[] = {key_[i], value_[i]};
        for (const auto& f : both_rows)
            for (const auto& r : f.r) as_(ptx::op::mov_u32, r, 0U);
        load_more(p, i, further, loads);
    }
    constexpr void load_more(const attended_positions& p, u32_t i, u32_t further, ptx::reg loads) {
        using namespace ptx;
        const reg place = place_of(i, further);
        const reg good = both(as_, loads, own_);
        as_.when(good, op::ld_global_v4_b32, key_[i], at(element(as_, element(as_, p.keys, place, 2 * k_.plan.kv_row), part_, 16)));
        as_.when(good, op::ld_global_v4_b32, value_[i], at(element(as_, element(as_, p.values, place, 2 * k_.plan.kv_row), part_, 16)));
    }
    constexpr ptx::fragment<8> unpack(const ptx::fragment<4>& raw) {
        using namespace ptx;
        const auto out = as_.template fragment_of<8>(register_class::f32);
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
    constexpr void add_position(running_query& q, const ptx::fragment<8>& key, const ptx::fragment<8>& value, ptx::reg seen) {
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
    constexpr void merge(running_query& q, u32_t apart) {
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
        const auto merge_one = [&](reg r) {
            const reg other = from(r);
            const reg mine = as_.f32();
            as_(op::mul_f32, other, other, add);  // both products rounded: the two lanes then agree
            as_(op::mul_f32, mine, r, keep);
            as_(op::add_f32, r, mine, other);
        };
        merge_one(q.sum);
        for (const reg& v : q.values) merge_one(v);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    u32_t step_ = 0;  ///< places between those that follow each other in a warp
    ptx::reg sub_{}, part_{}, own_{};
    ptx::reg base_{}, position_[most_in_flight]{}, seen_[most_in_flight]{};
    ptx::fragment<4> key_[most_in_flight]{}, value_[most_in_flight]{};
};

}  // namespace netra::inline v0::persistent
