// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Queries and keys as attention takes them: polled by a warp, normalised per head where the model does so, rotated; keys and values appended.
#pragma once

#include <netra/codegen/megakernel/block.hpp>

namespace netra::inline v0::persistent {

/// One warp's work on one head of one row.
template <class Sink>
class head_code {
  public:
    constexpr head_code(block_code<Sink>& k) : k_(k), as_(k.as) {}

    /// Element numbers of this lane's pairs: rotary pairs first, then the elements that do not turn, two by two.
    constexpr void prepare() {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const u32_t dims = rotary_dims(angles(m));
        const bool halves = m.rope.pairing == rope_pairing::halves;
        for (u32_t i = 0; i < pairs(); ++i) {
            pair_[i] = as_.b32();
            first_[i] = as_.b32();
            second_[i] = as_.b32();
            as_(op::add_u32, pair_[i], k_.lane, 32 * i);
            inside_[i] = below(as_, pair_[i], m.head_dim / 2);
            turns_[i] = below(as_, pair_[i], dims / 2);
            as_(op::mul_lo_u32, first_[i], pair_[i], 2U);  // right for adjacent pairs and for elements that do not turn
            as_(op::add_u32, second_[i], first_[i], 1U);
            if (!halves) continue;
            as_.when(turns_[i], op::mov_u32, first_[i], pair_[i]);
            as_.when(turns_[i], op::add_u32, second_[i], pair_[i], dims / 2);
        }
    }

    /// Reads a head (`index`: its first word in qkv), normalises and rotates it; values stand in `a` and `b`.
    constexpr void load(ptx::reg index, ptx::reg epoch, ptx::reg layer, u32_t norm, ptx::reg position) {
        using namespace ptx;
        read_pairs(index, epoch);
        if (k_.plan.model.qk_norm) normalise(layer, norm);
        rotate(position);
    }
    /// Reads a head as it is.
    constexpr void load_plain(ptx::reg index, ptx::reg epoch) { read_pairs(index, epoch); }

    /// Values times `scale` as fp32 to shared memory at `to`, zeros behind them up to the padded width.
    constexpr void store_query(ptx::reg to, float scale) {
        using namespace ptx;
        each([&](u32_t i) {
            const reg values[] = {a_[i], b_[i]};
            const reg places[] = {first_[i], second_[i]};
            for (u32_t h = 0; h < 2; ++h) {
                const reg v = as_.f32();
                const reg address = as_.b32();
                as_(op::mul_f32, v, values[h], scale);
                as_(op::mad_lo_u32, address, places[h], 4U, to);
                as_.when(inside_[i], op::st_shared_f32, at(address), v);
            }
        });
        pad([&](reg p, reg element) {
            const reg address = as_.b32();
            as_(op::mad_lo_u32, address, element, 4U, to);
            as_.when(p, op::st_shared_b32, at(address), number(as_, 0));
        });
    }
    /// Values as bf16 to the cache row at `to`, zeros behind them.
    constexpr void store_cache(ptx::reg to) {
        using namespace ptx;
        each([&](u32_t i) {
            const reg values[] = {a_[i], b_[i]};
            const reg places[] = {first_[i], second_[i]};
            for (u32_t h = 0; h < 2; ++h) {
                const reg half = as_.b16();
                as_(op::cvt_bf16_f32, half, values[h]);
                as_.when(inside_[i], op::st_global_b16, at(element(as_, to, places[h], 2)), half);
            }
        });
        pad([&](reg p, reg place) {
            const reg zero = as_.b16();
            as_(op::mov_b16, zero, 0U);
            as_.when(p, op::st_global_b16, at(element(as_, to, place, 2)), zero);
        });
    }

  private:
    static constexpr u32_t most_pairs = 4;
    constexpr u32_t pairs() const { return divided_up(k_.plan.model.head_dim / 2, 32); }
    template <class Body>
    constexpr void each(Body&& body) {
        for (u32_t i = 0; i < pairs(); ++i) body(i);
    }
    template <class Body>
    constexpr void pad(Body&& body) {
        using namespace ptx;
        const u32_t missing = k_.plan.kv_row - k_.plan.model.head_dim;
        if (missing == 0) return;
        const reg element = as_.b32();
        as_(op::add_u32, element, k_.lane, k_.plan.model.head_dim);
        body(below(as_, k_.lane, missing), element);
    }

    constexpr void read_pairs(ptx::reg index, ptx::reg epoch) {
        using namespace ptx;
        const reg head = element(as_, k_.words, index, word_bytes);
        as_(op::add_u64, head, head, k_.words_at.qkv * word_bytes);
        reg raw[most_pairs][2];
        reg from[most_pairs][2];
        each([&](u32_t i) {
            const reg places[] = {first_[i], second_[i]};
            for (u32_t h = 0; h < 2; ++h) {
                from[i][h] = element(as_, head, places[h], word_bytes);
                raw[i][h] = as_.b64();
                as_(op::mov_u64, raw[i][h], 0U);
            }
            a_[i] = as_.f32();
            b_[i] = as_.f32();
        });
        poll(k_, head, epoch, [&](reg seen) {
            each([&](u32_t i) {
                for (u32_t h = 0; h < 2; ++h) as_.when(inside_[i], op::ld_relaxed_b64, raw[i][h], at(from[i][h]));
            });
            as_(op::mov_u32, seen, epoch);
            each([&](u32_t i) {
                for (u32_t h = 0; h < 2; ++h) {
                    const reg low = as_.b32();
                    const reg got = as_.b32();
                    const reg late = as_.predicate();
                    as_(op::mov_b64, fragment<2>{{low, got}}, raw[i][h]);
                    as_(op::mov_b32, h == 0 ? a_[i] : b_[i], low);
                    as_(op::setp_ne_u32, late, got, epoch);
                    as_.when(both(as_, late, inside_[i]), op::mov_u32, seen, got);
                }
            });
            const reg all = as_.predicate();
            as_(op::vote_all, all, equals(as_, seen, epoch), -1);
            return all;
        });
    }
    constexpr void normalise(ptx::reg layer, u32_t norm) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg sum = as_.f32();
        const reg other = as_.f32();
        as_(op::mov_f32, sum, 0.0F);
        each([&](u32_t i) {
            as_(op::fma_f32, sum, a_[i], a_[i], sum);
            as_(op::fma_f32, sum, b_[i], b_[i], sum);
        });
        for (u32_t apart = 16; apart != 0; apart /= 2) {
            as_(op::shfl_bfly, other, sum, apart, 31U, -1);
            as_(op::add_f32, sum, sum, other);
        }
        as_(op::fma_f32, sum, sum, 1.0F / static_cast<float>(m.head_dim), append(m).norm_eps);
        as_(op::rsqrt_f32, sum, sum);
        each([&](u32_t i) {
            const reg values[] = {a_[i], b_[i]};
            const reg places[] = {first_[i], second_[i]};
            for (u32_t h = 0; h < 2; ++h) {
                const reg w = as_.f32();
                as_(op::mov_f32, w, 0.0F);
                as_.when(inside_[i], op::ld_global_nc_f32, w, at(element(as_, layer, places[h], 4), 4 * norm));
                as_(op::mul_f32, values[h], values[h], sum);
                as_(op::mul_f32, values[h], values[h], w);
            }
        });
    }
    constexpr void rotate(ptx::reg position) {
        using namespace ptx;
        const u32_t dims = rotary_dims(angles(k_.plan.model));
        const reg row = element(as_, pointer(as_, "angles"), position, 4 * dims);
        each([&](u32_t i) {
            const reg at_pair = element(as_, row, pair_[i], 4);
            const reg cosine = as_.f32();
            const reg sine = as_.f32();
            as_(op::mov_f32, cosine, 1.0F);
            as_(op::mov_f32, sine, 0.0F);
            as_.when(turns_[i], op::ld_global_nc_f32, cosine, at(at_pair));
            as_.when(turns_[i], op::ld_global_nc_f32, sine, at(at_pair, 2 * dims));
            const reg x = as_.f32();
            const reg y = as_.f32();
            const reg minus = as_.f32();
            as_(op::mul_f32, x, b_[i], sine);
            as_(op::neg_f32, minus, x);
            as_(op::fma_f32, x, a_[i], cosine, minus);
            as_(op::mul_f32, y, a_[i], sine);
            as_(op::fma_f32, b_[i], b_[i], cosine, y);
            as_(op::mov_f32, a_[i], x);
        });
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::reg pair_[most_pairs]{}, first_[most_pairs]{}, second_[most_pairs]{}, inside_[most_pairs]{}, turns_[most_pairs]{};
    ptx::reg a_[most_pairs]{}, b_[most_pairs]{};
};

}  // namespace netra::inline v0::persistent
