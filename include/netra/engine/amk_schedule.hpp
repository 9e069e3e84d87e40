// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// An `amk` program written out as the exact checker reads it: which bytes each task reads and writes, in which memory.
#pragma once

#include <netra/engine/amk_structure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace netra::inline v0 {

namespace detail {

class amk_expander {
public:
    amk_expander(const amk_program& p, schedule_faults& faults) : p_(p), faults_(faults) {}

    task_schedule run() {
        first_append_.assign(p_.buffers.size(), never);
        for (const amk_task& t : p_.tasks) {
            if (t.op != amk_op::kv_append) continue;
            u64_t& first = first_append_[index(t.outputs[0])];
            first = std::min(first, static_cast<u64_t>(std::max<i64_t>(t.whole("pos"), 0)));
        }
        for (usz i = 0; i < p_.buffers.size(); ++i) add_buffer(i);
        for (const auto& [b, page] : p_.page_of) out_.buffers[index(b)].space = static_cast<u32_t>(p_.buffers.size() + index(page));
        for (const amk_counter& c : p_.counters) out_.counters.push_back(static_cast<u64_t>(c.init));
        i64_t last_queue = -1;
        for (const amk_task& t : p_.tasks) last_queue = std::max(last_queue, t.sm.value_or(-1));
        out_.queues = static_cast<u32_t>(last_queue + 1);
        for (usz i = 0; i < p_.tasks.size(); ++i) add_task(i);
        out_.queues = std::max(out_.queues, 1U);
        return std::move(out_);
    }

private:
    static constexpr u64_t never = ~u64_t{0};
    static usz index(i64_t id) { return static_cast<usz>(id); }

    struct layout {
        u64_t rows = 1;
        u64_t row_bytes = 0;
        bool whole_bytes = true;  ///< its rows begin at bytes
        u64_t positions = 0;      ///< as a cache; 0: cannot be one
        u64_t rows_of_position = 1;
    };
    static bool batched(const amk_buffer& b) { return b.kind == amk_kind::kv_cache && b.shape.size() == 4; }

    static layout layout_of(const amk_buffer& b) {
        if (b.last() * b.bits() % 8 != 0) return {.rows = 1, .row_bytes = b.bytes(), .whole_bytes = false};
        if (batched(b)) {  // a history per sequence: the bytes of one position, whatever the sequence, are one row
            const u64_t positions = b.dim(1);
            return {.rows = positions, .row_bytes = b.bytes() / positions, .positions = positions};
        }
        layout l{.rows = b.rows(), .row_bytes = b.last() * b.bits() / 8};
        if (b.shape.size() >= 2) l.positions = b.dim(0), l.rows_of_position = l.rows / l.positions;
        return l;
    }
    void add_buffer(usz i) {
        const amk_buffer& b = p_.buffers[i];
        const layout l = layout_of(b);
        layouts_.push_back(l);
        expanded_buffer made{.name = name{b.name.c_str()}, .space = static_cast<u32_t>(i), .rows = l.rows, .row_bytes = l.row_bytes};
        switch (b.kind) {
            case amk_kind::weight:
            case amk_kind::constant:
                made.kind = buffer_kind::weight;
                made.held_rows = l.rows;
                break;
            case amk_kind::io_input:
                made.kind = buffer_kind::input;
                made.held_rows = l.rows;
                break;
            case amk_kind::kv_cache:
                made.kind = buffer_kind::state;
                made.held_rows = std::min(l.rows, held_positions(i) * l.rows_of_position);
                break;
            case amk_kind::io_output:
                made.kind = buffer_kind::output;
                break;
            case amk_kind::activation:
                break;
        }
        out_.buffers.push_back(made);
    }
    /// A step finds the positions before the first one that it appends.
    u64_t held_positions(usz buffer) const {
        constexpr u64_t most = u64_t{1} << 32;
        if (first_append_[buffer] != never) return first_append_[buffer];
        return p_.pos && *p_.pos >= 0 ? std::min(static_cast<u64_t>(*p_.pos), most) : most;
    }

    void add_task(usz i) {
        const amk_task& t = p_.tasks[i];
        task_ = i;
        const u32_t queue = t.sm ? static_cast<u32_t>(*t.sm) : out_.queues++;
        out_.add_task(name{(t.label.empty() ? fmt::format("task {}", i) : fmt::format("{}:{}", i, t.label)).c_str()}, queue);
        out_.add_signal(static_cast<u32_t>(t.out_counter));
        for (const amk_wait& w : t.waits) out_.add_wait({static_cast<u32_t>(w.counter), static_cast<u64_t>(w.threshold)});
        if (t.op != amk_op::gemm_tile) no_row_tile(t);
        switch (t.op) {
            case amk_op::gemv_tile:
            case amk_op::gemm_tile:
                return tile(t);
            case amk_op::kv_append:
                return append(t);
            case amk_op::attention_tile:
                return attention(t);
            case amk_op::fused:
                whole_tile(t);
                break;
            default:
                break;
        }
        for (const i64_t b : t.inputs) touch(b, false);
        for (const i64_t b : t.outputs) touch(b, true);
    }

    void bad(const char* reason, const std::string& why) { faults_.add(reason, p_.name_of_task(task_) + " " + why); }
    const amk_buffer& buffer(i64_t id) const { return p_.buffers[index(id)]; }
    const layout& layout_of(i64_t id) const { return layouts_[index(id)]; }

    void touch(i64_t id, bool write) {
        const layout& l = layout_of(id);
        add(id, write, 0, l.rows, 0, l.row_bytes);
    }
    void touch_rows(i64_t id, bool write, u64_t first, u64_t end) { add(id, write, first, end, 0, layout_of(id).row_bytes); }
    void add(i64_t id, bool write, u64_t first_row, u64_t end_row, u64_t first_byte, u64_t end_byte) {
        out_.add_access({.buffer = static_cast<u32_t>(id),
                         .write = write,
                         .first_row = first_row,
                         .end_row = end_row,
                         .first_byte = first_byte,
                         .end_byte = end_byte});
    }

    /// [first, first + count) lies in [0, size).
    static bool inside(i64_t first, i64_t count, u64_t size) {
        return first >= 0 && count >= 1 && static_cast<u64_t>(first) <= size &&
               static_cast<u64_t>(count) <= size - static_cast<u64_t>(first);
    }

    void no_row_tile(const amk_task& t) {
        if (t.outputs.empty() || (t.param("m_off") == nullptr && t.param("M_tile") == nullptr)) return;
        const u64_t rows = buffer(t.outputs[0]).rows();
        const i64_t first = t.whole("m_off");
        const i64_t count = t.whole("M_tile", static_cast<i64_t>(rows));
        if (first != 0 || count < 0 || static_cast<u64_t>(count) != rows)
            bad("row_tile_ignored",
                fmt::format("is given the rows from {} on, {} of them, but its operation writes all {}; only GEMM_TILE has tiles of rows",
                            first, count, rows));
    }
    void whole_tile(const amk_task& t) {
        if (t.param("N_tile") == nullptr && t.param("n_off") == nullptr) return;
        const u64_t columns = buffer(t.outputs[0]).last();
        if (t.whole("n_off") != 0 || static_cast<u64_t>(t.whole("N_tile", static_cast<i64_t>(columns))) != columns)
            bad("out_of_bounds",
                fmt::format("is given a part of the {} columns of its output; this operation writes all of them", columns));
    }

    void tile(const amk_task& t) {
        const i64_t out = t.outputs[0];
        const amk_buffer& o = buffer(out);
        const i64_t n = t.whole("n_off");
        const i64_t n_count = t.whole("N_tile");
        if (!inside(n, n_count, o.last()))
            return bad("out_of_bounds",
                       fmt::format("writes {} columns from {} on; {} has {}", n_count, n, p_.name_of_buffer(index(out)), o.last()));
        const bool by_rows = t.op == amk_op::gemm_tile;
        const i64_t m = by_rows ? t.whole("m_off") : 0;
        const i64_t m_count = by_rows ? t.whole("M_tile") : static_cast<i64_t>(o.rows());
        if (!inside(m, m_count, o.rows()))
            return bad("out_of_bounds",
                       fmt::format("writes {} rows from {} on; {} has {}", m_count, m, p_.name_of_buffer(index(out)), o.rows()));
        const u64_t first = static_cast<u64_t>(n);
        const u64_t end = first + static_cast<u64_t>(n_count);
        const u64_t first_row = static_cast<u64_t>(m);
        const u64_t end_row = first_row + static_cast<u64_t>(m_count);
        const bool all = first == 0 && end == o.last() && first_row == 0 && end_row == o.rows();
        if (!all && (batched(o) || !layout_of(out).whole_bytes))
            return bad("out_of_bounds",
                       fmt::format("writes a part of {}, whose rows are not whole bytes in order", p_.name_of_buffer(index(out))));
        if (buffer(t.inputs[0]).rows() == o.rows() && plain(t.inputs[0]))
            touch_rows(t.inputs[0], false, first_row, end_row);
        else
            touch(t.inputs[0], false);
        for (usz i = 1; i < t.inputs.size(); ++i) read_outputs(t.inputs[i], o.last(), first, end);
        if (all) return touch(out, true);
        add(out, true, first_row, end_row, first * o.bits() / 8, (end * o.bits() + 7) / 8);
    }
    bool plain(i64_t id) const { return !batched(buffer(id)) && layout_of(id).whole_bytes; }
    /// Of a weight, bias or scales with something for each of `outputs` outputs: what belongs to [first, end).
    void read_outputs(i64_t id, u64_t outputs, u64_t first, u64_t end) {
        const amk_buffer& b = buffer(id);
        if (b.shape.size() == 2 && b.dim(0) == outputs && plain(id)) return touch_rows(id, false, first, end);
        if (b.shape.size() == 1 && b.dim(0) == outputs) return add(id, false, 0, 1, first * b.bits() / 8, (end * b.bits() + 7) / 8);
        touch(id, false);
    }

    void append(const amk_task& t) {
        const i64_t cache = t.outputs[0];
        const layout& l = layout_of(cache);
        if (l.positions == 0)
            return bad("out_of_bounds", fmt::format("appends to {}, which has no positions", p_.name_of_buffer(index(cache))));
        const u64_t position = buffer(cache).elements() / l.positions;
        const u64_t count = batched(buffer(cache)) ? 1 : std::max<u64_t>(buffer(t.inputs[0]).elements() / position, 1);
        const i64_t pos = t.whole("pos");
        if (!inside(pos, static_cast<i64_t>(count), l.positions))
            return bad("out_of_bounds",
                       fmt::format("appends {} positions from {} on; {} has {}", count, pos, p_.name_of_buffer(index(cache)), l.positions));
        touch(t.inputs[0], false);
        if (t.inputs[1] != cache) touch(t.inputs[1], false);
        touch_rows(cache, true, static_cast<u64_t>(pos) * l.rows_of_position, (static_cast<u64_t>(pos) + count) * l.rows_of_position);
    }

    void attention(const amk_task& t) {
        const i64_t start = t.whole("kv_start");
        const i64_t length = t.whole("kv_len");
        if (length < 1) return bad("empty_window", fmt::format("attends to {} positions; at least 1 is needed", length));
        const i64_t heads = t.whole("n_heads");
        const i64_t kv_heads = t.whole("n_kv_heads");
        if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
            bad("heads_not_divisible",
                fmt::format("has {} query heads for {} key-value heads; each of the latter must serve as many", heads, kv_heads));
        touch(t.inputs[0], false);
        for (usz i = 1; i < 3; ++i) {
            const layout& l = layout_of(t.inputs[i]);
            if (!inside(start, length, l.positions))
                return bad("out_of_bounds", fmt::format("reads {} positions from {} on; {} has {}", length, start,
                                                        p_.name_of_buffer(index(t.inputs[i])), l.positions));
            touch_rows(t.inputs[i], false, static_cast<u64_t>(start) * l.rows_of_position,
                       static_cast<u64_t>(start + length) * l.rows_of_position);
        }
        for (usz i = 3; i < t.inputs.size(); ++i) touch(t.inputs[i], false);
        touch(t.outputs[0], true);
    }

    const amk_program& p_;
    schedule_faults& faults_;
    task_schedule out_;
    std::vector<layout> layouts_;
    std::vector<u64_t> first_append_;
    usz task_ = 0;
};

}  // namespace detail

/// Adds what lies outside of its buffer to `faults`; the result is whole only when there is nothing. @pre check_amk_structure found no
/// fault
inline task_schedule expand_amk(const amk_program& p, schedule_faults& faults) { return detail::amk_expander(p, faults).run(); }

}  // namespace netra::inline v0
