// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y = x / sqrt(mean(x^2) + eps) * w in PTX: a warp a slice, read twice.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

struct rms_norm_tactic {
    u32_t warps = 4;
    friend constexpr bool operator==(const rms_norm_tactic&, const rms_norm_tactic&) = default;
};

/// The kernel of an rms_norm in order lanes256, bit for bit what the reference gives. x and y may be the same.
struct rms_norm_kernel {
    rms_norm c{};
    rms_norm_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"x", "w", "y"}); }
    constexpr u32_t slices() const { return c.rows * c.groups; }
    constexpr kernel_launch launch() const { return {.blocks = (slices() + tactic.warps - 1) / tactic.warps, .threads = 32 * tactic.warps}; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const warp_place place = find_place(as, tactic.warps);
        end_from(as, place.warp, slices());
        const reg scale = scale_of(as, slice_of(as, "x", place), place.lane);
        const reg x = slice_of(as, "x", place);
        const reg y = slice_of(as, "y", place);
        const reg w = pointer_to(as, "w", place.lane, terms_of_lane * 4);
        repeat(as, c.width / terms_of_warp, [&] {
            const lane_terms v = load_terms(as, x, 0, aligned());
            const lane_terms weights = load_terms(as, w, 0, aligned());
            for (u32_t j = 0; j < terms_of_lane; ++j) scale_one(as, v[j], weights[j], scale);
            for (u32_t j = 0; j < terms_of_lane; ++j) as(op::st_global_f32, at(y, 4 * j), v[j]);
            for (const reg& p : fragment<3>{{x, y, w}}.r) as(op::add_u64, p, p, terms_of_warp * 4);
        });
        for_rest(as, place.lane, c.width % terms_of_warp, [&](u32_t j) {
            const reg v = as.f32();
            const reg weight = as.f32();
            as(op::ld_global_f32, v, at(x, 4 * j));
            as(op::ld_global_f32, weight, at(w, 4 * j));
            scale_one(as, v, weight, scale);
            as(op::st_global_f32, at(y, 4 * j), v);
        });
        as(op::ret);
    }

  private:
    constexpr bool aligned() const { return c.width % 4 == 0; }

    /// This lane's terms of the warp's slice.
    template <class Sink>
    constexpr ptx::reg slice_of(ptx::assembler<Sink>& as, const char* parameter, const ptx::warp_place& place) const {
        using namespace ptx;
        const reg p = pointer_to(as, parameter, place.lane, terms_of_lane * 4);
        as(op::mad_wide_u32, p, place.warp, c.width * 4, p);
        return p;
    }
    template <class Sink>
    constexpr ptx::reg scale_of(ptx::assembler<Sink>& as, ptx::reg x, ptx::reg lane) const {
        using namespace ptx;
        const lane_terms sums = zeros(as);
        repeat(as, c.width / terms_of_warp, [&] {
            const lane_terms v = load_terms(as, x, 0, aligned());
            for (u32_t j = 0; j < terms_of_lane; ++j) as(op::fma_f32, sums[j], v[j], v[j], sums[j]);
            as(op::add_u64, x, x, terms_of_warp * 4);
        });
        for_rest(as, lane, c.width % terms_of_warp, [&](u32_t j) {
            const reg v = as.f32();
            as(op::ld_global_f32, v, at(x, 4 * j));
            as(op::fma_f32, sums[j], v, v, sums[j]);
        });
        as(op::bar_warp, -1);  // lanes left the rest at different places
        add_partial_sums(as, sums);
        const reg scale = as.f32();
        as(op::div_f32, scale, sums[0], static_cast<float>(c.width));
        as(op::add_f32, scale, scale, c.eps);
        as(op::sqrt_f32, scale, scale);
        as(op::rcp_f32, scale, scale);
        as(op::shfl_idx, scale, scale, 0U, 31U, -1);
        return scale;
    }
    template <class Sink>
    constexpr void scale_one(ptx::assembler<Sink>& as, ptx::reg v, ptx::reg weight, ptx::reg scale) const {
        using namespace ptx;
        if (c.plus_one) as(op::add_f32, weight, weight, 1.0F);
        as(op::mul_f32, v, v, scale);
        as(op::mul_f32, v, v, weight);
    }
};

constexpr rms_norm_kernel kernel_of(const rms_norm& c) { return {.c = c}; }
constexpr verdict check_kernel(const rms_norm& c) {
    if (verdict v = check(c); !v.ok()) return v;
    if (c.math.order != reduction_order::lanes256) return refuse(reason::unsupported_order, "rms_norm", "PTX");
    return {};
}

}  // namespace netra::inline v0
