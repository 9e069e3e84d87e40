// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Normalise (optionally) and rotate queries and keys, append keys and values to the caches, in PTX: a warp a head of a row.
#pragma once

#include <netra/codegen/ptx/cache.hpp>
#include <netra/codegen/ptx/module.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

struct rope_append_tactic {
    u32_t warps = 4;
    friend constexpr bool operator==(const rope_append_tactic&, const rope_append_tactic&) = default;
};

/// Bit for bit what the reference gives: norms sum in order lanes16, every product and sum of a rotation is rounded. `position` points to
/// one u32, the position of row 0, so that a captured launch takes the next one; rows beyond the context are not appended. qkv's own keys
/// and values stay as they are. angles: [rows][2][dims / 2]; q_norm and k_norm are not read without qk_norm.
struct rope_append_kernel {
    rope_append c{};
    rope_append_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"qkv", "angles", "q_norm", "k_norm", "position", "keys", "values"}); }
    constexpr u64_t slices() const { return c.table.rows * (u64_t{c.heads} + 2 * u64_t{c.kv_heads}); }
    constexpr kernel_launch launch() const {
        return {.blocks = static_cast<u32_t>((slices() + tactic.warps - 1) / tactic.warps), .threads = 32 * tactic.warps};
    }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const head_state s = start(as);
        const reg index = as.b32();
        const code_label value = as.new_label();
        as.when(s.is_value, op::bra, value);
        const norm_state norm = c.qk_norm ? start_norm(as, s) : norm_state{};
        const reg angles = pointer_to(as, "angles", s.row, 4 * dims());
        as(op::mov_u32, index, s.lane);
        strided(as, index, dims() / 2, 32, [&] { turn_pair(as, s, norm, angles, index); });
        as(op::add_u32, index, s.lane, dims());
        if (dims() != c.table.head_dim) strided(as, index, c.table.head_dim, 32, [&] { keep_element(as, s, norm, index); });
        as(op::ret);
        as.place(value);
        as(op::mov_u32, index, s.lane);
        strided(as, index, c.table.head_dim, 32, [&] { keep_element(as, s, norm_state{}, index); });
        as(op::ret);
    }

  private:
    constexpr u32_t dims() const { return rotary_dims(c.table); }
    constexpr u32_t kv_bytes() const { return bits_of(c.kv) / 8; }
    struct head_state {
        ptx::reg lane{};
        ptx::reg row{};
        ptx::reg x{};         ///< the head in qkv
        ptx::reg cache{};     ///< where a key or value goes
        ptx::reg is_query{};
        ptx::reg is_value{};
        ptx::reg appends{};   ///< a key or value whose position the cache has
    };
    /// `scale` and `w` are unset without a norm.
    struct norm_state {
        bool on = false;
        ptx::reg scale{};
        ptx::reg w{};
    };

    template <class Sink>
    constexpr head_state start(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const u32_t heads = c.heads + 2 * c.kv_heads;
        const warp_place place = find_place(as, tactic.warps);
        end_from(as, place.warp, static_cast<u32_t>(slices()));
        const head_state s{place.lane, as.b32(), pointer_to(as, "qkv", place.warp, 4 * c.table.head_dim), as.b64(), as.predicate(), as.predicate(), as.predicate()};
        const reg head = as.b32();
        as(op::div_u32, s.row, place.warp, heads);
        as(op::rem_u32, head, place.warp, heads);
        as(op::setp_lt_u32, s.is_query, head, c.heads);
        as(op::setp_ge_u32, s.is_value, head, c.heads + c.kv_heads);
        as(op::ld_param_u64, s.cache, named_address{"keys"});
        as.when(s.is_value, op::ld_param_u64, s.cache, named_address{"values"});

        const reg position = as.b32();
        const reg outside = as.predicate();
        const reg address_of_position = as.b64();
        as(op::ld_param_u64, address_of_position, named_address{"position"});
        as(op::ld_global_b32, position, at(address_of_position));
        as(op::min_u32, position, position, c.context);  // so that adding the row cannot wrap
        as(op::add_u32, position, position, s.row);
        as(op::setp_ge_u32, outside, position, c.context);
        as(op::or_pred, outside, outside, s.is_query);
        as(op::not_pred, s.appends, outside);

        const reg kv_head = as.b32();
        const reg element = as.b64();
        as(op::sub_u32, kv_head, head, c.heads);
        as.when(s.is_value, op::sub_u32, kv_head, kv_head, c.kv_heads);
        as(op::cvt_u64_u32, element, position);
        as(op::mad_wide_u32, element, kv_head, c.context, element);
        as(op::mad_lo_u64, s.cache, element, u64_t{c.table.head_dim} * kv_bytes(), s.cache);
        return s;
    }

    template <class Sink>
    constexpr norm_state start_norm(ptx::assembler<Sink>& as, const head_state& s) const {
        using namespace ptx;
        const norm_state made{true, as.f32(), as.b64()};
        as(op::ld_param_u64, made.w, named_address{"k_norm"});
        as.when(s.is_query, op::ld_param_u64, made.w, named_address{"q_norm"});
        const reg index = as.b32();
        as(op::and_b32, index, s.lane, reduction_lanes - 1);  // both half-warps form the same sum
        as(op::mov_f32, made.scale, 0.0F);
        strided(as, index, c.table.head_dim, reduction_lanes, [&] {
            const reg v = as.f32();
            as(op::ld_global_f32, v, at(element_at(as, s.x, index, 4)));
            as(op::fma_f32, made.scale, v, v, made.scale);
        });
        as(op::bar_warp, -1);
        combine_16(as, op::add_f32, made.scale);
        as(op::div_f32, made.scale, made.scale, static_cast<float>(c.table.head_dim));
        as(op::add_f32, made.scale, made.scale, c.norm_eps);
        as(op::sqrt_f32, made.scale, made.scale);
        as(op::rcp_f32, made.scale, made.scale);
        return made;
    }

    /// An element of the head, normalised.
    template <class Sink>
    constexpr ptx::reg load(ptx::assembler<Sink>& as, const norm_state& norm, ptx::reg x, ptx::reg w, u64_t offset) const {
        using namespace ptx;
        const reg v = as.f32();
        as(op::ld_global_f32, v, at(x, offset));
        if (!norm.on) return v;
        const reg weight = as.f32();
        as(op::ld_global_f32, weight, at(w, offset));
        if (c.norm_plus_one) as(op::add_f32, weight, weight, 1.0F);
        as(op::mul_f32, v, v, norm.scale);
        as(op::mul_f32, v, v, weight);
        return v;
    }
    template <class Sink>
    constexpr void store(ptx::assembler<Sink>& as, const head_state& s, ptx::reg x, ptx::reg cache, u64_t element, ptx::reg value) const {
        as.when(s.is_query, ptx::op::st_global_f32, ptx::at(x, 4 * element), value);
        ptx::store_kv(as, c.kv, s.appends, ptx::at(cache, kv_bytes() * element), value);
    }

    /// Pair `index`: (a, b) becomes (a cos - b sin, b cos + a sin).
    template <class Sink>
    constexpr void turn_pair(ptx::assembler<Sink>& as, const head_state& s, const norm_state& norm, ptx::reg angles, ptx::reg index) const {
        using namespace ptx;
        const bool halves = c.table.frequencies.pairing == rope_pairing::halves;
        const u64_t first = halves ? 1 : 2;
        const u64_t other = halves ? dims() / 2 : 1;
        const reg x = element_at(as, s.x, index, 4 * first);
        const reg cache = element_at(as, s.cache, index, kv_bytes() * first);
        const reg w = norm.on ? element_at(as, norm.w, index, 4 * first) : reg{};
        const reg angle = element_at(as, angles, index, 4);
        const reg a = load(as, norm, x, w, 0);
        const reg b = load(as, norm, x, w, 4 * other);
        const auto t = as.template fragment_of<6>(register_class::f32);
        as(op::ld_global_f32, t[0], at(angle));
        as(op::ld_global_f32, t[1], at(angle, 2 * u64_t{dims()}));
        as(op::mul_f32, t[2], a, t[0]);
        as(op::mul_f32, t[3], b, t[1]);
        as(op::sub_f32, t[2], t[2], t[3]);
        as(op::mul_f32, t[4], b, t[0]);
        as(op::mul_f32, t[5], a, t[1]);
        as(op::add_f32, t[4], t[4], t[5]);
        store(as, s, x, cache, 0, t[2]);
        store(as, s, x, cache, other, t[4]);
    }
    template <class Sink>
    constexpr void keep_element(ptx::assembler<Sink>& as, const head_state& s, const norm_state& norm, ptx::reg index) const {
        using namespace ptx;
        const reg x = element_at(as, s.x, index, 4);
        const reg w = norm.on ? element_at(as, norm.w, index, 4) : reg{};
        const reg value = load(as, norm, x, w, 0);
        store(as, s, x, element_at(as, s.cache, index, kv_bytes()), 0, value);
    }
};

constexpr rope_append_kernel kernel_of(const rope_append& c) { return {.c = c}; }
constexpr verdict check_kernel(const rope_append& c) {
    if (verdict v = check(c); !v.ok()) return v;
    return detail::checking{"rope_append"}.size("heads of all rows", kernel_of(c).slices(), max_dimension).result;
}

}  // namespace netra::inline v0
