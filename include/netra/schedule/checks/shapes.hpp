// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether the operations of a schedule agree with each other and with their buffers: rows of a step, layout of caches, alignment.
#pragma once

#include <netra/detail/scratch.hpp>
#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

namespace detail {

/// How a cache is laid out; every operation that touches it must mean the same.
struct cache_shape {
    u64_t kv_heads = 0;
    u64_t head_dim = 0;
    u64_t context = 0;
    u64_t bits = 0;
};
constexpr cache_shape cache_of(const operation& o) {
    if (o.kind == op_kind::rope_append) return {o.append.kv_heads, o.append.table.head_dim, o.append.context, bits_of(o.append.kv)};
    if (o.kind == op_kind::attention || o.kind == op_kind::attention_combine)
        return {o.attend.kv_heads, o.attend.head_dim, o.attend.context, bits_of(o.attend.kv)};
    return {};
}

/// Rows of the step that an operation belongs to; 0 where it does not depend on them.
constexpr u64_t step_rows(const operation& o) {
    switch (o.kind) {
        case op_kind::rope_table: return o.angles.rows;
        case op_kind::embedding: return o.embed.rows;
        case op_kind::rms_norm: return o.norm.rows;
        case op_kind::projection: return o.project.last_row ? 0 : o.project.parts[0].rows;
        case op_kind::rope_append: return o.append.table.rows;
        case op_kind::attention:
        case op_kind::attention_combine: return o.attend.rows;
        case op_kind::gated_mul: return o.gate.rows;
        case op_kind::add: return o.sum.rows;
        case op_kind::none:
        case op_kind::sampling: break;
    }
    return 0;
}

/// Goes through the groups in their order. @pre every group's own operands were found right
class shape_walk {
  public:
    constexpr explicit shape_walk(const schedule_view& s) : s_(s), caches_(s.buffer_count) {}

    constexpr verdict run() {
        for (usz g = 0; g < s_.group_count && found_.ok(); ++g)
            if (s_.op_of(s_.groups[g]).kind != op_kind::none) visit(s_.groups[g]);
        for (usz g = 0; g < s_.group_count && found_.ok(); ++g) last_row(s_.groups[g]);
        return found_;
    }

  private:
    constexpr void visit(const group& g) {
        const operation& o = s_.op_of(g);
        if (const u64_t rows = step_rows(o); rows != 0) agree(g, "rows", rows, rows_);
        const cache_shape mine = cache_of(o);
        if (mine.context != 0) agree(g, "context", mine.context, context_);
        for (const auto& a : g.accesses) {
            const buffer& b = s_.buffers[a.buffer];
            multiple(g.name, "first byte of an operand", hull(a.range, g.tiles).begin);
            if (b.kind == buffer_kind::activation || b.kind == buffer_kind::output) {
                multiple(b.name, "bytes of a row", b.row_bytes);
                multiple(b.name, "first byte in the arena", b.arena);
            }
            if (b.kind != buffer_kind::state) continue;
            cache_shape& known = caches_[a.buffer];
            agree(g, "kv heads of a cache", mine.kv_heads, known.kv_heads);
            agree(g, "head_dim of a cache", mine.head_dim, known.head_dim);
            agree(g, "bits of a cache's element", mine.bits, known.bits);
            equal(b.name, "rows of a cache", b.rows, mine.context);
            equal(b.name, "bytes of a cache's row", b.row_bytes, mine.kv_heads * mine.head_dim * mine.bits / 8);
        }
        if (o.kind == op_kind::projection || o.kind == op_kind::gated_mul || o.kind == op_kind::add) whole_elements(g);
    }
    /// A projection of the last row finds it behind the others.
    constexpr void last_row(const group& g) {
        const operation& o = s_.op_of(g);
        if (o.kind != op_kind::projection || !o.project.last_row) return;
        equal(g.name, "rows", o.project.parts[0].rows, 1);
        const buffer& b = s_.buffers[g.accesses[0].buffer];
        if (found_.ok() && b.rows < rows_)
            found_ = refuse(reason::wrong_row_count, g.name, b.name).with(label::operand, 0).with(label::actual, b.rows).with(label::expected, rows_);
    }
    /// Tiles of outputs that may be cut anywhere begin and end between elements.
    constexpr void whole_elements(const group& g) {
        const byte_range& r = g.accesses.back().range;
        const bool all = r.first % 4 == 0 && r.stride % 4 == 0 && r.size % 4 == 0 && r.low % 4 == 0 && r.high % 4 == 0;
        for (u32_t t = 0; !all && t < g.tiles && found_.ok(); ++t) {
            const interval bytes = bytes_of_tile(r, t);
            if (bytes.empty()) continue;
            multiple(g.name, "first byte of a tile", bytes.begin);
            multiple(g.name, "last byte of a tile + 1", bytes.end);
        }
    }
    constexpr void agree(const group& g, const char* what, u64_t mine, u64_t& known) {
        if (known == 0) known = mine;
        equal(g.name, what, mine, known);
    }
    constexpr void equal(const name& subject, const char* what, u64_t actual, u64_t expected) {
        if (found_.ok() && actual != expected)
            found_ = refuse(reason::shape_mismatch, subject, what).with(label::actual, actual).with(label::expected, expected);
    }
    constexpr void multiple(const name& subject, const char* what, u64_t value) {
        if (found_.ok() && value % 4 != 0) found_ = refuse(reason::not_a_multiple, subject, what).with(label::value, value).with(label::multiple, 4);
    }

    schedule_view s_;
    scratch<cache_shape> caches_;
    u64_t rows_ = 0;
    u64_t context_ = 0;
    verdict found_{};
};

}  // namespace detail

/// @pre every group has operands that fit its own operation
constexpr verdict check_shapes(const schedule_view& s) { return detail::shape_walk(s).run(); }

}  // namespace netra::inline v0
