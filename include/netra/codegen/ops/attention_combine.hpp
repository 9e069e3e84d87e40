// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The kernel that merges the chunks of all splits of an attention in PTX: a warp 32 columns of a row and head.
#pragma once

#include <netra/codegen/ops/attention_merge.hpp>
#include <netra/codegen/ptx/module.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

/// The second half of an attention whose `splits` are more than 1.
struct attention_combine {
    attention of{};
    friend constexpr bool operator==(const attention_combine&, const attention_combine&) = default;
};
constexpr attention_combine combine(const attention& c) { return {c}; }
constexpr verdict check(const attention_combine& c) { return check(c.of); }
template <class Sink>
constexpr void describe(Sink& out, const attention_combine& c) {
    out.lit("combine of ");
    describe(out, c.of);
}

struct attention_combine_tactic {
    u32_t warps = 4;
    friend constexpr bool operator==(const attention_combine_tactic&, const attention_combine_tactic&) = default;
};

/// A warp merges 32 columns of a row and head, chunks in ascending order: the same bits as an attention of one split.
/// partials: [rows] times what partial_offset describes; out: [rows][heads][head_dim].
struct attention_combine_kernel {
    attention c{};
    attention_combine_tactic tactic{};

    constexpr name entry() const { return name{identify(combine(c)).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"partials", "position", "out"}); }
    constexpr u32_t pieces() const { return (c.head_dim + lanes - 1) / lanes; }
    constexpr u64_t warps() const { return u64_t{c.rows} * c.heads * pieces(); }
    constexpr kernel_launch launch() const { return {.blocks = static_cast<u32_t>((warps() + tactic.warps - 1) / tactic.warps), .threads = lanes * tactic.warps}; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const warp_place place = find_place(as, tactic.warps);
        end_from(as, place.warp, static_cast<u32_t>(warps()));
        const reg head = as.b32();  // numbered over all rows
        const reg column = as.b32();
        const reg row = as.b32();
        as(op::rem_u32, column, place.warp, pieces());
        as(op::div_u32, head, place.warp, pieces());
        as(op::mad_lo_u32, column, column, lanes, place.lane);
        as(op::div_u32, row, head, c.heads);
        const seen_span seen = find_seen(as, c, row);
        const reg inside = as.b32();
        as(op::min_u32, inside, column, c.head_dim - 1);
        const place_state s{place.lane, inside, first_partial(as, head, row), seen.chunks_end};
        const merged_column running = no_chunk(as);
        const reg chunk = as.b32();
        as(op::mov_u32, chunk, seen.first_chunk);
        strided(as, chunk, seen.chunks_end, lanes, [&] { merge_chunks(as, s, chunk, running); });
        as(op::bar_warp, -1);
        end_from(as, column, c.head_dim);
        as(op::div_f32, running.value, running.value, running.sum);
        as(op::st_global_f32, at(element_at(as, pointer_to(as, "out", head, 4 * c.head_dim), column, 4)), running.value);
        as(op::ret);
    }

private:
    static constexpr u32_t lanes = 32;
    struct place_state {
        ptx::reg lane{};
        ptx::reg column{};
        ptx::reg first{};  ///< results of chunk 0 of the row's head
        ptx::reg end{};    ///< of the chunks
    };

    template <class Sink>
    constexpr ptx::reg first_partial(ptx::assembler<Sink>& as, ptx::reg head_of_all, ptx::reg row) const {
        using namespace ptx;
        const u32_t group = c.heads / c.kv_heads;
        const reg head = as.b32();
        const reg kv_head = as.b32();
        const reg from = as.b64();
        as(op::rem_u32, head, head_of_all, c.heads);
        as(op::div_u32, kv_head, head, group);
        as(op::rem_u32, head, head, group);
        as(op::ld_param_u64, from, named_address{"partials"});
        const u64_t head_bytes = 4 * chunk_slots(c) * partial_values(c);
        return element_at(as, element_at(as, element_at(as, from, row, partial_bytes(c)), kv_head, head_bytes * group * c.splits), head, head_bytes);
    }
    template <class Sink>
    constexpr ptx::reg results_of(ptx::assembler<Sink>& as, const place_state& s, ptx::reg chunk) const {
        using namespace ptx;
        const u64_t chunk_bytes = 4 * partial_values(c);
        const reg split = as.b32();
        const reg slot = as.b32();
        as(op::rem_u32, split, chunk, c.splits);
        as(op::div_u32, slot, chunk, c.splits);
        return element_at(as, element_at(as, s.first, split, chunk_bytes * chunk_slots(c) * (c.heads / c.kv_heads)), slot, chunk_bytes);
    }

    /// The next 32 chunks: lane l finds the factors of chunk l, then all take them in turn. A chunk that is not there changes nothing: its
    /// maximum is -inf, its sum and values are 0.
    template <class Sink>
    constexpr void merge_chunks(ptx::assembler<Sink>& as, const place_state& s, ptx::reg chunk, const ptx::merged_column& running) const {
        using namespace ptx;
        const reg own = as.b32();
        const reg present = as.predicate();
        const merged_column mine = no_chunk(as);
        as(op::add_u32, own, chunk, s.lane);
        as(op::setp_lt_u32, present, own, s.end);
        const reg results = results_of(as, s, own);
        as.when(present, op::ld_global_f32, mine.top, at(results));
        as.when(present, op::ld_global_f32, mine.sum, at(results, 4));
        fragment<lanes> values;
        for (u32_t i = 0; i < lanes; ++i) {
            values[i] = as.f32();
            as(op::add_u32, own, chunk, i);
            as(op::setp_lt_u32, present, own, s.end);
            as(op::mov_f32, values[i], 0.0F);
            as.when(present, op::ld_global_f32, values[i], at(element_at(as, results_of(as, s, own), s.column, 4), 8));
        }
        const auto [kept, added] = factors(as, s, mine.top, running.top);
        const auto step = as.template fragment_of<3>(register_class::f32);
        for (u32_t i = 0; i < lanes; ++i) {
            as(op::shfl_idx, step[0], kept, i, 31U, -1);
            as(op::shfl_idx, step[1], added, i, 31U, -1);
            as(op::shfl_idx, step[2], mine.sum, i, 31U, -1);
            as(op::mul_f32, running.sum, running.sum, step[0]);
            as(op::fma_f32, running.sum, step[2], step[1], running.sum);
            as(op::mul_f32, running.value, running.value, step[0]);
            as(op::fma_f32, running.value, values[i], step[1], running.value);
        }
    }
    struct chunk_factors {
        ptx::reg kept{};
        ptx::reg added{};
    };
    /// What lane l's chunk does to all before it and to itself; `before` becomes the maximum of all.
    template <class Sink>
    constexpr chunk_factors factors(ptx::assembler<Sink>& as, const place_state& s, ptx::reg top, ptx::reg before) const {
        using namespace ptx;
        const reg most = as.f32();  // of the chunks up to the lane's
        const reg other = as.f32();
        const reg kept = as.f32();
        const reg added = as.f32();
        const reg lane = as.b32();
        const reg first = as.predicate();
        as(op::max_f32, most, top, before);
        for (u32_t apart = 1; apart < lanes; apart *= 2) {
            as(op::max_u32, lane, s.lane, apart);
            as(op::sub_u32, lane, lane, apart);
            as(op::shfl_idx, other, most, lane, 31U, -1);
            as(op::max_f32, most, most, other);
        }
        as(op::max_u32, lane, s.lane, 1U);
        as(op::sub_u32, lane, lane, 1U);
        as(op::shfl_idx, kept, most, lane, 31U, -1);
        as(op::setp_eq_u32, first, s.lane, 0U);
        as.when(first, op::mov_f32, kept, before);
        as(op::shfl_idx, before, most, lanes - 1, 31U, -1);
        as(op::sub_f32, kept, kept, most);
        as(op::sub_f32, added, top, most);
        const reg kept_power = exp_of(as, kept);
        return {kept_power, exp_of(as, added)};
    }
};

constexpr attention_combine_kernel kernel_of(const attention_combine& c) { return {.c = c.of}; }
constexpr verdict check_kernel(const attention_combine& c) {
    if (verdict v = check(c); !v.ok()) return v;
    return detail::checking{"attention"}.size("columns of all rows", u64_t{c.of.rows} * c.of.heads * c.of.head_dim, max_dimension).result;
}

}  // namespace netra::inline v0
