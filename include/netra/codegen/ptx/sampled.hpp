// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The arithmetic of a draw in instructions, bit for bit as contracts/ops/sampling.hpp has it.
#pragma once

#include <netra/codegen/ptx/assembler.hpp>
#include <netra/contracts/ops/sampling.hpp>

namespace netra::inline v0::ptx {

/// sampled::logit, in place.
template <class Sink>
constexpr void settle_logit(assembler<Sink>& as, reg l) {
    const reg number = as.predicate();
    as(op::setp_eq_f32, number, l, l);
    as(op::add_f32, l, l, 0.0F);
    as.unless(number, op::mov_f32, l, -__builtin_inff());
}
template <class Sink>
constexpr reg ordered_of(assembler<Sink>& as, reg l) {
    const reg bits = as.b32();
    const reg flip = as.b32();
    as(op::mov_b32, bits, l);
    as(op::shr_s32, flip, bits, 31U);
    as(op::or_b32, flip, flip, 0x80000000U);
    as(op::xor_b32, bits, bits, flip);
    return bits;
}
/// The number that ordered_of made `key` of.
template <class Sink>
constexpr reg number_of(assembler<Sink>& as, reg key) {
    const reg flip = as.b32();
    const reg l = as.f32();
    as(op::not_b32, flip, key);
    as(op::shr_s32, flip, flip, 31U);
    as(op::or_b32, flip, flip, 0x80000000U);
    as(op::xor_b32, flip, flip, key);
    as(op::mov_b32, l, flip);
    return l;
}

/// power x ln(2) + log(1 + t). `power` and `t` are overwritten.
template <class Sink>
constexpr reg log_of_parts(assembler<Sink>& as, reg power, reg t) {
    const reg s = as.f32();
    const reg z = as.f32();
    const reg sum = as.f32();
    as(op::add_f32, s, t, 2.0F);
    as(op::div_f32, s, t, s);
    as(op::mul_f32, z, s, s);
    as(op::mov_f32, sum, sampled::log_terms[0]);
    for (usz i = 1; i < 4; ++i) {
        as(op::mul_f32, sum, sum, z);
        as(op::add_f32, sum, sum, sampled::log_terms[i]);
    }
    as(op::mul_f32, z, s, z);
    as(op::mul_f32, z, z, sum);
    as(op::add_f32, s, s, s);
    as(op::add_f32, s, z, s);
    as(op::mul_f32, power, power, sampled::ln_2);
    as(op::add_f32, s, power, s);
    return s;
}
/// sampled::part: x becomes t.
template <class Sink>
constexpr reg part_of(assembler<Sink>& as, reg x) {
    const reg bits = as.b32();
    const reg whole = as.b32();
    const reg power = as.f32();
    as(op::mov_b32, bits, x);
    as(op::sub_u32, whole, bits, sampled::half_root);
    as(op::shr_s32, whole, whole, 23U);
    as(op::cvt_f32_s32, power, whole);
    as(op::shl_b32, whole, whole, 23U);
    as(op::sub_u32, bits, bits, whole);
    as(op::mov_b32, x, bits);
    as(op::sub_f32, x, x, 1.0F);
    return power;
}

template <class Sink>
constexpr void mix_bits(assembler<Sink>& as, reg h) {
    const reg moved = as.b32();
    const u32_t shifts[] = {16, 13, 16};
    const u32_t factors[] = {0x85EBCA6BU, 0xC2B2AE35U};
    for (usz i = 0; i < 3; ++i) {
        as(op::shr_u32, moved, h, shifts[i]);
        as(op::xor_b32, h, h, moved);
        if (i < 2) as(op::mul_lo_u32, h, h, factors[i]);
    }
}
template <class Sink>
constexpr reg noise_bits_of(assembler<Sink>& as, const reg (&noise)[2], reg id) {
    const reg h = as.b32();
    as(op::xor_b32, h, id, noise[0]);
    mix_bits(as, h);
    as(op::add_u32, h, h, noise[1]);
    mix_bits(as, h);
    return h;
}
template <class Sink>
constexpr reg gumbel_of(assembler<Sink>& as, reg bits) {
    const reg others = as.b32();
    const reg v = as.f32();
    const reg u = as.f32();
    const reg near_one = as.predicate();
    as(op::cvt_f32_u32, v, bits);
    as(op::add_f32, v, v, 0.5F);
    as(op::mul_f32, v, v, 0x1p-32F);
    as(op::not_b32, others, bits);
    as(op::cvt_f32_u32, u, others);
    as(op::add_f32, u, u, 0.5F);
    as(op::mul_f32, u, u, 0x1p-32F);
    as(op::setp_lt_u32, near_one, bits, 0x40000000U);
    as.when(near_one, op::mov_f32, u, 1.0F);
    const reg inner = part_of(as, u);
    as.when(near_one, op::neg_f32, u, v);
    const reg waiting = log_of_parts(as, inner, u);
    as(op::neg_f32, waiting, waiting);
    const reg outer = part_of(as, waiting);
    const reg g = log_of_parts(as, outer, waiting);
    as(op::neg_f32, g, g);
    return g;
}

/// sampled::mass, as a 64-bit integer.
template <class Sink>
constexpr reg mass_of(assembler<Sink>& as, reg scale, reg l, reg largest) {
    const reg y = as.f32();
    const reg shifted = as.f32();
    const reg power = as.f32();
    const reg equal = as.predicate();
    as(op::sub_f32, y, l, largest);
    as(op::mul_f32, y, y, scale);
    as(op::mul_f32, y, y, sampled::log2_e);
    as(op::setp_eq_f32, equal, l, largest);
    as.when(equal, op::mov_f32, y, 0.0F);
    as(op::max_f32, y, y, sampled::least_power);
    as(op::add_f32, shifted, y, sampled::rounder);
    as(op::sub_f32, power, shifted, sampled::rounder);
    as(op::sub_f32, y, y, power);
    as(op::mov_f32, power, sampled::power_terms[0]);
    for (usz i = 1; i < 7; ++i) {
        as(op::mul_f32, power, power, y);
        as(op::add_f32, power, power, sampled::power_terms[i]);
    }
    const reg bits = as.b32();
    as(op::mov_b32, bits, shifted);
    as(op::add_u32, bits, bits, 35 + 127 - f32_bits(sampled::rounder));
    as(op::shl_b32, bits, bits, 23U);
    as(op::mov_b32, shifted, bits);
    as(op::mul_f32, power, power, shifted);
    const reg mass = as.b64();
    as(op::cvt_u64_f32, mass, power);
    return mass;
}
/// sampled::share_of.
template <class Sink>
constexpr reg share_of(assembler<Sink>& as, reg share, reg all) {
    const reg low = as.b32();
    const reg high = as.b32();
    const reg carried = as.b64();
    as(op::mov_b64, fragment<2>{{low, high}}, all);
    as(op::mov_u64, carried, u64_t{0xffffffffU});
    as(op::mad_wide_u32, carried, low, share, carried);
    as(op::shr_u64, carried, carried, 32U);
    as(op::mad_wide_u32, carried, high, share, carried);
    return carried;
}

}  // namespace netra::inline v0::ptx
