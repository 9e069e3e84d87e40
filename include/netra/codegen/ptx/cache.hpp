// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What rope_append and attention kernels share: loops over positions, sums of lanes16, elements of kv caches.
#pragma once

#include <netra/codegen/ptx/weights.hpp>
#include <netra/contracts/numerics.hpp>

namespace netra::inline v0::ptx {

/// Runs `body()` while `index` < `limit` (a register or a number), adding `step` to `index` after each.
template <class Sink, class Limit, class Body>
constexpr void strided(assembler<Sink>& as, reg index, const Limit& limit, u32_t step, Body&& body) {
    const reg outside = as.predicate();
    const code_label again = as.new_label();
    const code_label done = as.new_label();
    as.place(again);
    as(op::setp_ge_u32, outside, index, limit);
    as.when(outside, op::bra, done);
    body();
    as(op::add_u32, index, index, step);
    as(op::bra, again);
    as.place(done);
}

/// Runs `body()` while `left` >= `count`, subtracting `count` from `left` after each.
template <class Sink, class Body>
constexpr void while_left(assembler<Sink>& as, reg left, u32_t count, Body&& body) {
    const reg fewer = as.predicate();
    const code_label again = as.new_label();
    const code_label done = as.new_label();
    as.place(again);
    as(op::setp_lt_u32, fewer, left, count);
    as.when(fewer, op::bra, done);
    body();
    as(op::sub_u32, left, left, count);
    as(op::bra, again);
    as.place(done);
}

/// Combines `value` (fp32) of the 16 lanes of a half-warp, in all of them: lanes 8, 4, 2, 1 apart. With add it is the tree of lanes16.
template <class Sink>
constexpr void combine_16(assembler<Sink>& as, const opcode& how, reg value) {
    const reg other = as.f32();
    for (u32_t apart = reduction_lanes / 2; apart != 0; apart /= 2) {
        as(op::shfl_bfly, other, value, apart, 31U, -1);
        as(how, value, value, other);
    }
}

/// base + index * bytes: base is an address in shared memory (32 bits) or in global memory (64 bits).
template <class Sink>
constexpr reg element_at(assembler<Sink>& as, reg base, reg index, u64_t bytes) {
    const reg made = as.fresh(base.kind);
    if (base.kind == register_class::b32) {
        as(op::mad_lo_u32, made, index, static_cast<u32_t>(bytes), base);
    } else if (bytes <= 0xffffffffU) {
        as(op::mad_wide_u32, made, index, static_cast<u32_t>(bytes), base);
    } else {
        as(op::cvt_u64_u32, made, index);
        as(op::mad_lo_u64, made, made, bytes, base);
    }
    return made;
}

/// Stores one fp32 value as an element of a cache, only where `guard` is true.
template <class Sink>
constexpr void store_kv(assembler<Sink>& as, dtype kv, reg guard, const address& to, reg value) {
    if (kv == dtype::f32) return as.when(guard, op::st_global_f32, to, value);
    const reg half = as.b16();
    as(kv == dtype::f16 ? op::cvt_f16_f32 : op::cvt_bf16_f32, half, value);
    as.when(guard, op::st_global_b16, to, half);
}

/// Asks for `terms` (2, 4 or 8) elements of a cache. @pre the address is a multiple of their bytes, or of 16
template <class Sink>
constexpr raw_terms load_kv(assembler<Sink>& as, dtype kv, reg from, u64_t offset, u32_t terms = terms_of_lane) {
    raw_terms raw;
    const u32_t words = words_of_terms(weight_format(kv)) * terms / terms_of_lane;
    for (u32_t i = 0; i < words; ++i) raw[i] = as.b32();
    if (words == 1) as(op::ld_global_b32, raw[0], at(from, offset));
    if (words == 2) as(op::ld_global_v2_b32, fragment<2>{{raw[0], raw[1]}}, at(from, offset));
    for (u32_t i = 0; words >= 4 && i < words; i += 4)
        as(op::ld_global_v4_b32, fragment<4>{{raw[i], raw[i + 1], raw[i + 2], raw[i + 3]}}, at(from, offset + 4 * i));
    return raw;
}

}  // namespace netra::inline v0::ptx
