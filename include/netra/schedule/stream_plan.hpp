// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How a decode step is laid out on a GPU as one persistent kernel: units of weight rows dealt to blocks, the slots of the weight stream,
/// attention splits, words between blocks, shared memory. Lowering, emitter and packer all read this one plan.
#pragma once

#include <netra/contracts/models/llama_weights.hpp>
#include <netra/contracts/target.hpp>
#include <netra/detail/scratch.hpp>

namespace netra::inline v0 {

/// How an activation comes to the tensor cores. single: one number of the weights' format; high_low: two of them, high and low part, which are
/// nearly fp32; half: one f16 number, three bits more than bf16, for which bf16 weights become f16 in registers. f16 numbers have a scale
/// by row, chunk and warp, and hold values down to 2^-29 of the largest.
/// automatic: high_low up to four rows, half with more.
enum class activation_parts : u8_t { automatic, single, high_low, half };
inline constexpr const char* activation_parts_names[] = {"auto", "single", "high-low", "half"};  ///< on command lines
/// bulk: one lane, cp.async.bulk with byte counts (sm_90 and later). cp_async: a warp, 16 bytes a lane (sm_80 and later).
enum class copy_path : u8_t { automatic, bulk, cp_async };

/// 0 stands for: chosen from the model and the device.
struct stream_config {
    u32_t ring_slots = 0;               ///< slots of a block's weight ring, 2 to 16 of at most 32 KB
    u32_t bytes_in_flight = 40 * 1024;  ///< of a block's weight stream. Source: H200, more delays every other access and reads no faster
    u32_t kv_splits = 0;                ///< blocks that share a kv head
    u32_t kv_block = 16;                ///< consecutive positions that stay with one split
    activation_parts activations = activation_parts::automatic;
    copy_path copies = copy_path::automatic;
    bool trace = false;                 ///< blocks store time stamps of their tasks
    bool delays = false;                ///< blocks wait pseudo-random times before tasks; for tests
    bool race_check = false;            ///< every lane arrives at barriers, for compute-sanitizer: it sees no order in a warp's coming together
    friend constexpr bool operator==(const stream_config&, const stream_config&) = default;
};

inline constexpr u32_t consumer_warps = 8;
inline constexpr u32_t unit_rows = 8;                           ///< weight rows of a unit: the narrow side of an mma operand
inline constexpr u32_t fragment_terms = 32;                     ///< terms (k) of a row in a fragment: 16 bytes of each lane
inline constexpr u32_t fragment_bytes = 512;                    ///< of a warp
inline constexpr u32_t step_terms = consumer_warps * fragment_terms;
inline constexpr u32_t most_slot_steps = 8;
inline constexpr u32_t most_pass_units = 4;
inline constexpr u32_t most_kv_splits = 32;
inline constexpr u32_t most_ring_slots = 16;

/// The projections of a layer in stream order, then the head.
enum class stream_op : u8_t { qkv, o, gate_up, down, head };
inline constexpr usz stream_ops = 5;

/// One projection: `units` of 8 weight rows are dealt to the blocks. A unit's terms are cut into `chunks` of `steps` x 256. A slot of the stream
/// holds `slot_units` units of one chunk; `pass_units` units are summed side by side, so that a chunk of the input is fetched once for them.
struct projection_plan {
    u32_t outs = 0;        ///< results of a row
    u32_t unit_outs = 8;   ///< results of a unit: 8, or 4 where gate and up rows alternate
    u32_t in = 0;
    u32_t units = 0;
    u32_t block_units = 0; ///< the most units of one block
    u32_t steps = 0;
    u32_t chunks = 0;
    u32_t slot_units = 1;
    u32_t pass_units = 1;
    bool normed = false;   ///< the input is the residual stream and goes through a norm
    friend constexpr bool operator==(const projection_plan&, const projection_plan&) = default;
};
/// Words of a row of an exchange: pairs are read at once, so a row of an odd width ends with a zero.
constexpr u32_t even(u32_t width) { return width + width % 2; }
constexpr u32_t padded_in(const projection_plan& p) { return p.chunks * p.steps * step_terms; }
constexpr u32_t slot_fragments(const projection_plan& p) { return p.slot_units * p.steps; }  ///< of a warp
constexpr u32_t slot_bytes(const projection_plan& p) { return consumer_warps * fragment_bytes * slot_fragments(p); }
constexpr u32_t passes_of(const projection_plan& p, u32_t units) { return (units + p.pass_units - 1) / p.pass_units; }
constexpr u32_t slots_of(const projection_plan& p, u32_t units) { return p.chunks == 1 ? (units + p.slot_units - 1) / p.slot_units : units * p.chunks; }

struct stream_plan {
    llama model{};
    device where{};
    stream_config config{};
    u32_t blocks = 0;
    u32_t parts = 1;       ///< of an activation
    bool f16_products = false;  ///< weights and activations are f16 when they are multiplied
    projection_plan ops[stream_ops]{};
    u32_t kv_splits = 0;
    u32_t kv_row = 0;      ///< elements of a cached row: head_dim, padded to 8
    u32_t split_positions = 0;

    constexpr const projection_plan& operator[](stream_op o) const { return ops[static_cast<usz>(o)]; }
    friend constexpr bool operator==(const stream_plan&, const stream_plan&) = default;
};

/// Significant bits of an activation when it is multiplied: with 16 it is nearly as exact as fp32 beside weights of 16 bits.
constexpr u32_t activation_bits(const stream_plan& p) { return (p.f16_products ? 11U : 8U) * p.parts; }
/// Whether bf16 weights become f16 before they are multiplied: 2^f16_weight_shift times themselves, so that from 2^-25 to 255 nothing is lost.
constexpr bool weights_change_format(const stream_plan& p) { return p.f16_products && p.model.weights.q == weight_format{bf16}; }
inline constexpr u32_t f16_weight_shift = 8;

/// value / of, rounded up.
constexpr u32_t divided_up(u64_t value, u64_t of) { return static_cast<u32_t>((value + of - 1) / of); }

namespace detail {

constexpr projection_plan plan_projection(u32_t outs, u32_t unit_outs, u32_t in, u32_t blocks, bool normed) {
    projection_plan p{.outs = outs, .unit_outs = unit_outs, .in = in, .units = divided_up(outs, unit_outs), .normed = normed};
    p.block_units = divided_up(p.units, blocks);
    const u32_t total = divided_up(in, step_terms);
    p.steps = total <= most_slot_steps ? total : most_slot_steps;
    for (u32_t s = most_slot_steps - 1; total > most_slot_steps && s >= most_slot_steps / 2; --s)
        if (divided_up(total, s) * s < divided_up(total, p.steps) * p.steps) p.steps = s;
    p.chunks = divided_up(total, p.steps);
    if (p.chunks == 1) {
        p.slot_units = most_slot_steps / p.steps;
        if (p.slot_units > most_pass_units) p.slot_units = most_pass_units;
        if (p.slot_units > p.block_units) p.slot_units = p.block_units;
        p.pass_units = p.slot_units;
    } else {
        p.pass_units = p.block_units < most_pass_units ? p.block_units : most_pass_units;
    }
    return p;
}

}  // namespace detail

/// @pre check(m) and check(c) accept
constexpr stream_plan plan_stream(const llama& m, const device& where, const stream_config& c) {
    stream_plan p{.model = m, .where = where, .config = c, .blocks = where.workers};
    const auto automatic = m.rows <= 4 ? activation_parts::high_low : activation_parts::half;
    const auto parts = c.activations == activation_parts::automatic ? automatic : c.activations;
    p.parts = parts == activation_parts::high_low ? 2 : 1;
    p.f16_products = parts == activation_parts::half || m.weights.q == weight_format{f16};
    p.ops[0] = detail::plan_projection(qkv_width(m), unit_rows, m.hidden, p.blocks, true);
    p.ops[1] = detail::plan_projection(m.hidden, unit_rows, q_width(m), p.blocks, false);
    p.ops[2] = detail::plan_projection(m.intermediate, unit_rows / 2, m.hidden, p.blocks, true);
    p.ops[3] = detail::plan_projection(m.hidden, unit_rows, m.intermediate, p.blocks, false);
    p.ops[4] = detail::plan_projection(m.vocab, unit_rows, m.hidden, p.blocks, true);
    p.kv_splits = c.kv_splits != 0 ? c.kv_splits : p.blocks / m.kv_heads;
    if (p.kv_splits == 0) p.kv_splits = 1;
    if (p.kv_splits > most_kv_splits) p.kv_splits = most_kv_splits;
    p.kv_row = divided_up(m.head_dim, 8) * 8;
    p.split_positions = divided_up(divided_up(m.context, c.kv_block), p.kv_splits) * c.kv_block;
    return p;
}

/// Blocks that have a part of the head, from block 0 on.
constexpr u32_t head_blocks(const stream_plan& p) { return divided_up(p[stream_op::head].units, p[stream_op::head].block_units); }

/// Units of a projection that block `place` has, `place` being its number counted from the projection's first block. The head is dealt in
/// runs of block_units, the others unit by unit, each from where the one before it ended, so that remainders even out.
constexpr u32_t units_at(const stream_plan& p, stream_op o, u32_t place) {
    const projection_plan& op = p[o];
    if (o != stream_op::head) return op.units / p.blocks + (place < op.units % p.blocks ? 1 : 0);
    const u32_t before = place * op.block_units;
    return before >= op.units ? 0 : op.units - before < op.block_units ? op.units - before : op.block_units;
}
/// The `i`-th of them.
constexpr u32_t unit_at(const stream_plan& p, stream_op o, u32_t place, u32_t i) {
    return o == stream_op::head ? place * p[o].block_units + i : place + i * p.blocks;
}
/// The block that is first for projection `o` of `layer` (for the head: block 0).
constexpr u32_t first_block(const stream_plan& p, stream_op o, u32_t layer) {
    if (o == stream_op::head) return 0;
    u64_t before = 0;
    for (u32_t i = 0; i < 4; ++i) before += u64_t{p.ops[i].units} * (layer + (i < static_cast<u32_t>(o) ? 1 : 0));
    return static_cast<u32_t>(before % p.blocks);
}
constexpr u32_t place_of(const stream_plan& p, stream_op o, u32_t layer, u32_t block) {
    return (block + p.blocks - first_block(p, o, layer)) % p.blocks;
}

/// Bytes of the weight stream of one block, and of the longest one.
constexpr u64_t stream_bytes(const stream_plan& p, u32_t block) {
    u64_t bytes = 0;
    for (u32_t layer = 0; layer <= p.model.layers; ++layer)
        for (u32_t i = 0; i < stream_ops; ++i) {
            const auto o = static_cast<stream_op>(i);
            if ((o == stream_op::head) != (layer == p.model.layers)) continue;
            bytes += u64_t{slots_of(p[o], units_at(p, o, place_of(p, o, layer, block)))} * slot_bytes(p[o]);
        }
    return bytes;
}
constexpr u64_t stream_stride(const stream_plan& p) {
    // Most blocks have the same; here is what each has beyond that, as the difference to the block before.
    detail::scratch<u64_t> more(u64_t{p.blocks} + 1);
    u64_t least = 0;
    const auto add = [&](u32_t from, u32_t to, u64_t bytes) { more[from] += bytes, more[to] -= bytes; };
    for (u32_t i = 0; i < stream_ops - 1; ++i) {
        const projection_plan& op = p.ops[i];
        const u32_t units = op.units / p.blocks, remain = op.units % p.blocks;
        const u64_t bytes = u64_t{slots_of(op, units)} * slot_bytes(op);
        const u64_t larger = u64_t{slots_of(op, units + 1)} * slot_bytes(op) - bytes;
        least += p.model.layers * bytes;
        for (u32_t layer = 0; layer < p.model.layers && remain != 0; ++layer) {
            const u32_t first = first_block(p, static_cast<stream_op>(i), layer);
            const u32_t end = first + remain;
            add(first, end < p.blocks ? end : p.blocks, larger);
            if (end > p.blocks) add(0, end - p.blocks, larger);
        }
    }
    u64_t most = 0, beyond = 0;
    for (u32_t b = 0; b < p.blocks; ++b) {
        beyond += more[b];
        const projection_plan& head = p[stream_op::head];
        const u64_t bytes = least + beyond + u64_t{slots_of(head, units_at(p, stream_op::head, b))} * slot_bytes(head);
        if (bytes > most) most = bytes;
    }
    return most;
}

/// Why a model has no persistent kernel on a device. plan_stream and what reads it may be used when this accepts.
constexpr verdict check(const llama& m, const device& where, const stream_config& c) {
    detail::checking checks{"megakernel"};
    checks.nested(check(m)).size("blocks", where.workers, 4096).size("kv_block", c.kv_block, 4096);
    checks.parameter("ring_slots (0, or 2 to 16)", c.ring_slots == 0 || (c.ring_slots >= 2 && c.ring_slots <= most_ring_slots));
    checks.size("kv_splits", c.kv_splits == 0 ? 1 : c.kv_splits, most_kv_splits).size("bytes_in_flight", c.bytes_in_flight, u64_t{1} << 20);
    if (!checks.result.ok()) return checks.result;
    if (where.isa != instruction_set::ptx) return refuse(reason::no_kernel, "megakernel", "a device that does not run PTX");
    const weight_format plain = m.weights.q;
    const weight_format formats[] = {m.weights.k, m.weights.v, m.weights.o, m.weights.gate, m.weights.up, m.weights.down, head_format(m), m.weights.embedding};
    for (const auto& f : formats)
        if (f != plain) return refuse(reason::no_kernel, "megakernel", "matrices of different formats");
    if (plain != weight_format{bf16} && plain != weight_format{f16}) return refuse(reason::no_kernel, "megakernel", "weights other than bf16 or f16");
    if (m.kv != bf16) return refuse(reason::no_kernel, "megakernel", "a kv cache other than bf16");
    if (m.rows != 1 && m.rows != 2 && m.rows != 4 && m.rows != 8 && m.rows != 16) return refuse(reason::no_kernel, "megakernel", "rows other than 1, 2, 4, 8, 16");
    if (m.rows == 16 && c.activations == activation_parts::high_low) return refuse(reason::no_kernel, "megakernel", "high and low parts of 16 rows");
    checks.size("head_dim", m.head_dim, 256).multiple("head_dim", m.head_dim, 2).multiple("hidden", m.hidden, 2);
    if (!checks.result.ok()) return checks.result;
    // Choices are kept by blocks that also embed: their next embedding says that they have read the largest logits.
    const u32_t embedding = divided_up(m.hidden, divided_up(m.hidden, where.workers));
    if ((m.rows < where.workers ? m.rows : where.workers) > embedding)
        return refuse(reason::too_many_rows, "megakernel").with(label::rows, m.rows).with(label::limit, embedding);
    return {};
}

}  // namespace netra::inline v0
