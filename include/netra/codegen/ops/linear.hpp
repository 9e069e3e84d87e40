// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y[rows][out] = x[rows][in] . w[out][in] (+ bias) in PTX: a warp an output tile, weights read once, 16 bytes a lane.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/contracts/identity.hpp>
#include <netra/contracts/ops/linear.hpp>

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

/// The kernel of a linear in order lanes256: lane l of a warp has terms 8 l ... 8 l + 7 of every 256. Bit for bit what the reference gives.
struct linear_kernel {
    linear c{};
    linear_tactic tactic{};

    static constexpr u32_t step = 256;  ///< terms a warp takes at once

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"x", "w", "bias", "y"}); }
    constexpr kernel_launch launch() const {
        const u32_t tile = tactic.outs * tactic.warps;
        return {.blocks = (c.out + tile - 1) / tile, .threads = 32 * tactic.warps};
    }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        warp_state s = start(as);
        const u32_t whole = c.in / step;
        const u32_t together = whole / tactic.unroll * tactic.unroll;
        if (together != 0) {
            const reg left = as.b32();
            const code_label again = as.new_label();
            const reg more = as.predicate();
            as(op::mov_u32, left, together / tactic.unroll);
            as.place(again);
            add_steps(as, s, tactic.unroll);
            as(op::sub_u32, left, left, 1U);
            as(op::setp_ne_u32, more, left, 0U);
            as.when(more, op::bra, again);
        }
        if (whole != together) add_steps(as, s, whole - together);
        if (c.in % step != 0) add_rest(as, s);
        store(as, s);
        as(op::ret);
    }

  private:
    static constexpr u32_t most_outs = 4;
    static constexpr u32_t per_lane = 8;
    struct warp_state {
        ptx::reg lane{};
        ptx::reg first{};                  ///< output of the warp
        ptx::reg x{};                      ///< this lane's terms, row 0
        ptx::reg w[most_outs]{};           ///< this lane's weights
        ptx::fragment<per_lane> sums[most_outs][max_rows]{};
    };

    constexpr u32_t weight_bytes() const { return bits_of(c.weight.element) / 8; }

    template <class Sink>
    constexpr warp_state start(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        warp_state s;
        const reg thread = as.b32();
        const reg block = as.b32();
        const reg warp = as.b32();
        const reg none = as.predicate();
        s.lane = as.b32();
        s.first = as.b32();
        as(op::mov_u32, thread, thread_index);
        as(op::mov_u32, block, block_index);
        as(op::shr_u32, warp, thread, 5U);
        as(op::and_b32, s.lane, thread, 31U);
        as(op::mad_lo_u32, warp, block, tactic.warps, warp);
        as(op::mul_lo_u32, s.first, warp, tactic.outs);
        as(op::setp_ge_u32, none, s.first, c.out);
        as.when(none, op::ret);
        s.x = as.b64();
        as(op::ld_param_u64, s.x, named_address{"x"});
        as(op::mad_wide_u32, s.x, s.lane, per_lane * 4, s.x);
        const reg weights = as.b64();
        as(op::ld_param_u64, weights, named_address{"w"});
        as(op::mad_wide_u32, weights, s.lane, per_lane * weight_bytes(), weights);
        for (u32_t o = 0; o < tactic.outs; ++o) {
            const reg row = as.b32();  // the last row again where the tile is not full: read, but not stored
            as(op::add_u32, row, s.first, o);
            as(op::min_u32, row, row, c.out - 1);
            s.w[o] = as.b64();
            const reg bytes = as.b64();
            as(op::mov_u64, bytes, weight_row_bytes(c));
            as(op::cvt_u64_u32, s.w[o], row);
            as(op::mad_lo_u64, s.w[o], s.w[o], bytes, weights);
            for (u32_t r = 0; r < c.rows; ++r) {
                s.sums[o][r] = as.template fragment_of<per_lane>(register_class::f32);
                for (u32_t j = 0; j < per_lane; ++j) as(op::mov_f32, s.sums[o][r][j], 0.0F);
            }
        }
        return s;
    }

    /// `count` whole steps: all weights are asked for, then used; the pointers move on.
    template <class Sink>
    constexpr void add_steps(ptx::assembler<Sink>& as, warp_state& s, u32_t count) const {
        using namespace ptx;
        fragment<4> raw[8][2];
        for (u32_t u = 0; u < count; ++u)
            for (u32_t o = 0; o < tactic.outs; ++o) load_weights(as, raw[u * tactic.outs + o], s.w[o], u * step * weight_bytes());
        for (u32_t u = 0; u < count; ++u) {
            fragment<per_lane> weights[most_outs];
            for (u32_t o = 0; o < tactic.outs; ++o) weights[o] = decode(as, raw[u * tactic.outs + o]);
            for (u32_t r = 0; r < c.rows; ++r) {
                const u64_t offset = 4 * (u64_t{r} * c.in + u * step);
                add_products(as, s, weights, r, load_activations(as, s.x, offset), per_lane);
            }
        }
        as(op::add_u64, s.x, s.x, u64_t{count} * step * 4);
        for (u32_t o = 0; o < tactic.outs; ++o) as(op::add_u64, s.w[o], s.w[o], u64_t{count} * step * weight_bytes());
    }

    /// The terms after the last whole step, one by one: lanes with none skip them.
    template <class Sink>
    constexpr void add_rest(ptx::assembler<Sink>& as, warp_state& s) const {
        using namespace ptx;
        const u32_t rest = c.in % step;
        const code_label done = as.new_label();
        for (u32_t j = 0; j < per_lane; ++j) {
            const reg index = as.b32();
            const reg outside = as.predicate();
            as(op::mad_lo_u32, index, s.lane, per_lane, j);
            as(op::setp_ge_u32, outside, index, rest);
            as.when(outside, op::bra, done);
            fragment<per_lane> weights[most_outs];
            for (u32_t o = 0; o < tactic.outs; ++o) weights[o][j] = load_weight(as, s.w[o], j * weight_bytes());
            for (u32_t r = 0; r < c.rows; ++r) {
                const reg x = as.f32();
                as(op::ld_global_f32, x, at(s.x, 4 * (u64_t{r} * c.in + j)));
                for (u32_t o = 0; o < tactic.outs; ++o) as(op::fma_f32, s.sums[o][r][j], weights[o][j], x, s.sums[o][r][j]);
            }
        }
        as.place(done);
    }

    template <class Sink>
    constexpr void add_products(ptx::assembler<Sink>& as, warp_state& s, const ptx::fragment<per_lane>* weights, u32_t r,
                                const ptx::fragment<per_lane>& x, u32_t count) const {
        for (u32_t o = 0; o < tactic.outs; ++o)
            for (u32_t j = 0; j < count; ++j) as(ptx::op::fma_f32, s.sums[o][r][j], weights[o][j], x[j], s.sums[o][r][j]);
    }

    /// Rows start at multiples of 16 bytes only where a row's bytes are one.
    constexpr bool aligned() const { return weight_row_bytes(c) % 16 == 0; }
    constexpr u32_t words() const { return per_lane * weight_bytes() / 4; }

    template <class Sink>
    constexpr void load_weights(ptx::assembler<Sink>& as, ptx::fragment<4>* raw, ptx::reg from, u32_t offset) const {
        using namespace ptx;
        for (u32_t v = 0; v < words() / 4; ++v) {
            raw[v] = as.template fragment_of<4>(register_class::b32);
            if (aligned()) as(op::ld_weights_v4_b32, raw[v], at(from, offset + 16 * v));
            else load_pieces(as, raw[v], from, offset + 16 * v);
        }
    }
    template <class Sink>
    constexpr void load_pieces(ptx::assembler<Sink>& as, const ptx::fragment<4>& to, ptx::reg from, u32_t offset) const {
        using namespace ptx;
        for (u32_t i = 0; i < 4; ++i) {
            if (weight_bytes() == 4) {
                as(op::ld_global_nc_b32, to[i], at(from, offset + 4 * i));
                continue;
            }
            const auto halves = as.template fragment_of<2>(register_class::b16);
            for (u32_t h = 0; h < 2; ++h) as(op::ld_global_nc_b16, halves[h], at(from, offset + 4 * i + 2 * h));
            as(op::mov_b32, to[i], halves);
        }
    }
    template <class Sink>
    constexpr ptx::fragment<per_lane> decode(ptx::assembler<Sink>& as, const ptx::fragment<4>* raw) const {
        using namespace ptx;
        auto out = as.template fragment_of<per_lane>(register_class::f32);
        for (u32_t j = 0; j < per_lane; ++j) {
            if (c.weight == f32) {
                as(op::mov_b32, out[j], raw[j / 4][j % 4]);
            } else if (c.weight == bf16) {
                if (j % 2 == 0) as(op::shl_b32, out[j], raw[0][j / 2], 16U);
                else as(op::and_b32, out[j], raw[0][j / 2], 0xffff0000U);
            } else if (j % 2 == 0) {
                const auto halves = as.template fragment_of<2>(register_class::b16);
                as(op::mov_b32, halves, raw[0][j / 2]);
                for (u32_t h = 0; h < 2; ++h) as(op::cvt_f32_f16, out[j + h], halves[h]);
            }
        }
        return out;
    }
    template <class Sink>
    constexpr ptx::reg load_weight(ptx::assembler<Sink>& as, ptx::reg from, u32_t offset) const {
        using namespace ptx;
        const reg out = as.f32();
        if (c.weight == f32) {
            as(op::ld_global_nc_f32, out, at(from, offset));
            return out;
        }
        const reg half = as.b16();
        as(op::ld_global_nc_b16, half, at(from, offset));
        if (c.weight == f16) {
            as(op::cvt_f32_f16, out, half);
            return out;
        }
        const reg zero = as.b16();
        as(op::mov_b16, zero, 0U);
        as(op::mov_b32, out, fragment<2>{{zero, half}});
        return out;
    }
    template <class Sink>
    constexpr ptx::fragment<per_lane> load_activations(ptx::assembler<Sink>& as, ptx::reg from, u64_t offset) const {
        using namespace ptx;
        auto x = as.template fragment_of<per_lane>(register_class::f32);
        if (c.in % 4 == 0) {
            for (u32_t v = 0; v < 2; ++v) as(op::ld_global_v4_f32, fragment<4>{{x[4 * v], x[4 * v + 1], x[4 * v + 2], x[4 * v + 3]}}, at(from, offset + 16 * v));
            return x;
        }
        for (u32_t j = 0; j < per_lane; ++j) as(op::ld_global_f32, x[j], at(from, offset + 4 * j));
        return x;
    }

    /// Partial sums i and i + 128, i + 64, ... i + 8 sit in lanes 16, 8, ... 1 apart, the last three pairs in one lane.
    template <class Sink>
    constexpr void store(ptx::assembler<Sink>& as, warp_state& s) const {
        using namespace ptx;
        const reg others = as.predicate();
        const reg other = as.f32();
        for (u32_t o = 0; o < tactic.outs; ++o)
            for (u32_t r = 0; r < c.rows; ++r) {
                auto& sums = s.sums[o][r];
                for (u32_t apart = 16; apart != 0; apart /= 2)
                    for (u32_t j = 0; j < per_lane; ++j) {
                        as(op::shfl_down, other, sums[j], apart, 31U, -1);
                        as(op::add_f32, sums[j], sums[j], other);
                    }
                for (u32_t half = 4; half != 0; half /= 2)
                    for (u32_t j = 0; j < half; ++j) as(op::add_f32, sums[j], sums[j], sums[j + half]);
            }
        as(op::setp_ne_u32, others, s.lane, 0U);
        as.when(others, op::ret);
        const reg y = as.b64();
        const reg bias = as.b64();
        as(op::ld_param_u64, y, named_address{"y"});
        as(op::mad_wide_u32, y, s.first, 4U, y);
        if (c.bias) as(op::ld_param_u64, bias, named_address{"bias"}), as(op::mad_wide_u32, bias, s.first, 4U, bias);
        for (u32_t o = 0; o < tactic.outs; ++o) {
            if (o != 0 && c.out % tactic.outs != 0) {
                const reg row = as.b32();
                const reg outside = as.predicate();
                as(op::add_u32, row, s.first, o);
                as(op::setp_ge_u32, outside, row, c.out);
                as.when(outside, op::ret);
            }
            const reg added = as.f32();
            if (c.bias) as(op::ld_global_nc_f32, added, at(bias, 4 * o));
            for (u32_t r = 0; r < c.rows; ++r) {
                as(op::add_f32, s.sums[o][r][0], s.sums[o][r][0], c.bias ? added : zero_of(as));
                as(op::st_global_f32, at(y, 4 * (u64_t{r} * c.out + o)), s.sums[o][r][0]);
            }
        }
    }
    template <class Sink>
    constexpr ptx::reg zero_of(ptx::assembler<Sink>& as) const {
        const ptx::reg zero = as.f32();
        as(ptx::op::mov_f32, zero, 0.0F);
        return zero;
    }
};

/// The kernel of a contract, or why there is none.
constexpr linear_kernel kernel_of(const linear& c) { return {c, tactic_of(c)}; }
constexpr verdict check_kernel(const linear& c) {
    if (verdict v = check(c); !v.ok()) return v;
    if (c.math.order != reduction_order::lanes256) return refuse(reason::unsupported_order, "linear", "PTX");
    if (c.weight.quant.scheme != quantization_scheme::none)
        return refuse(reason::unsupported_quantization, "linear", "weight").with(label::value, c.weight.quant.group);
    return {};
}

}  // namespace netra::inline v0
