// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// h = h + delta in PTX: a thread four elements, or one where rows are not multiples of four.
#pragma once

#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

struct add_tactic {
    u32_t threads = 128;
    friend constexpr bool operator==(const add_tactic&, const add_tactic&) = default;
};

/// Bit for bit what the reference gives.
struct add_kernel {
    add c{};
    add_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"h", "delta"}); }
    constexpr u32_t elements() const { return c.width % 4 == 0 ? 4 : 1; }
    constexpr u32_t blocks_of_row() const { return (c.width / elements() + tactic.threads - 1) / tactic.threads; }
    constexpr kernel_launch launch() const { return {.blocks = c.rows * blocks_of_row(), .threads = tactic.threads}; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const reg block = as.b32();
        const reg row = as.b32();
        const reg column = as.b32();
        const reg thread = as.b32();
        as(op::mov_u32, block, block_index);
        as(op::mov_u32, thread, thread_index);
        as(op::div_u32, row, block, blocks_of_row());
        as(op::rem_u32, column, block, blocks_of_row());
        as(op::mad_lo_u32, column, column, tactic.threads, thread);
        end_from(as, column, c.width / elements());
        const reg h = pointer_to(as, "h", column, 4 * elements());
        const reg delta = pointer_to(as, "delta", column, 4 * elements());
        for (const reg& p : fragment<2>{{h, delta}}.r) as(op::mad_wide_u32, p, row, c.width * 4, p);
        const auto sums = as.template fragment_of<4>(register_class::f32);
        const auto terms = as.template fragment_of<4>(register_class::f32);
        if (elements() == 4) {
            as(op::ld_global_v4_f32, sums, at(h));
            as(op::ld_global_v4_f32, terms, at(delta));
            for (u32_t i = 0; i < 4; ++i) as(op::add_f32, sums[i], sums[i], terms[i]);
            as(op::st_global_v4_f32, at(h), sums);
        } else {
            as(op::ld_global_f32, sums[0], at(h));
            as(op::ld_global_f32, terms[0], at(delta));
            as(op::add_f32, sums[0], sums[0], terms[0]);
            as(op::st_global_f32, at(h), sums[0]);
        }
        as(op::ret);
    }
};

constexpr add_kernel kernel_of(const add& c) { return {.c = c}; }
constexpr verdict check_kernel(const add& c) { return check(c); }

}  // namespace netra::inline v0
