// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What attention found on its way to other blocks: one split that has everything publishes the result, several publish their parts.
#pragma once

#include <netra/codegen/megakernel/combine.hpp>
#include <netra/codegen/megakernel/queries.hpp>

namespace netra::inline v0::persistent {

template <class Sink>
class result_code {
  public:
    constexpr result_code(block_code<Sink>& k, ptx::reg thread, ptx::reg warp) : k_(k), as_(k.as), thread_(thread), warp_(warp) {}

    constexpr void begin(ptx::reg kv_head, ptx::reg split, ptx::reg active, ptx::reg epoch) {
        kv_head_ = kv_head;
        split_ = split;
        active_ = active;
        epoch_ = epoch;
    }

    // positions were shared among the warps

    constexpr void store_state(query_code<Sink>& queries, const running_query& q, u32_t index) {
        using namespace ptx;
        const reg to = as_.b32();
        as_(op::mad_lo_u32, to, warp_, most_queries * state_bytes(), k_.shared);
        const u32_t state = k_.shared_at.states + index * state_bytes();
        const reg first = queries.publishes();
        as_.when(first, op::st_shared_f32, at(to, state), q.top);
        as_.when(first, op::st_shared_f32, at(to, state + 4), q.sum);
        as_(op::mad_lo_u32, to, queries.part(), 32U, to);
        for (u32_t d = 0; d < 8; ++d) as_.when(first, op::st_shared_f32, at(to, state + 8 + 4 * d), q.values[d]);
    }
    /// Merges what the warps found in a fixed order; a thread an element.
    constexpr void publish_states(ptx::reg row, ptx::reg first, u32_t batch) {
        using namespace ptx;
        const auto& m = k_.plan.model;
        const reg i = as_.b32();
        as_(op::mov_u32, i, thread_);
        count_up(as_, i, batch * m.head_dim, 32 * attention_warps, [&] {
            const reg query = as_.b32();
            const reg d = as_.b32();
            const reg from = as_.b32();
            const reg element_from = as_.b32();
            as_(op::div_u32, query, i, m.head_dim);
            as_(op::rem_u32, d, i, m.head_dim);
            as_(op::mad_lo_u32, from, query, state_bytes(), k_.shared);
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
            const reg of_group = as_.b32();
            as_(op::add_u32, of_group, first, query);
            where(as_, below(as_, of_group, group()), [&] { publish_result(row_head(row, of_group), d, top, sum, value); });
        });
    }

    // a warp had all positions

    constexpr void publish_query(query_code<Sink>& queries, const running_query& q, ptx::reg row, ptx::reg of_group) {
        using namespace ptx;
        where(as_, both(as_, {queries.publishes(), below(as_, of_group, group())}), [&] {
            const reg head = row_head(row, of_group);
            for (u32_t i = 0; i < 8; ++i) {
                const reg d = as_.b32();
                as_(op::mad_lo_u32, d, queries.part(), 8U, i);
                const auto one = [&] { publish_result(head, d, q.top, q.sum, q.values[i]); };
                if (k_.plan.kv_row == k_.plan.model.head_dim) one();
                else where(as_, below(as_, d, k_.plan.model.head_dim), one);
            }
        });
    }

  private:
    constexpr u32_t group() const { return k_.plan.model.heads / k_.plan.model.kv_heads; }
    constexpr u32_t state_bytes() const { return 4 * (2 + k_.plan.kv_row); }

    /// A query head counted through the rows.
    constexpr ptx::reg row_head(ptx::reg row, ptx::reg of_group) {
        using namespace ptx;
        const reg head = as_.b32();
        as_(op::mad_lo_u32, head, kv_head_, group(), of_group);
        as_(op::mad_lo_u32, head, row, k_.plan.model.heads, head);
        return head;
    }
    /// One split that has everything publishes the result, several publish their parts.
    constexpr void publish_result(ptx::reg head, ptx::reg d, ptx::reg top, ptx::reg sum, ptx::reg value) {
        using namespace ptx;
        const code_label parts = as_.new_label();
        const code_label done = as_.new_label();
        if (k_.plan.kv_splits > 1) {
            const reg several = as_.predicate();
            as_(op::setp_gt_u32, several, active_, 1U);
            as_.when(several, op::bra, parts);
        }
        publish_quotient(k_, head, d, value, sum, epoch_);
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
    ptx::reg kv_head_{}, split_{}, active_{}, epoch_{};
};

}  // namespace netra::inline v0::persistent
