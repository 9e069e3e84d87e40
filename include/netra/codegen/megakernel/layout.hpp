// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Where a persistent kernel finds things: words between blocks, parameters, the kv cache, shared memory, launch arguments.
#pragma once

#include <netra/contracts/ops/sampling.hpp>
#include <netra/schedule/draw_rounds.hpp>

namespace netra::inline v0 {

/// A value that one block gives to others: fp32 bits in the low half, the epoch in the high half, stored and polled as one.
inline constexpr u32_t word_bytes = 8;

/// First word of each exchange. residual: the residual stream before a layer [rows][hidden]; middle: after attention; qkv [rows][qkv width];
/// partials [rows][heads][splits][2 + head_dim] (maximum of the scores in powers of two, sum, weighted values); attended [rows][heads][head_dim];
/// gated [rows][even(intermediate)]; best [rows][blocks][2] (largest logit, or score of a draw, its id); with one row, rounds
/// [draw_rounds][blocks][round_words] (see draws.hpp).
struct word_layout {
    u64_t residual = 0, middle = 0, qkv = 0, partials = 0, attended = 0, gated = 0, best = 0, rounds = 0, end = 0;
};
constexpr u32_t partial_words(const stream_plan& p) { return 2 + p.model.head_dim; }
constexpr word_layout words_of(const stream_plan& p) {
    const auto& m = p.model;
    const u64_t rows = m.rows;
    word_layout w;
    w.middle = w.residual + rows * m.hidden;
    w.qkv = w.middle + rows * m.hidden;
    w.partials = w.qkv + rows * qkv_width(m);
    w.attended = w.partials + rows * m.heads * p.kv_splits * partial_words(p);
    w.gated = w.attended + rows * q_width(m);
    w.best = w.gated + rows * even(m.intermediate);
    w.rounds = w.best + 2 * rows * p.blocks;
    w.end = w.rounds + u64_t{rounds_of(p)} * round_words * p.blocks;
    return w;
}

/// fp32 parameters: for each layer the norms, then biases where the model has them; the final norm after the last layer. In elements; vectors
/// start at multiples of 4. A norm with plus_one has the 1 added already.
struct parameter_layout {
    u32_t attention_norm = 0, mlp_norm = 0, q_norm = 0, k_norm = 0, qkv_bias = 0, o_bias = 0, gate_bias = 0, up_bias = 0, down_bias = 0;
    u32_t layer = 0;  ///< of one layer
    u64_t final_norm = 0, end = 0;
};
constexpr parameter_layout parameters_of(const stream_plan& p) {
    const auto& m = p.model;
    parameter_layout l;
    const auto take = [&](bool there, u32_t n) {
        const u32_t at = l.layer;
        if (there) l.layer += divided_up(n, 4) * 4;
        return at;
    };
    l.attention_norm = take(true, m.hidden);
    l.mlp_norm = take(true, m.hidden);
    l.q_norm = take(m.qk_norm, m.head_dim);
    l.k_norm = take(m.qk_norm, m.head_dim);
    l.qkv_bias = take(m.qkv_bias, qkv_width(m));
    l.o_bias = take(m.o_bias, m.hidden);
    l.gate_bias = take(m.mlp_bias, m.intermediate);
    l.up_bias = take(m.mlp_bias, m.intermediate);
    l.down_bias = take(m.mlp_bias, m.hidden);
    l.final_norm = u64_t{m.layers} * l.layer;
    l.end = l.final_norm + m.hidden;
    return l;
}

/// The kv cache: keys, then values, each [layers][kv_heads][kv_splits][split_positions][kv_row] bf16. Position p is with split
/// (p / kv_block) % kv_splits, at (p / kv_block / kv_splits) * kv_block + p % kv_block; elements from head_dim on are 0.
constexpr u64_t kv_split_bytes(const stream_plan& p) { return 2ULL * p.split_positions * p.kv_row; }
constexpr u64_t kv_bytes(const stream_plan& p) { return u64_t{p.model.layers} * p.model.kv_heads * p.kv_splits * kv_split_bytes(p); }  ///< of the keys

/// What one step of a launch does.
struct step_order {
    u32_t position = 0;  ///< of row 0
    u32_t live = 1;      ///< rows that hold a token; the others are computed, but not kept
    u32_t head = 1;      ///< 0: no logits, as for all but the last rows of a prompt; 2: what is chosen is drawn, see draws()
    draw how{};          ///< with head 2
};
inline constexpr u32_t drawing_head = 2;
/// How an order with a head chooses; its position is known. @pre p is greedy or draws(plan), check(p) accepts
constexpr void order_draw(step_order& o, const sampling_parameters& p) {
    if (o.head == 0) return;
    o.how = draw_at(p, o.position);
    o.head = p.temperature == 0.0F ? 1 : drawing_head;
}

/// Kernel arguments in order. All but the last three are device memory.
struct launch_arguments {
    u64_t weights = 0;     ///< [blocks] streams of stream_stride bytes
    u64_t words = 0;       ///< words_of(plan).end words, zeroed once
    u64_t cache = 0;       ///< 2 kv_bytes
    u64_t parameters = 0;  ///< parameters_of(plan).end fp32
    u64_t embedding = 0;   ///< [vocab][hidden] in the weights' format
    u64_t angles = 0;      ///< [context][2][rotary dims / 2] fp32: cosines, sines
    u64_t orders = 0;      ///< [steps] step_order
    u64_t tokens = 0;      ///< i32 [steps][rows]; below 0: what the step before chose (one row only)
    u64_t chosen = 0;      ///< i32 [steps][rows]: the greedy choice after each row, written by steps with a head
    u64_t logits = 0;      ///< fp32 [steps][rows][vocab], or 0
    u64_t stall = 0;       ///< one stall_record
    u64_t trace = 0;       ///< trace_record [blocks][...], or 0
    u32_t steps = 1;
    u32_t epoch = 0;       ///< of the first step's tokens; a launch uses epochs_of(plan, steps) of them
    u32_t patience_ms = 2000;  ///< how long a wait may last before the launch gives up
};
constexpr u32_t epochs_of(const stream_plan& p, u32_t steps) { return steps * (p.model.layers + 1); }

/// Registers and shared memory are those of one block: consumer warps, a producer warp, attention warps.
inline constexpr u32_t attention_warps = 3;  ///< twelve warps in all may have 168 registers each, thirteen only 128
inline constexpr u32_t block_threads = 32 * (consumer_warps + 1 + attention_warps);
/// Stages of the ring in which consumer warps hand their partial sums to the warp that adds them; floats of a unit row: 8 warps, padded.
constexpr u32_t sum_stages(const stream_plan& p) { return p.model.rows <= 4 ? 8 : p.model.rows == 8 ? 4 : 2; }
inline constexpr u32_t sum_stride = 12;
/// A stage: partial sums [rows][8 unit rows][sum_stride], then the warps' sums of squares [rows][sum_stride], fp32.
constexpr u32_t sum_stage_bytes(const stream_plan& p) { return p.model.rows * (unit_rows + 1) * sum_stride * 4; }
/// Query heads that an attention warp treats at once.
inline constexpr u32_t most_queries = 4;
/// Batches of as many that the query heads of a kv head make; with one row a step all are prepared at once, with more each warp prepares its own.
/// Registers suffice for two where heads are long and a step has several rows, or the target is before sm_90.
constexpr u32_t query_batches(const stream_plan& p) {
    const bool tight = p.model.head_dim > 128 && (p.model.rows > 1 || p.where.gpu.code.capability < 90);
    return divided_up(p.model.heads / p.model.kv_heads, tight ? most_queries / 2 : most_queries);
}

/// Bytes of a warp's input of one chunk and row (of one part), padded against bank conflicts.
constexpr u32_t input_row_bytes(const projection_plan& p) { return p.steps * fragment_terms * 2 + 16; }
/// Chunks of a projection's input that stay in shared memory: all of them where later passes read them again.
constexpr u32_t kept_chunks(const projection_plan& p) { return passes_of(p, p.block_units) > 1 ? p.chunks : 1; }

struct shared_layout {
    u32_t slots = 0, slot = 0;  ///< of the ring, which begins at 0: how many, bytes of one
    u32_t full = 0, empty = 0;  ///< barriers: 4 a slot, 1 a slot
    u32_t sums_full = 0, sums_empty = 0;
    u32_t sums = 0;             ///< [stages] of sum_stage_bytes
    u32_t inputs = 0, input_warp = 0;  ///< [8 warps] of input_warp bytes
    u32_t queries = 0;          ///< [batches, or attention warps][most_queries][kv_row] fp32
    u32_t states = 0;           ///< [attention warps][most_queries][2 + kv_row] fp32
    u32_t best = 0;             ///< [8 warps][rows][2]
    u32_t flags = 0;            ///< stalled, token
    u32_t logits = 0;           ///< of the block's units, fp32, where there is room for them: only such kernels draw
    u32_t heaps = 0;            ///< 64 bits [2][8 warps][draw_heaps]: the block's sums, and those of all blocks
    u32_t end = 0;
};
constexpr shared_layout shared_of(const stream_plan& p) {
    const auto& m = p.model;
    shared_layout s;
    u32_t input = 0;
    for (const auto& op : p.ops) {
        if (slot_bytes(op) > s.slot) s.slot = slot_bytes(op);
        const u32_t bytes = kept_chunks(op) * m.rows * p.parts * input_row_bytes(op);
        if (bytes > input) input = bytes;
    }
    s.input_warp = input;
    const auto fill = [&](u32_t slots) {
        s.slots = slots;
        u32_t at = slots * s.slot;
        const auto take = [&](u32_t bytes) {
            const u32_t here = at;
            at += (bytes + 15) / 16 * 16;
            return here;
        };
        s.full = take(4 * slots * 8);
        s.empty = take(slots * 8);
        s.sums_full = take(sum_stages(p) * 8);
        s.sums_empty = take(sum_stages(p) * 8);
        s.sums = take(sum_stages(p) * sum_stage_bytes(p));
        s.inputs = take(consumer_warps * s.input_warp);
        s.queries = take((m.rows == 1 ? query_batches(p) : attention_warps) * most_queries * p.kv_row * 4);
        s.states = take(attention_warps * most_queries * (2 + p.kv_row) * 4);
        s.best = take(consumer_warps * m.rows * 8);
        s.flags = take(16);
        s.end = at;
    };
    for (u32_t slots = p.config.ring_slots != 0 ? p.config.ring_slots : 6; slots >= 2; --slots) {
        fill(slots);
        if (p.config.ring_slots != 0 || s.end <= p.where.shared_bytes) break;
    }
    const u64_t logits = u64_t{p[stream_op::head].block_units} * unit_rows * 4;
    const u32_t heaps = 2 * consumer_warps * draw_heaps * 8;
    if (m.rows == 1 && s.end + logits + heaps <= p.where.shared_bytes) {
        s.heaps = s.end;
        s.logits = s.heaps + heaps;
        s.end = s.logits + static_cast<u32_t>(logits);
    }
    return s;
}
/// Whether the kernel draws; the choices of others are greedy.
constexpr bool draws(const stream_plan& p) { return shared_of(p).logits != 0; }

/// Refuses what does not fit a block's shared memory.
constexpr verdict check_layout(const stream_plan& p) {
    for (const auto& op : p.ops)  // before sizes that 32 bits do not hold
        if (const u64_t bytes = u64_t{consumer_warps} * kept_chunks(op) * p.model.rows * p.parts * input_row_bytes(op); bytes > p.where.shared_bytes)
            return refuse(reason::too_large, "megakernel", "shared memory bytes of a block").with(label::value, bytes).with(label::limit, p.where.shared_bytes);
    const shared_layout s = shared_of(p);
    if (s.end > p.where.shared_bytes)
        return refuse(reason::too_large, "megakernel", "shared memory bytes of a block").with(label::value, s.end).with(label::limit, p.where.shared_bytes);
    return {};
}

/// plan_stream's plan; where nothing else is asked for, activations are f16 if their low parts do not fit.
template <class Model>
constexpr stream_plan fitted_stream(const Model& m, const device& where, stream_config c) {
    const stream_plan p = plan_stream(m, where, c);
    if (c.activations != activation_parts::automatic || p.parts == 1 || check_layout(p).ok()) return p;
    c.activations = activation_parts::half;
    return plan_stream(m, where, c);
}

}  // namespace netra::inline v0
