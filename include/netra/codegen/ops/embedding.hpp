// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y[rows][width] = table[token[rows]][width] in PTX: a warp 256 elements of a row.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/weights.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

struct embedding_tactic {
    u32_t warps = 4;
    friend constexpr bool operator==(const embedding_tactic&, const embedding_tactic&) = default;
};

struct embedding_kernel {
    embedding c{};
    embedding_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"tokens", "table", "y"}); }
    constexpr u32_t pieces() const { return (c.width + ptx::terms_of_warp - 1) / ptx::terms_of_warp; }
    constexpr kernel_launch launch() const { return {.blocks = (c.rows * pieces() + tactic.warps - 1) / tactic.warps, .threads = 32 * tactic.warps}; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const warp_place place = find_place(as, tactic.warps);
        end_from(as, place.warp, c.rows * pieces());
        const reg row = as.b32();
        const reg first = as.b32();  // this lane's first element
        as(op::div_u32, row, place.warp, pieces());
        as(op::rem_u32, first, place.warp, pieces());
        as(op::shl_b32, first, first, 8U);
        as(op::mad_lo_u32, first, place.lane, terms_of_lane, first);
        end_from(as, first, c.width);

        const reg token = as.b32();
        as(op::ld_global_b32, token, at(pointer_to(as, "tokens", row, 4)));
        const reg from = pointer_to(as, "table", first, element_bytes(c.weight));
        const reg start = as.b64();
        const reg row_bytes = as.b64();
        as(op::cvt_u64_u32, start, token);
        as(op::mov_u64, row_bytes, bytes_of(c.weight, c.width));
        as(op::mad_lo_u64, from, start, row_bytes, from);
        const reg to = pointer_to(as, "y", first, 4);
        as(op::mad_wide_u32, to, row, c.width * 4, to);
        for (u32_t j = 0; j < terms_of_lane; ++j) {
            if (c.width % terms_of_lane != 0 && j != 0) {
                const reg index = as.b32();
                as(op::add_u32, index, first, j);
                end_from(as, index, c.width);
            }
            as(op::st_global_f32, at(to, 4 * j), load_element(as, c.weight, from, j * element_bytes(c.weight)));
        }
        as(op::ret);
    }
};

constexpr embedding_kernel kernel_of(const embedding& c) { return {.c = c}; }
constexpr verdict check_kernel(const embedding& c) {
    if (verdict v = check(c); !v.ok()) return v;
    return ptx::check_plain("embedding", c.weight);
}

}  // namespace netra::inline v0
