// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The time stamps of a persistent kernel as a trace: for every task of every block what it waited for, and how long it ran.
#pragma once

#include <netra/codegen/megakernel/observe.hpp>
#include <netra/engine/trace.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

/// `records` as the kernel leaves them: [blocks][steps][traced_tasks]. Of a task "o[3]" (of layer 3) there is a span "o[3]", and before it
/// "wait o[3]" where the block waited for the task's input. @throws model_error when their number is another one
inline std::vector<trace_span> spans_of(const stream_plan& p, std::span<const trace_record> records, u32_t steps) {
    const u64_t tasks = traced_tasks(p);
    if (records.size() != p.blocks * tasks * steps)
        throw model_error(fmt::format("a trace of {} records; {} blocks with {} tasks in {} steps have {}", records.size(), p.blocks, tasks,
                                      steps, p.blocks * tasks * steps));
    std::vector<trace_span> spans;
    const auto add = [&](u32_t block, u32_t step, block_task task, u32_t layer) {
        const trace_record& r = records[(u64_t{block} * steps + step) * tasks + traced_place(p, task, layer)];
        if (r.start == 0 || r.end == 0) return;
        const bool multiplies = task <= block_task::head;
        const bool of_layer = traced_place(p, task, 1) != traced_place(p, task, 0);
        const std::string name = std::string(block_tasks[static_cast<usz>(task)].d) + (of_layer ? fmt::format("[{}]", layer) : "");
        const char* role = block_roles[static_cast<usz>(multiplies ? block_role::consumer : block_role::attention)].d;
        const u64_t ready = std::clamp(r.ready, r.start, std::max(r.start, r.end));
        if (ready > r.start) spans.push_back({.block = block, .role = role, .name = "wait " + name, .begin_ns = r.start, .end_ns = ready});
        spans.push_back({.block = block, .role = role, .name = name, .begin_ns = ready, .end_ns = std::max(ready, r.end)});
    };
    for (u32_t block = 0; block < p.blocks; ++block)
        for (u32_t step = 0; step < steps; ++step) {
            add(block, step, block_task::embedding, 0);
            for (u32_t layer = 0; layer < p.model.layers; ++layer)
                for (const block_task t :
                     {block_task::qkv, block_task::attention, block_task::combine, block_task::o, block_task::gate_up, block_task::down})
                    add(block, step, t, layer);
            add(block, step, block_task::head, 0);
            add(block, step, block_task::choose, 0);
        }
    return spans;
}

}  // namespace netra::inline v0
