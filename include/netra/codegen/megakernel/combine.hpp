// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Merges the splits of a kv head: each block takes a slice of the elements, each lane of a warp one split.
#pragma once

#include <netra/codegen/megakernel/observe.hpp>

namespace netra::inline v0::persistent {

/// attended[head][d] = value / sum, 0 where there was nothing to attend to. `head` is counted through the rows.
template <class Sink>
constexpr void publish_quotient(block_code<Sink>& k, ptx::reg head, ptx::reg d, ptx::reg value, ptx::reg sum, ptx::reg epoch) {
    using namespace ptx;
    auto& as = k.as;
    const reg result = as.f32();
    const reg some = as.predicate();
    as(op::setp_gt_f32, some, sum, 0.0F);
    as(op::mov_f32, result, 0.0F);
    as.when(some, op::div_f32, result, value, sum);
    const reg index = as.b32();
    as(op::mad_lo_u32, index, head, k.plan.model.head_dim, d);
    publish(as, at(element(as, k.words, index, word_bytes), k.words_at.attended * word_bytes), result, epoch);
}

template <class Sink>
class combine_code {
  public:
    constexpr combine_code(block_code<Sink>& k, ptx::reg warp) : k_(k), as_(k.as), warp_(warp) {}

    /// This block's slice of every row of kv head `kv_head`.
    constexpr void run(ptx::reg kv_head, ptx::reg split, ptx::reg active, ptx::reg epoch) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        group_ = m.heads / m.kv_heads;
        elements_ = group_ * m.head_dim;
        slice_ = divided_up(elements_, k_.plan.kv_splits);
        kv_head_ = kv_head;
        first_ = as_.b32();
        as_(op::mul_lo_u32, first_, split, slice_);
        has_ = below(as_, k_.lane, active);
        epoch_ = epoch;
        const reg i = as_.b32();
        as_(op::mov_u32, i, warp_);
        count_up(as_, i, m.rows * slice_, attention_warps * at_once, [&] { merge(i); });
    }

  private:
    static constexpr u32_t at_once = 4;  ///< elements whose words are under way together

    struct part {
        ptx::reg exists{}, loads{}, head{}, d{};
        ptx::reg from{}, state{}, value{};
        ptx::fragment<2> raw{};
        ptx::reg raw_value{}, top{}, sum{};
    };
    constexpr void merge(ptx::reg i) {
        using namespace ptx;
        part parts[at_once];
        for (u32_t p = 0; p < at_once; ++p) find(parts[p], i, p);
        poll_words(
            k_, parts[0].from, epoch_,
            [&] {
                for (auto& p : parts) {
                    as_.when(p.loads, op::ld_relaxed_v2_b64, p.raw, at(p.from));
                    as_.when(p.loads, op::ld_relaxed_b64, p.raw_value, at(p.state));
                }
            },
            [&](reg seen) {
                for (auto& p : parts) {
                    open_word(as_, p.raw[0], p.top, epoch_, seen, &p.loads);
                    open_word(as_, p.raw[1], p.sum, epoch_, seen, &p.loads);
                    open_word(as_, p.raw_value, p.value, epoch_, seen, &p.loads);
                }
            });
        for (auto& p : parts) add_splits(p);
    }
    /// Element i + 4 p of the slice, counted through the rows.
    constexpr void find(part& p, ptx::reg i, u32_t number_of) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg index = as_.b32();
        const reg row = as_.b32();
        const reg element_of = as_.b32();
        as_(op::add_u32, index, i, number_of * attention_warps);
        as_(op::div_u32, row, index, slice_);
        as_(op::rem_u32, element_of, index, slice_);
        as_(op::add_u32, element_of, element_of, first_);
        p.exists = both(as_, {below(as_, index, m.rows * slice_), below(as_, element_of, elements_)});
        p.loads = both(as_, p.exists, has_);
        p.head = as_.b32();
        p.d = as_.b32();
        as_(op::div_u32, p.head, element_of, m.head_dim);
        as_(op::rem_u32, p.d, element_of, m.head_dim);
        as_(op::mad_lo_u32, p.head, kv_head_, group_, p.head);
        as_(op::mad_lo_u32, p.head, row, m.heads, p.head);
        const reg split = as_.b32();
        as_(op::mad_lo_u32, split, p.head, k_.plan.kv_splits, k_.lane);
        p.from = element(as_, k_.words, split, partial_words(k_.plan) * word_bytes);
        as_(op::add_u64, p.from, p.from, k_.words_at.partials * word_bytes);
        p.state = element(as_, p.from, p.d, word_bytes);
        as_(op::add_u64, p.state, p.state, 2 * word_bytes);
        p.raw = as_.template fragment_of<2>(register_class::b64);
        p.raw_value = as_.b64();
        const reg all[] = {p.raw[0], p.raw[1], p.raw_value};
        for (const reg& r : all) as_(op::mov_u64, r, 0U);
        p.top = as_.f32();
        p.sum = as_.f32();
        p.value = as_.f32();
    }
    /// Adds up over the lanes in a fixed order.
    constexpr void add_splits(part& p) {
        using namespace ptx;
        const reg other = as_.f32();
        const reg top = as_.f32();
        as_.unless(has_, op::mov_f32, p.top, -1e30F);
        as_(op::mov_f32, top, p.top);
        for (u32_t apart = 16; apart != 0; apart /= 2) {
            as_(op::shfl_bfly, other, top, apart, 31U, -1);
            as_(op::max_f32, top, top, other);
        }
        as_(op::sub_f32, p.top, p.top, top);
        as_(op::ex2_f32, p.top, p.top);
        const reg sums[] = {p.sum, p.value};
        for (const reg& r : sums) {
            as_(op::mul_f32, r, r, p.top);
            for (u32_t apart = 16; apart != 0; apart /= 2) {
                as_(op::shfl_bfly, other, r, apart, 31U, -1);
                as_(op::add_f32, r, r, other);
            }
        }
        where(as_, both(as_, p.exists, equals(as_, k_.lane, 0U)), [&] { publish_quotient(k_, p.head, p.d, p.value, p.sum, epoch_); });
        as_(op::bar_warp, -1);
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    ptx::reg warp_;
    u32_t group_ = 0, elements_ = 0, slice_ = 0;
    ptx::reg kv_head_{}, first_{}, has_{}, epoch_{};
};

}  // namespace netra::inline v0::persistent
