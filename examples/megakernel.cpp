// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// A whole model becomes one persistent kernel while this file is compiled: planned for a GPU, proved safe, written as PTX.
#include <netra/codegen/megakernel.hpp>

#include <cstdio>

constexpr netra::llama model{.hidden = 576,
                             .layers = 30,
                             .heads = 9,
                             .kv_heads = 3,
                             .head_dim = 64,
                             .intermediate = 1536,
                             .vocab = 49152,
                             .context = 2048,
                             .rows = 1,
                             .tied_head = true,
                             .weights = netra::bf16,
                             .kv = netra::bf16};
using decode = netra::megakernel<model, netra::h200>;
static_assert(netra::accepted<decode>);  // refuses here, with numbers, or not at all

// The plan is a value: one block a multiprocessor, each with a stream of weights of its own.
constexpr const netra::stream_plan& plan = decode::plan;
static_assert(plan.blocks == 132 && plan.kv_splits == 32 && decode::launch.threads == 384);
constexpr netra::shared_layout memory = netra::shared_of(plan);
constexpr netra::u64_t stream = netra::stream_stride(plan);
static_assert(memory.end <= netra::h200.shared_bytes);

int main() {
    const netra::projection_plan& down = plan[netra::stream_op::down];
    std::printf("launch     %u blocks of %u threads, %u bytes of shared memory each\n", plan.blocks, decode::launch.threads, memory.end);
    std::printf("weights    up to %llu bytes a block and step, through %u slots of %u bytes\n", stream, memory.slots, memory.slot);
    std::printf("down       %u units of %u outputs, terms in %u x %u\n", down.units, down.unit_outs, down.chunks, down.steps * netra::step_terms);
    std::printf("attention  %u blocks share a kv head; caches of %llu bytes\n", plan.kv_splits, 2 * netra::kv_bytes(plan));
    std::printf("exchange   %llu words between blocks\n", netra::words_of(plan).end);
    std::printf("text       %zu bytes of PTX, of which the first are\n\n", decode::assembly.size());
    std::printf("%.300s...\n", decode::assembly.data());
}
