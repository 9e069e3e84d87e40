// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// y = activation(gate) * up in PTX: a thread an element.
#pragma once

#include <netra/codegen/ptx/activation.hpp>
#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/identity.hpp>

namespace netra::inline v0 {

struct gated_mul_tactic {
    u32_t threads = 128;
    friend constexpr bool operator==(const gated_mul_tactic&, const gated_mul_tactic&) = default;
};

/// Within 1e-6 (relative L2) of the reference.
struct gated_mul_kernel {
    gated_mul c{};
    gated_mul_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"gate_up", "y"}); }
    constexpr u32_t blocks_of_row() const { return (c.width + tactic.threads - 1) / tactic.threads; }
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
        end_from(as, column, c.width);
        const reg gates = pointer_to(as, "gate_up", column, 4);
        as(op::mad_wide_u32, gates, row, c.width * 8, gates);
        const reg to = pointer_to(as, "y", column, 4);
        as(op::mad_wide_u32, to, row, c.width * 4, to);
        const reg gate = as.f32();
        const reg up = as.f32();
        as(op::ld_global_f32, gate, at(gates));
        as(op::ld_global_f32, up, at(gates, u64_t{c.width} * 4));
        const reg y = activated(as, c.act, gate);
        as(op::mul_f32, y, y, up);
        as(op::st_global_f32, at(to), y);
        as(op::ret);
    }
};

constexpr gated_mul_kernel kernel_of(const gated_mul& c) { return {.c = c}; }
constexpr verdict check_kernel(const gated_mul& c) { return check(c); }

}  // namespace netra::inline v0
