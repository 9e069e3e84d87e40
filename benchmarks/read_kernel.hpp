// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The ceiling that decoding is measured against: how many bytes a second a kernel that only reads gets from a GPU's memory.
#pragma once

#include <netra/backends/cuda.hpp>
#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/engine/string_sink.hpp>

#include <algorithm>

namespace netra::benchmarks {

/// Every thread reads 16 bytes at a time, eight loads under way.
struct read_kernel {
    u32_t blocks = 0;
    static constexpr u32_t threads = 512;
    static constexpr u32_t loads = 8;
    static constexpr name entry() { return "read"; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"from", "to", "bytes"}); }
    constexpr kernel_launch launch() const { return {.blocks = blocks, .threads = threads}; }
    constexpr u64_t stride() const { return u64_t{blocks} * threads * 16; }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const reg index = as.b32();
        const reg block = as.b32();
        const reg all = as.b32();
        as(op::mov_u32, index, thread_index);
        as(op::mov_u32, block, block_index);
        as(op::mad_lo_u32, index, block, threads, index);
        const reg from = pointer_to(as, "from", index, 16);
        const reg end = pointer_to(as, "from", index, 0);
        const reg bytes = as.b64();
        as(op::ld_param_u64, bytes, named_address{"bytes"});
        as(op::add_u64, end, end, bytes);
        as(op::mov_u32, all, 0U);
        const code_label again = as.new_label();
        as.place(again);
        fragment<4> got[loads];
        for (u32_t i = 0; i < loads; ++i) {
            got[i] = as.template fragment_of<4>(register_class::b32);
            as(op::ld_weights_v4_b32, got[i], at(from, i * stride()));
        }
        for (const auto& g : got)
            for (const reg& r : g.r) as(op::xor_b32, all, all, r);
        as(op::add_u64, from, from, loads * stride());
        const reg more = as.predicate();
        as(op::setp_lt_u64, more, from, end);
        as.when(more, op::bra, again);
        const reg unlikely = as.predicate();  // so that the loads are needed
        as(op::setp_eq_u32, unlikely, all, 0x12345678U);
        as.when(unlikely, op::st_global_b32, at(pointer_to(as, "to", index, 0)), all);
        as(op::ret);
    }
};

/// Bytes a second, the best of several runs over about 8 GB.
inline double read_bandwidth(const cuda::gpu& where) {
    const read_kernel kernel{4 * static_cast<u32_t>(where.get(cuda::attribute::multiprocessors))};
    string_sink text;
    ptx::write_module(text, kernel, sm_80, ptx::requirements_of(kernel));
    const cuda::loaded_kernel code(where, kernel_image{.text = text.s.c_str(), .size = text.s.size(), .entry = kernel.entry(), .where = sm_80, .launch = kernel.launch()});
    const u64_t round = kernel.stride() * read_kernel::loads;
    const u64_t bytes = std::min<u64_t>(u64_t{8} << 30, where.free_memory() / 2) / round * round;
    cuda::buffer_memory from(where, bytes);
    const cuda::buffer_memory to(where, 64);
    from.fill(1);
    cuda::stopwatch watch(where);
    float best = 1e9F;
    for (int i = 0; i < 8; ++i) {
        watch.start();
        const cuda::device_memory arguments[] = {from.at(), to.at(), bytes};
        code.launch(arguments);
        best = std::min(best, watch.stop());
    }
    return static_cast<double>(bytes) / (static_cast<double>(best) / 1e3);
}

}  // namespace netra::benchmarks
