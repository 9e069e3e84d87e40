// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What kernels do warp by warp: find their place, run loops, add the partial sums of lanes256.
#pragma once

#include <netra/codegen/ptx/assembler.hpp>

namespace netra::inline v0::ptx {

/// Terms of every 256 that one lane holds: lane l has 8 l ... 8 l + 7.
inline constexpr u32_t terms_of_lane = 8;
/// Terms that a warp takes at once.
inline constexpr u32_t terms_of_warp = 256;
/// Partial sums, or values of as many terms.
using lane_terms = fragment<terms_of_lane>;

/// The warp's number in the grid and the lane's in the warp.
struct warp_place {
    reg warp{};
    reg lane{};
};
template <class Sink>
constexpr warp_place find_place(assembler<Sink>& as, u32_t warps_of_block) {
    const warp_place p{as.b32(), as.b32()};
    const reg thread = as.b32();
    const reg block = as.b32();
    as(op::mov_u32, thread, thread_index);
    as(op::mov_u32, block, block_index);
    as(op::shr_u32, p.warp, thread, 5U);
    as(op::and_b32, p.lane, thread, 31U);
    as(op::mad_lo_u32, p.warp, block, warps_of_block, p.warp);
    return p;
}

/// Ends threads whose `index` is `limit` or more.
template <class Sink>
constexpr void end_from(assembler<Sink>& as, reg index, u32_t limit) {
    const reg none = as.predicate();
    as(op::setp_ge_u32, none, index, limit);
    as.when(none, op::ret);
}

/// The pointer parameter `name`, moved on by `index` times `bytes`.
template <class Sink>
constexpr reg pointer_to(assembler<Sink>& as, const char* name, reg index, u32_t bytes) {
    const reg p = as.b64();
    as(op::ld_param_u64, p, named_address{name});
    as(op::mad_wide_u32, p, index, bytes, p);
    return p;
}

/// Runs `body()` `times` times; no loop where that is 0 or 1.
template <class Sink, class Body>
constexpr void repeat(assembler<Sink>& as, u32_t times, Body&& body) {
    if (times == 0) return;
    if (times == 1) return body();
    const reg left = as.b32();
    const reg more = as.predicate();
    const code_label again = as.new_label();
    as(op::mov_u32, left, times);
    as.place(again);
    body();
    as(op::sub_u32, left, left, 1U);
    as(op::setp_ne_u32, more, left, 0U);
    as.when(more, op::bra, again);
}

/// Runs `body(j)` for each j < 8 of which this lane has term 8 lane + j of `count` < 256; lanes leave at their first term that is not there.
template <class Sink, class Body>
constexpr void for_rest(assembler<Sink>& as, reg lane, u32_t count, Body&& body) {
    if (count == 0) return;
    const code_label done = as.new_label();
    const reg index = as.b32();
    const reg outside = as.predicate();
    for (u32_t j = 0; j < terms_of_lane; ++j) {
        as(op::mad_lo_u32, index, lane, terms_of_lane, j);
        as(op::setp_ge_u32, outside, index, count);
        as.when(outside, op::bra, done);
        body(j);
    }
    as.place(done);
}

/// `terms_of_lane` zeros.
template <class Sink>
constexpr lane_terms zeros(assembler<Sink>& as) {
    const auto made = as.template fragment_of<terms_of_lane>(register_class::f32);
    for (const reg& r : made.r) as(op::mov_f32, r, 0.0F);
    return made;
}

/// Eight fp32 values from `from` + offset, 16 bytes at a time where `aligned`.
template <class Sink>
constexpr lane_terms load_terms(assembler<Sink>& as, reg from, u64_t offset, bool aligned) {
    const auto x = as.template fragment_of<terms_of_lane>(register_class::f32);
    for (u32_t j = 0; j < terms_of_lane; j += aligned ? 4 : 1) {
        if (aligned) as(op::ld_global_v4_f32, fragment<4>{{x[j], x[j + 1], x[j + 2], x[j + 3]}}, at(from, offset + 4 * j));
        else as(op::ld_global_f32, x[j], at(from, offset + 4 * j));
    }
    return x;
}

/// The total of lanes256, in lane 0 of sums[0]: partial sums i and i + 128, ... i + 8 sit in lanes 16, ... 1 apart, the last three pairs in one.
template <class Sink>
constexpr void add_partial_sums(assembler<Sink>& as, const lane_terms& sums) {
    const reg other = as.f32();
    for (u32_t apart = 16; apart != 0; apart /= 2)
        for (u32_t j = 0; j < terms_of_lane; ++j) {
            as(op::shfl_down, other, sums[j], apart, 31U, -1);
            as(op::add_f32, sums[j], sums[j], other);
        }
    for (u32_t half = terms_of_lane / 2; half != 0; half /= 2)
        for (u32_t j = 0; j < half; ++j) as(op::add_f32, sums[j], sums[j], sums[j + half]);
}

}  // namespace netra::inline v0::ptx
