// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Merging chunks of attention in PTX.
#pragma once

#include <netra/codegen/ptx/cache.hpp>
#include <netra/codegen/ptx/math.hpp>
#include <netra/contracts/ops/attention.hpp>

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

}  // namespace netra::inline v0
