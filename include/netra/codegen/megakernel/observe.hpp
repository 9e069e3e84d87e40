// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a plan may ask for beside the work: time stamps of tasks, and delays that tests inject.
#pragma once

#include <netra/codegen/megakernel/block.hpp>

namespace netra::inline v0 {

/// A task of a block in one step, in nanoseconds of the GPU's global timer; 0 for tasks that the block did not have.
struct trace_record {
    u64_t start = 0;  ///< the role turned to the task
    u64_t ready = 0;  ///< its input had come
    u64_t end = 0;
    u64_t unused = 0;
};
/// Where a trace keeps a task: [blocks][steps][traced_tasks].
constexpr u32_t tasks_of_layer = 6;
constexpr u32_t traced_tasks(const stream_plan& p) { return p.model.layers * tasks_of_layer + 4; }
constexpr u32_t traced_place(const stream_plan& p, block_task t, u32_t layer) {
    switch (t) {
        case block_task::head: return p.model.layers * tasks_of_layer;
        case block_task::embedding: return p.model.layers * tasks_of_layer + 1;
        case block_task::choose: return p.model.layers * tasks_of_layer + 2;
        case block_task::draw: return p.model.layers * tasks_of_layer + 3;
        case block_task::attention: return layer * tasks_of_layer + 4;
        case block_task::combine: return layer * tasks_of_layer + 5;
        default: return layer * tasks_of_layer + static_cast<u32_t>(t);
    }
}

enum class stamp : u8_t { start, ready, end };

namespace persistent {

/// The role's first thread notes the time of the current task.
template <class Sink>
constexpr void note_time(block_code<Sink>& k, stamp which) {
    using namespace ptx;
    if (!k.plan.config.trace) return;
    auto& as = k.as;
    where(as, k.leader, [&] {
        const reg place = as.b32();
        const u32_t first = traced_place(k.plan, k.task, 0);
        as(op::mov_u32, place, first);
        if (first < tasks_of_layer) as(op::mad_lo_u32, place, k.layer, tasks_of_layer, first);
        const reg row = as.b32();
        as(op::mad_lo_u32, row, k.block, k.steps, k.step);
        as(op::mad_lo_u32, row, row, traced_tasks(k.plan), place);
        const reg now = as.b64();
        as(op::mov_u64, now, clock_ns);
        as(op::st_global_b64, at(element(as, pointer(as, "trace"), row, sizeof(trace_record)), 8 * static_cast<u32_t>(which)), now);
    });
    as(op::bar_warp, -1);
}

/// The warp waits up to 8191 clocks; how many depends on block, role, task and epoch.
template <class Sink>
constexpr void delay(block_code<Sink>& k) {
    using namespace ptx;
    if (!k.plan.config.delays) return;
    auto& as = k.as;
    const reg mixed = as.b32();
    const reg start = as.b32();
    const reg now = as.b32();
    as(op::mad_lo_u32, mixed, k.epoch, 2654435761U, k.block);
    as(op::mad_lo_u32, mixed, mixed, 2246822519U, k.warp);
    as(op::add_u32, mixed, mixed, static_cast<u32_t>(k.task));
    as(op::mul_lo_u32, mixed, mixed, 3266489917U);
    as(op::shr_u32, mixed, mixed, 19U);
    as(op::mov_u32, start, clock);
    const code_label again = as.new_label();
    as.place(again);
    as(op::mov_u32, now, clock);
    as(op::sub_u32, now, now, start);
    as.when(below(as, now, mixed), op::bra, again);
}

}  // namespace persistent

}  // namespace netra::inline v0
