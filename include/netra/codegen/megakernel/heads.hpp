// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Queries, keys and values on their way from words into attention: polled by a warp, normalised per head where the model does so, rotated.
#pragma once

#include <netra/codegen/megakernel/observe.hpp>

namespace netra::inline v0::persistent {

/// Heads that a warp polls together.
inline constexpr u32_t most_heads_at_once = 4;
inline constexpr u32_t most_head_pairs = 4;

/// One head of one row, spread over a warp's lanes as pairs of elements.
struct head_registers {
    ptx::reg exists{};  ///< predicate
    ptx::reg index{};   ///< of the head among a row's queries, keys and values
    ptx::reg a[most_head_pairs]{}, b[most_head_pairs]{};
};

template <class Sink>
class head_code {
  public:
    constexpr head_code(block_code<Sink>& k) : k_(k), as_(k.as) {}

    /// Element numbers of this lane's pairs: rotary pairs first, then the elements that do not turn, two by two.
    constexpr void prepare() {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const u32_t dims = rotary_dims(angles(m));
        for (u32_t i = 0; i < pairs(); ++i) {
            pair_[i] = as_.b32();
            element_[i][0] = as_.b32();
            element_[i][1] = as_.b32();
            cosine_[i] = as_.f32();
            sine_[i] = as_.f32();
            as_(op::add_u32, pair_[i], k_.lane, 32 * i);
            inside_[i] = below(as_, pair_[i], m.head_dim / 2);
            turns_[i] = below(as_, pair_[i], dims / 2);
            as_(op::mul_lo_u32, element_[i][0], pair_[i], 2U);  // right for adjacent pairs and for elements that do not turn
            as_(op::add_u32, element_[i][1], element_[i][0], 1U);
            if (m.rope.pairing != rope_pairing::halves) continue;
            as_.when(turns_[i], op::mov_u32, element_[i][0], pair_[i]);
            as_.when(turns_[i], op::add_u32, element_[i][1], pair_[i], dims / 2);
        }
    }
    /// The cosines and sines of a position; pairs that do not turn have 1 and 0.
    constexpr void load_angles(ptx::reg position) {
        using namespace ptx;
        const u32_t dims = rotary_dims(angles(k_.plan.model));
        const reg row = element(as_, pointer(as_, "angles"), position, 4 * dims);
        for (u32_t i = 0; i < pairs(); ++i) {
            const reg at_pair = element(as_, row, pair_[i], 4);
            as_(op::mov_f32, cosine_[i], 1.0F);
            as_(op::mov_f32, sine_[i], 0.0F);
            as_.when(turns_[i], op::ld_global_nc_f32, cosine_[i], at(at_pair));
            as_.when(turns_[i], op::ld_global_nc_f32, sine_[i], at(at_pair, 2 * dims));
        }
    }
    /// The weights of a layer's query and key norms, asked for before the heads come.
    constexpr void load_norms(ptx::reg layer) {
        using namespace ptx;
        if (!k_.plan.model.qk_norm) return;
        const u32_t first[] = {k_.parameters_at.q_norm, k_.parameters_at.k_norm};
        for (u32_t which = 0; which < 2; ++which)
            for (u32_t i = 0; i < pairs(); ++i)
                for (u32_t h = 0; h < 2; ++h) {
                    norm_[which][i][h] = as_.f32();
                    as_(op::mov_f32, norm_[which][i][h], 0.0F);
                    as_.when(inside_[i], op::ld_global_nc_f32, norm_[which][i][h], at(element(as_, layer, element_[i][h], 4), 4 * first[which]));
                }
    }

    /// Polls `count` heads of a row together. @pre exists and index of each are set
    constexpr void read(head_registers (&heads)[most_heads_at_once], u32_t count, ptx::reg row, ptx::reg epoch) {
        using namespace ptx;
        reg raw[most_heads_at_once][most_head_pairs][2], from[most_heads_at_once][most_head_pairs][2], reads[most_heads_at_once][most_head_pairs];
        const reg first = as_.b32();
        as_(op::mul_lo_u32, first, row, qkv_width(k_.plan.model));
        for (u32_t n = 0; n < count; ++n) {
            const reg index = as_.b32();
            as_(op::mad_lo_u32, index, heads[n].index, k_.plan.model.head_dim, first);
            const reg base = element(as_, k_.words, index, word_bytes);
            for (u32_t i = 0; i < pairs(); ++i) {
                reads[n][i] = both(as_, inside_[i], heads[n].exists);
                for (u32_t h = 0; h < 2; ++h) {
                    from[n][i][h] = element(as_, base, element_[i][h], word_bytes);
                    raw[n][i][h] = as_.b64();
                    as_(op::mov_u64, raw[n][i][h], 0U);
                }
                heads[n].a[i] = as_.f32();
                heads[n].b[i] = as_.f32();
            }
        }
        const auto each = [&](auto&& body) {
            for (u32_t n = 0; n < count; ++n)
                for (u32_t i = 0; i < pairs(); ++i)
                    for (u32_t h = 0; h < 2; ++h) body(n, i, h);
        };
        poll_words(
            k_, from[0][0][0], epoch,
            [&] { each([&](u32_t n, u32_t i, u32_t h) { as_.when(reads[n][i], op::ld_relaxed_b64, raw[n][i][h], at(from[n][i][h], k_.words_at.qkv * word_bytes)); }); },
            [&](reg seen) { each([&](u32_t n, u32_t i, u32_t h) { open_word(as_, raw[n][i][h], h == 0 ? heads[n].a[i] : heads[n].b[i], epoch, seen, &reads[n][i]); }); });
    }

    /// Normalises (a query or a key) and rotates.
    constexpr void turn(head_registers& h, bool key) {
        if (k_.plan.model.qk_norm) normalise(h, norm_[key ? 1 : 0]);
        rotate(h);
    }
    /// Values times `scale` as fp32 to shared memory at `to`, zeros behind them up to the padded width.
    constexpr void store_query(const head_registers& head, ptx::reg to, float scale) {
        using namespace ptx;
        for (u32_t i = 0; i < pairs(); ++i)
            for (u32_t h = 0; h < 2; ++h) {
                const reg v = as_.f32();
                const reg address = as_.b32();
                as_(op::mul_f32, v, h == 0 ? head.a[i] : head.b[i], scale);
                as_(op::mad_lo_u32, address, element_[i][h], 4U, to);
                as_.when(inside_[i], op::st_shared_f32, at(address), v);
            }
        pad([&](reg p, reg place) {
            const reg address = as_.b32();
            as_(op::mad_lo_u32, address, place, 4U, to);
            as_.when(p, op::st_shared_b32, at(address), number(as_, 0));
        });
    }
    /// Values as bf16 to the cache row at `to`, zeros behind them.
    constexpr void store_cache(const head_registers& head, ptx::reg to) {
        using namespace ptx;
        for (u32_t i = 0; i < pairs(); ++i)
            for (u32_t h = 0; h < 2; ++h) {
                const reg half = as_.b16();
                as_(op::cvt_bf16_f32, half, h == 0 ? head.a[i] : head.b[i]);
                as_.when(inside_[i], op::st_global_b16, at(element(as_, to, element_[i][h], 2)), half);
            }
        pad([&](reg p, reg place) {
            const reg zero = as_.b16();
            as_(op::mov_b16, zero, 0U);
            as_.when(p, op::st_global_b16, at(element(as_, to, place, 2)), zero);
        });
    }

  private:
    constexpr u32_t pairs() const { return divided_up(k_.plan.model.head_dim / 2, 32); }
    template <class Body>
    constexpr void pad(Body&& body) {
        using namespace ptx;
        const u32_t missing = k_.plan.kv_row - k_.plan.model.head_dim;
        if (missing == 0) return;
        const reg place = as_.b32();
        as_(op::add_u32, place, k_.lane, k_.plan.model.head_dim);
        body(below(as_, k_.lane, missing), place);
    }
    constexpr void normalise(head_registers& head, const ptx::reg (&weight)[most_head_pairs][2]) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg sum = as_.f32();
        const reg other = as_.f32();
        as_(op::mov_f32, sum, 0.0F);
        for (u32_t i = 0; i < pairs(); ++i) {
            as_(op::fma_f32, sum, head.a[i], head.a[i], sum);
            as_(op::fma_f32, sum, head.b[i], head.b[i], sum);
        }
        for (u32_t apart = 16; apart != 0; apart /= 2) {
            as_(op::shfl_bfly, other, sum, apart, 31U, -1);
            as_(op::add_f32, sum, sum, other);
        }
        as_(op::fma_f32, sum, sum, 1.0F / static_cast<float>(m.head_dim), append(m).norm_eps);
        as_(op::rsqrt_f32, sum, sum);
        for (u32_t i = 0; i < pairs(); ++i)
            for (u32_t h = 0; h < 2; ++h) {
                const reg v = h == 0 ? head.a[i] : head.b[i];
                as_(op::mul_f32, v, v, sum);
                as_(op::mul_f32, v, v, weight[i][h]);
            }
    }
    constexpr void rotate(head_registers& head) {
        using namespace ptx;
        for (u32_t i = 0; i < pairs(); ++i) {
            const reg x = as_.f32();
            const reg y = as_.f32();
            as_(op::mul_f32, x, head.b[i], sine_[i]);
            as_(op::neg_f32, x, x);
            as_(op::fma_f32, x, head.a[i], cosine_[i], x);
            as_(op::mul_f32, y, head.a[i], sine_[i]);
            as_(op::fma_f32, head.b[i], head.b[i], cosine_[i], y);
            as_(op::mov_f32, head.a[i], x);
        }
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::reg pair_[most_head_pairs]{}, element_[most_head_pairs][2]{}, inside_[most_head_pairs]{}, turns_[most_head_pairs]{};
    ptx::reg cosine_[most_head_pairs]{}, sine_[most_head_pairs]{};
    ptx::reg norm_[2][most_head_pairs][2]{};
};

}  // namespace netra::inline v0::persistent
