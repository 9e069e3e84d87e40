// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y[rows][out] = x[rows][in] . w[out][in] (+ bias) in PTX: a warp an output tile, weights read once, 16 bytes a lane.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/weights.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

/// How a linear is cut: a warp computes `outs` outputs of every row; `unroll` steps of 256 terms are loaded before the first is used.
struct linear_tactic {
    u32_t outs = 4;
    u32_t warps = 8;
    u32_t unroll = 2;
    friend constexpr bool operator==(const linear_tactic&, const linear_tactic&) = default;
};
/// As many outputs as keep the partial sums (8 an output and row) in registers.
constexpr linear_tactic tactic_of(const linear& c) { return {.outs = c.rows <= 2 ? 4U : c.rows <= 4 ? 2U : 1U, .unroll = c.rows <= 4 ? 2U : 1U}; }

/// The kernel of a linear in order lanes256, bit for bit what the reference gives.
struct linear_kernel {
    linear c{};
    linear_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"x", "w", "bias", "y"}); }
    constexpr kernel_launch launch() const {
        const u32_t tile = tactic.outs * tactic.warps;
        return {.blocks = (c.out + tile - 1) / tile, .threads = 32 * tactic.warps};
    }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        warp_state s = start(as);
        const u32_t whole = c.in / ptx::terms_of_warp;
        ptx::repeat(as, whole / tactic.unroll, [&] { add_steps(as, s, tactic.unroll); });
        if (whole % tactic.unroll != 0) add_steps(as, s, whole % tactic.unroll);
        add_rest(as, s);
        store(as, s);
        as(ptx::op::ret);
    }

  private:
    static constexpr u32_t most_outs = 4;
    static constexpr u32_t most_unroll = 2;
    struct warp_state {
        ptx::reg lane{};
        ptx::reg first{};         ///< output of the warp
        ptx::reg x{};             ///< this lane's terms of row 0
        ptx::reg w[most_outs]{};  ///< this lane's weights of each output
        ptx::lane_terms sums[most_outs][max_rows]{};
    };
    constexpr u32_t weight_bytes() const { return ptx::element_bytes(c.weight); }

    template <class Sink>
    constexpr warp_state start(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        warp_state s;
        const warp_place place = find_place(as, tactic.warps);
        s.lane = place.lane;
        s.first = as.b32();
        as(op::mul_lo_u32, s.first, place.warp, tactic.outs);
        end_from(as, s.first, c.out);
        s.x = pointer_to(as, "x", s.lane, terms_of_lane * 4);
        const reg weights = pointer_to(as, "w", s.lane, terms_of_lane * weight_bytes());
        const reg row_bytes = as.b64();
        as(op::mov_u64, row_bytes, weight_row_bytes(c));
        for (u32_t o = 0; o < tactic.outs; ++o) {
            const reg row = as.b32();  // the last row again where the tile is not full: read, but not stored
            as(op::add_u32, row, s.first, o);
            as(op::min_u32, row, row, c.out - 1);
            s.w[o] = as.b64();
            as(op::cvt_u64_u32, s.w[o], row);
            as(op::mad_lo_u64, s.w[o], s.w[o], row_bytes, weights);
            for (u32_t r = 0; r < c.rows; ++r) s.sums[o][r] = zeros(as);
        }
        return s;
    }

    /// `count` whole steps: all weights are asked for, then used; the pointers move on.
    template <class Sink>
    constexpr void add_steps(ptx::assembler<Sink>& as, warp_state& s, u32_t count) const {
        using namespace ptx;
        raw_terms raw[most_unroll][most_outs];
        const u32_t step_bytes = terms_of_warp * weight_bytes();
        for (u32_t u = 0; u < count; ++u)
            for (u32_t o = 0; o < tactic.outs; ++o) raw[u][o] = load_raw(as, c.weight, s.w[o], u * step_bytes, weight_row_bytes(c) % 16 == 0);
        for (u32_t u = 0; u < count; ++u) {
            lane_terms weights[most_outs];
            for (u32_t o = 0; o < tactic.outs; ++o) weights[o] = decode(as, c.weight, raw[u][o]);
            for (u32_t r = 0; r < c.rows; ++r) {
                const lane_terms x = load_terms(as, s.x, 4 * (u64_t{r} * c.in + u * terms_of_warp), c.in % 4 == 0);
                for (u32_t o = 0; o < tactic.outs; ++o)
                    for (u32_t j = 0; j < terms_of_lane; ++j) as(op::fma_f32, s.sums[o][r][j], weights[o][j], x[j], s.sums[o][r][j]);
            }
        }
        as(op::add_u64, s.x, s.x, count * terms_of_warp * 4);
        for (u32_t o = 0; o < tactic.outs; ++o) as(op::add_u64, s.w[o], s.w[o], count * step_bytes);
    }

    template <class Sink>
    constexpr void add_rest(ptx::assembler<Sink>& as, warp_state& s) const {
        using namespace ptx;
        for_rest(as, s.lane, c.in % terms_of_warp, [&](u32_t j) {
            reg weights[most_outs];
            for (u32_t o = 0; o < tactic.outs; ++o) weights[o] = load_element(as, c.weight, s.w[o], j * weight_bytes());
            for (u32_t r = 0; r < c.rows; ++r) {
                const reg x = as.f32();
                as(op::ld_global_f32, x, at(s.x, 4 * (u64_t{r} * c.in + j)));
                for (u32_t o = 0; o < tactic.outs; ++o) as(op::fma_f32, s.sums[o][r][j], weights[o], x, s.sums[o][r][j]);
            }
        });
    }

    template <class Sink>
    constexpr void store(ptx::assembler<Sink>& as, warp_state& s) const {
        using namespace ptx;
        for (u32_t o = 0; o < tactic.outs; ++o)
            for (u32_t r = 0; r < c.rows; ++r) add_partial_sums(as, s.sums[o][r]);
        end_from(as, s.lane, 1);
        const reg y = pointer_to(as, "y", s.first, 4);
        const reg bias = c.bias ? pointer_to(as, "bias", s.first, 4) : reg{};
        const reg added = as.f32();
        as(op::mov_f32, added, 0.0F);  // the reference's missing bias: -0 becomes +0
        for (u32_t o = 0; o < tactic.outs; ++o) {
            if (o != 0 && c.out % tactic.outs != 0) {
                const reg row = as.b32();
                as(op::add_u32, row, s.first, o);
                end_from(as, row, c.out);
            }
            if (c.bias) as(op::ld_global_nc_f32, added, at(bias, 4 * o));
            for (u32_t r = 0; r < c.rows; ++r) {
                as(op::add_f32, s.sums[o][r][0], s.sums[o][r][0], added);
                as(op::st_global_f32, at(y, 4 * (u64_t{r} * c.out + o)), s.sums[o][r][0]);
            }
        }
    }
};

constexpr linear_kernel kernel_of(const linear& c) { return {c, tactic_of(c)}; }
/// Why a contract has no kernel.
constexpr verdict check_kernel(const linear& c) {
    if (verdict v = check(c); !v.ok()) return v;
    if (c.math.order != reduction_order::lanes256) return refuse(reason::unsupported_order, "linear", "PTX");
    return ptx::check_plain("linear", c.weight);
}

}  // namespace netra::inline v0
