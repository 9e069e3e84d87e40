// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The greedy choice in PTX: the largest logit, the lowest id among equals. One block.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

struct sampling_tactic {
    u32_t warps = 32;
    friend constexpr bool operator==(const sampling_tactic&, const sampling_tactic&) = default;
};

/// argmax of finite logits. A logit and its id make one 64-bit key whose maximum is the choice: the logit's bits so that they ascend with its
/// value, then the complement of the id.
struct sampling_kernel {
    sampling c{};
    sampling_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"logits", "token"}); }
    constexpr kernel_launch launch() const { return {.blocks = 1, .threads = 32 * tactic.warps, .shared_bytes = 8 * tactic.warps}; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const warp_place place = find_place(as, tactic.warps);
        const reg best = largest_of_thread(as);
        largest_of_warp(as, best);
        const reg slot = as.b32();
        as(op::mov_u32, slot, named{"shared"});
        const reg own = as.b32();
        const reg others = as.predicate();
        as(op::mad_lo_u32, own, place.warp, 8U, slot);
        as(op::setp_ne_u32, others, place.lane, 0U);
        as.unless(others, op::st_shared_b64, at(own), best);
        as(op::bar_sync, 0U);
        end_from(as, place.warp, 1);
        as(op::mad_lo_u32, own, place.lane, 8U, slot);
        as(op::ld_shared_b64, best, at(own));
        largest_of_warp(as, best);
        end_from(as, place.lane, 1);
        const auto halves = as.template fragment_of<2>(register_class::b32);
        as(op::mov_b64, halves, best);
        as(op::not_b32, halves[0], halves[0]);
        const reg token = as.b64();
        as(op::ld_param_u64, token, named_address{"token"});
        as(op::st_global_b32, at(token), halves[0]);
        as(op::ret);
    }

  private:
    template <class Sink>
    constexpr ptx::reg largest_of_thread(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const u32_t stride = 32 * tactic.warps;
        const reg id = as.b32();
        const reg best = as.b64();
        const reg outside = as.predicate();
        const code_label again = as.new_label();
        const code_label done = as.new_label();
        as(op::mov_u32, id, thread_index);
        as(op::mov_u64, best, 0U);  // below every finite logit's key
        const reg from = pointer_to(as, "logits", id, 4);
        as.place(again);
        as(op::setp_ge_u32, outside, id, c.vocab);
        as.when(outside, op::bra, done);
        as(op::max_u64, best, best, key_of(as, from, id));
        as(op::add_u32, id, id, stride);
        as(op::add_u64, from, from, u64_t{stride} * 4);
        as(op::bra, again);
        as.place(done);
        as(op::bar_warp, -1);
        return best;
    }
    template <class Sink>
    constexpr ptx::reg key_of(ptx::assembler<Sink>& as, ptx::reg from, ptx::reg id) const {
        using namespace ptx;
        const reg logit = as.f32();
        const reg bits = as.b32();
        const reg sign = as.b32();
        const reg complement = as.b32();
        as(op::ld_global_f32, logit, at(from));
        as(op::add_f32, logit, logit, 0.0F);  // -0 becomes +0, its equal
        as(op::mov_b32, bits, logit);
        as(op::shr_s32, sign, bits, 31U);
        as(op::or_b32, sign, sign, 0x80000000U);
        as(op::xor_b32, bits, bits, sign);
        as(op::not_b32, complement, id);
        const reg key = as.b64();
        as(op::mov_b64, key, fragment<2>{{complement, bits}});
        return key;
    }
    template <class Sink>
    constexpr void largest_of_warp(ptx::assembler<Sink>& as, ptx::reg best) const {
        using namespace ptx;
        const auto halves = as.template fragment_of<2>(register_class::b32);
        const reg other = as.b64();
        for (u32_t apart = 16; apart != 0; apart /= 2) {
            as(op::mov_b64, halves, best);
            for (const reg& h : halves.r) as(op::shfl_bfly, h, h, apart, 31U, -1);
            as(op::mov_b64, other, halves);
            as(op::max_u64, best, best, other);
        }
    }
};

constexpr sampling_kernel kernel_of(const sampling& c) { return {.c = c}; }
constexpr verdict check_kernel(const sampling& c) { return check(c); }

}  // namespace netra::inline v0
