// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The operation of a task group: one contract of any kind.
#pragma once

#include <netra/contracts/ops/add.hpp>
#include <netra/contracts/ops/attention.hpp>
#include <netra/contracts/ops/embedding.hpp>
#include <netra/contracts/ops/projection.hpp>
#include <netra/contracts/ops/sampling.hpp>

namespace netra::inline v0 {

enum class op_kind : u8_t { none, rope_table, embedding, rms_norm, projection, rope_append, attention, attention_combine, gated_mul, add, sampling };

constexpr const char* name_of(op_kind k) {
    constexpr const char* names[] = {"none",      "rope_table",        "embedding", "rms_norm", "projection", "rope_append",
                                     "attention", "attention_combine", "gated_mul", "add",      "sampling"};
    return names[static_cast<usz>(k)];
}

/// Only the contract that `kind` names is meaningful; `none` is an operation without a contract, for schedules of other origin.
struct operation {
    op_kind kind = op_kind::none;
    netra::rope_table angles{};
    netra::embedding embed{};
    rms_norm norm{};
    netra::projection project{};
    netra::rope_append append{};
    netra::attention attend{};
    gated_mul gate{};
    netra::add sum{};
    netra::sampling sample{};
    /// Of a projection or an embedding: activations are words of 8 bytes, a value and its epoch. What is added to the outputs lies elsewhere than they.
    bool words = false;
    /// With words: so many blocks have a pair each, their largest value and where it is. A projection's outputs are then plain and its tiles write the pairs,
    /// an embedding reads them.
    u32_t pairs = 0;
    bool again = false;  ///< with words: an embedding reads what it overwrites

    constexpr operation() = default;
    constexpr operation(const netra::rope_table& c) : kind(op_kind::rope_table), angles(c) {}      // NOLINT: a contract is an operation
    constexpr operation(const netra::embedding& c) : kind(op_kind::embedding), embed(c) {}         // NOLINT
    constexpr operation(const rms_norm& c) : kind(op_kind::rms_norm), norm(c) {}                   // NOLINT
    constexpr operation(const netra::projection& c) : kind(op_kind::projection), project(c) {}     // NOLINT
    constexpr operation(const netra::rope_append& c) : kind(op_kind::rope_append), append(c) {}    // NOLINT
    constexpr operation(const netra::attention& c) : kind(op_kind::attention), attend(c) {}        // NOLINT
    constexpr operation(const gated_mul& c) : kind(op_kind::gated_mul), gate(c) {}                 // NOLINT
    constexpr operation(const netra::add& c) : kind(op_kind::add), sum(c) {}                       // NOLINT
    constexpr operation(const netra::sampling& c) : kind(op_kind::sampling), sample(c) {}          // NOLINT
    /// The second half of a split attention: merges the partial results of its tiles.
    static constexpr operation combine(const netra::attention& c) {
        operation o{c};
        o.kind = op_kind::attention_combine;
        return o;
    }
    static constexpr operation of_words(operation o, u32_t pairs = 0) {
        o.words = true;
        o.pairs = pairs;
        return o;
    }
    friend constexpr bool operator==(const operation&, const operation&) = default;
};
/// Bytes of an input or a result.
constexpr u64_t input_bytes(const operation& o) { return o.words ? 8 : 4; }
constexpr u64_t result_bytes(const operation& o) { return o.words && !(o.kind == op_kind::projection && o.pairs != 0) ? 8 : 4; }

/// Bytes of a row of so many: words come in pairs, so a zero follows an odd number of them.
constexpr u64_t row_of(u64_t width, u64_t each) { return (width + (each == 8 ? width % 2 : 0)) * each; }

/// Calls `f` with the contract that the operation holds (not for op_kind::none).
template <class F>
constexpr auto visit(const operation& o, F&& f) {
    switch (o.kind) {
        case op_kind::rope_table: return f(o.angles);
        case op_kind::embedding: return f(o.embed);
        case op_kind::rms_norm: return f(o.norm);
        case op_kind::projection: return f(o.project);
        case op_kind::rope_append: return f(o.append);
        case op_kind::gated_mul: return f(o.gate);
        case op_kind::add: return f(o.sum);
        case op_kind::sampling: return f(o.sample);
        default: return f(o.attend);
    }
}

constexpr verdict check(const operation& o) {
    const bool entry = o.kind == op_kind::embedding;
    if (o.words && o.kind != op_kind::projection && !entry) return refuse(reason::bad_parameter, name_of(o.kind), "words");
    if ((o.pairs != 0 || o.again) && !o.words) return refuse(reason::bad_parameter, name_of(o.kind), "words");
    if (o.pairs > max_dimension || (o.again && (!entry || o.pairs != 0))) return refuse(reason::bad_parameter, name_of(o.kind), "pairs");
    return o.kind == op_kind::none ? verdict{} : visit(o, [](const auto& c) { return check(c); });
}
constexpr u64_t bytes(const operation& o) {
    return o.kind == op_kind::none ? 0 : visit(o, [](const auto& c) { return bytes(c); });
}
constexpr u64_t flops(const operation& o) {
    return o.kind == op_kind::none ? 0 : visit(o, [](const auto& c) { return flops(c); });
}

/// What an operation reads or writes, in the order in which a task group lists its accesses: `bytes` of each of `rows` rows, all tiles
/// together. A weight is one long row; a cache has a row per position, its kv heads side by side.
struct operand {
    u64_t rows = 1;
    u64_t bytes = 0;
    bool write = false;
};
using operand_list = static_vector<operand, 12>;

constexpr operand_list operands_of(const operation& o) {
    operand_list list;
    const auto in = [&](u64_t rows, u64_t bytes) { list.push_back({rows, bytes, false}); };
    const auto out = [&](u64_t rows, u64_t bytes) { list.push_back({rows, bytes, true}); };
    switch (o.kind) {
        case op_kind::none: break;
        case op_kind::rope_table:
            in(1, 4);  // the position of row 0
            if (o.angles.frequencies.scaling == rope_scaling::table) in(1, 2ULL * rotary_dims(o.angles));
            out(o.angles.rows, 4ULL * rotary_dims(o.angles));
            break;
        case op_kind::embedding:
            if (o.words && o.pairs != 0) in(o.embed.rows, 16ULL * o.pairs);
            if (o.words && o.again) in(o.embed.rows, input_bytes(o) * o.embed.width);
            in(o.embed.rows, 4);
            in(1, o.embed.vocab * bytes_of(o.embed.weight, o.embed.width));
            out(o.embed.rows, result_bytes(o) * o.embed.width);
            break;
        case op_kind::rms_norm:
            in(o.norm.rows, 4ULL * o.norm.width);
            in(1, 4ULL * o.norm.width);
            out(o.norm.rows, 4ULL * o.norm.width);
            break;
        case op_kind::projection: {
            const auto& c = o.project;
            const u64_t rows = c.last_row ? 1 : c.parts[0].rows;
            in(rows, row_of(c.parts[0].in, input_bytes(o)));
            if (c.norm) in(1, 4ULL * c.before.width);
            for (const auto& p : c.parts) {
                in(1, p.out * weight_row_bytes(p));
                if (p.bias) in(1, 4ULL * p.out);
            }
            if (c.after == epilogue::add) in(rows, row_of(output_width(c), result_bytes(o)));
            out(rows, row_of(output_width(c), result_bytes(o)));
            if (o.words && o.pairs != 0) out(rows, 16ULL * o.pairs);
            break;
        }
        case op_kind::rope_append: {
            const auto& c = o.append;
            const u64_t head = 4ULL * c.table.head_dim;
            const u64_t cache_row = u64_t{c.kv_heads} * c.table.head_dim * bits_of(c.kv) / 8;
            in(c.table.rows, c.heads * head);
            in(c.table.rows, c.kv_heads * head);
            in(c.table.rows, c.kv_heads * head);
            in(c.table.rows, 4ULL * rotary_dims(c.table));
            if (c.qk_norm) in(1, head), in(1, head);
            out(c.table.rows, c.heads * head);
            out(c.context, cache_row);
            out(c.context, cache_row);
            break;
        }
        case op_kind::attention: {
            const auto& c = o.attend;
            const u64_t cache_row = u64_t{c.kv_heads} * c.head_dim * bits_of(c.kv) / 8;
            in(c.rows, 4ULL * c.heads * c.head_dim);
            for (int part = 0; part < 2; ++part) in(c.context, cache_row), in(c.context, cache_row);  // keys, values: past, then fresh
            out(c.rows, c.splits == 1 ? 4ULL * c.heads * c.head_dim : partial_bytes(c));
            break;
        }
        case op_kind::attention_combine:
            in(o.attend.rows, partial_bytes(o.attend));
            out(o.attend.rows, 4ULL * o.attend.heads * o.attend.head_dim);
            break;
        case op_kind::gated_mul:
            in(o.gate.rows, 4ULL * o.gate.width);  // gates
            in(o.gate.rows, 4ULL * o.gate.width);  // ups
            out(o.gate.rows, 4ULL * o.gate.width);
            break;
        case op_kind::add:
            in(o.sum.rows, 4ULL * o.sum.width);
            in(o.sum.rows, 4ULL * o.sum.width);
            out(o.sum.rows, 4ULL * o.sum.width);
            break;
        case op_kind::sampling:
            in(1, 4ULL * o.sample.vocab);
            out(1, 4);
            break;
    }
    return list;
}

}  // namespace netra::inline v0
