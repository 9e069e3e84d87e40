// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Merging chunks of attention in PTX, and the kernel that merges those of all splits.
#pragma once

#include <netra/codegen/ptx/cache.hpp>
#include <netra/codegen/ptx/math.hpp>
#include <netra/codegen/ptx/module.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

namespace ptx {

/// (maximum, sum, one value) of a chunk, or of all chunks so far.
struct merged_column {
    reg top{};
    reg sum{};
    reg value{};
};

template <class Sink>
constexpr merged_column no_chunk(assembler<Sink>& as) {
    const merged_column made{as.f32(), as.f32(), as.f32()};
    as(op::mov_f32, made.top, -__builtin_inff());
    as(op::mov_f32, made.sum, 0.0F);
    as(op::mov_f32, made.value, 0.0F);
    return made;
}

/// Loads the column at `value` (of a head whose results begin at `head`) from global memory (64 bits) or shared memory (32 bits).
template <class Sink>
constexpr merged_column load_column(assembler<Sink>& as, reg head, reg value, u64_t offset) {
    const opcode& load = head.kind == register_class::b64 ? op::ld_global_f32 : op::ld_shared_f32;
    const merged_column made{as.f32(), as.f32(), as.f32()};
    as(load, made.top, at(head, offset));
    as(load, made.sum, at(head, offset + 4));
    as(load, made.value, at(value, offset + 8));
    return made;
}

/// merge_chunk of the contract for one column; the first chunk comes out as it is, because e^-inf is cut to 1e-38 and multiplies zeros.
template <class Sink>
constexpr void merge_column(assembler<Sink>& as, const merged_column& chunk, const merged_column& running) {
    const reg top = as.f32();
    const reg keep = as.f32();
    const reg add = as.f32();
    as(op::max_f32, top, chunk.top, running.top);
    as(op::sub_f32, keep, running.top, top);
    as(op::sub_f32, add, chunk.top, top);
    as(op::mov_f32, running.top, top);
    const reg kept = exp_of(as, keep);
    const reg added = exp_of(as, add);
    as(op::mul_f32, running.sum, running.sum, kept);
    as(op::fma_f32, running.sum, chunk.sum, added, running.sum);
    as(op::mul_f32, running.value, running.value, kept);
    as(op::fma_f32, running.value, chunk.value, added, running.value);
}

/// The positions that a row sees: first ... last, and their chunks.
struct seen_span {
    reg first{};
    reg last{};
    reg first_chunk{};
    reg chunks_end{};
};
/// `position` is a parameter that points to the position of row 0; rows beyond the context see what the last position sees.
template <class Sink>
constexpr seen_span find_seen(assembler<Sink>& as, const attention& c, reg row) {
    const seen_span s{as.b32(), as.b32(), as.b32(), as.b32()};
    const reg from = as.b64();
    as(op::ld_param_u64, from, named_address{"position"});
    as(op::ld_global_b32, s.last, at(from));
    as(op::min_u32, s.last, s.last, c.context);  // so that adding the row cannot wrap
    as(op::add_u32, s.last, s.last, row);
    as(op::min_u32, s.last, s.last, c.context - 1);
    as(op::mov_u32, s.first, 0U);
    if (c.window != 0 && c.window < c.context) {
        as(op::add_u32, s.first, s.last, 1U);
        as(op::max_u32, s.first, s.first, c.window);
        as(op::sub_u32, s.first, s.first, c.window);
    }
    as(op::div_u32, s.first_chunk, s.first, c.chunk);
    as(op::div_u32, s.chunks_end, s.last, c.chunk);
    as(op::add_u32, s.chunks_end, s.chunks_end, 1U);
    return s;
}

}  // namespace ptx

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
    u32_t threads = 128;
    u32_t unroll = 16;  ///< chunks that are loaded before the first is merged
    friend constexpr bool operator==(const attention_combine_tactic&, const attention_combine_tactic&) = default;
};

/// A thread merges one column of a row and head, chunks in ascending order: the same bits as an attention of one split.
/// partials: [rows] times what partial_offset describes; out: [rows][heads][head_dim].
struct attention_combine_kernel {
    attention c{};
    attention_combine_tactic tactic{};

    constexpr name entry() const { return name{identify(combine(c)).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"partials", "position", "out"}); }
    constexpr u64_t columns() const { return u64_t{c.rows} * c.heads * c.head_dim; }
    constexpr kernel_launch launch() const { return {.blocks = static_cast<u32_t>((columns() + tactic.threads - 1) / tactic.threads), .threads = tactic.threads}; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const reg index = as.b32();
        const reg thread = as.b32();
        const reg row = as.b32();
        as(op::mov_u32, index, block_index);
        as(op::mov_u32, thread, thread_index);
        as(op::mad_lo_u32, index, index, tactic.threads, thread);
        end_from(as, index, static_cast<u32_t>(columns()));
        as(op::div_u32, row, index, c.heads * c.head_dim);
        const seen_span seen = find_seen(as, c, row);
        const reg chunk = as.b32();
        const reg left = as.b32();
        as(op::mov_u32, chunk, seen.first_chunk);
        as(op::sub_u32, left, seen.chunks_end, seen.first_chunk);
        const reg first = first_partial(as, index, row);
        const reg column = as.b32();
        as(op::rem_u32, column, index, c.head_dim);
        const merged_column running = no_chunk(as);
        for (u32_t n = tactic.unroll; n != 0; n /= 4) while_left(as, left, n, [&] { merge(as, running, first, column, chunk, n); });
        as(op::div_f32, running.value, running.value, running.sum);
        as(op::st_global_f32, at(pointer_to(as, "out", index, 4)), running.value);
        as(op::ret);
    }

private:
    /// Where the results of chunk 0 of the row's head lie.
    template <class Sink>
    constexpr ptx::reg first_partial(ptx::assembler<Sink>& as, ptx::reg index, ptx::reg row) const {
        using namespace ptx;
        const u32_t group = c.heads / c.kv_heads;
        const reg head = as.b32();
        const reg kv_head = as.b32();
        const reg from = as.b64();
        as(op::div_u32, head, index, c.head_dim);
        as(op::rem_u32, head, head, c.heads);
        as(op::div_u32, kv_head, head, group);
        as(op::rem_u32, head, head, group);
        as(op::ld_param_u64, from, named_address{"partials"});
        const u64_t head_bytes = 4 * chunk_slots(c) * partial_values(c);
        return element_at(as, element_at(as, element_at(as, from, row, partial_bytes(c)), kv_head, head_bytes * group * c.splits), head, head_bytes);
    }
    template <class Sink>
    constexpr void merge(ptx::assembler<Sink>& as, const ptx::merged_column& running, ptx::reg first, ptx::reg column, ptx::reg chunk, u32_t count) const {
        using namespace ptx;
        const u64_t chunk_bytes = 4 * partial_values(c);
        merged_column loaded[16];
        for (u32_t i = 0; i < count; ++i) {
            const reg split = as.b32();
            const reg slot = as.b32();
            as(op::rem_u32, split, chunk, c.splits);
            as(op::div_u32, slot, chunk, c.splits);
            const reg head = element_at(as, element_at(as, first, split, chunk_bytes * chunk_slots(c) * (c.heads / c.kv_heads)), slot, chunk_bytes);
            loaded[i] = load_column(as, head, element_at(as, head, column, 4), 0);
            as(op::add_u32, chunk, chunk, 1U);
        }
        for (u32_t i = 0; i < count; ++i) merge_column(as, loaded[i], running);
    }
};

constexpr attention_combine_kernel kernel_of(const attention_combine& c) { return {.c = c.of}; }
constexpr verdict check_kernel(const attention_combine& c) {
    if (verdict v = check(c); !v.ok()) return v;
    return detail::checking{"attention"}.size("columns of all rows", kernel_of(c).columns(), max_dimension).result;
}

}  // namespace netra::inline v0
