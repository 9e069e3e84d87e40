// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A schedule as plain text: its task groups, buffers and queues in tables, and the rows of the first as data.
#pragma once

#include <netra/schedule/cost.hpp>

namespace netra::inline v0 {

constexpr const char* name_of(buffer_kind k) {
    switch (k) {
        case buffer_kind::input:
            return "input";
        case buffer_kind::weight:
            return "weight";
        case buffer_kind::state:
            return "state";
        case buffer_kind::activation:
            return "activation";
        case buffer_kind::output:
            return "output";
    }
    return "?";
}

/// What a group waits for: any tile names counters of [first, last], one tile `count` of them.
struct wait_row {
    u32_t first = 0;
    u32_t last = 0;
    u32_t count = 1;
    u32_t threshold = 1;
};
constexpr wait_row row_of(const group& g, const wait& w) { return {w.first(0), w.first(g.tiles - 1) + w.count - 1, w.count, w.threshold}; }

/// One line of the table of groups.
struct group_row {
    usz index = 0;
    netra::name name{};
    op_kind op = op_kind::none;
    u32_t tiles = 0;
    u32_t queues = 0;  ///< that have at least one of the tiles
    u32_t first_counter = 0;
    u32_t last_counter = 0;
    static_vector<wait_row, 4> waits{};
    static_vector<netra::name, 4> words{};  ///< groups that it waits for by word
    netra::cost cost{};
};

/// @pre check_structure accepts the schedule
constexpr group_row row_of(const schedule_view& s, usz index, const step_shape& step = {}) {
    const group& g = s.groups[index];
    group_row row{.index = index,
                  .name = g.name,
                  .op = s.op_of(g).kind,
                  .tiles = g.tiles,
                  .first_counter = g.signal.first,
                  .last_counter = g.signal.first + counters_of(g) - 1,
                  .cost = cost_of(s, g, step)};
    for (const auto& w : g.waits) row.waits.push_back(row_of(g, w));
    for (const u16_t p : g.words) row.words.push_back(s.groups[p].name);
    detail::scratch<bool> used(s.queues);
    for (u32_t t = 0; t < g.tiles; ++t) {
        bool& seen = used[s.queue_of(g, t)];
        if (!seen) seen = true, ++row.queues;
    }
    return row;
}

namespace detail {

/// Columns of text: each call writes two spaces and one cell.
template <class Sink>
class column_writer {
public:
    constexpr explicit column_writer(Sink& out) : out_(out) {}

    constexpr void left(const char* s, usz width) {
        out_.lit("  ");
        out_.str(s);
        spaces(length(s), width);
    }
    constexpr void left(const name& s, usz width) {
        out_.lit("  ");
        for (usz i = 0; i < length(s); ++i) out_.ch(s.d[i]);
        spaces(length(s), width);
    }
    constexpr void right(const char* s, usz width) {
        out_.lit("  ");
        spaces(length(s), width);
        out_.str(s);
    }
    constexpr void right(u64_t v, usz width) {
        text<20> digits;
        digits.dec(v);
        right(digits.d, width);
    }
    static constexpr usz length(const char* s) {
        usz n = 0;
        while (s[n] != 0) ++n;
        return n;
    }
    // note: bounded, since g++ 12 makes a strlen of the other at -O3 and believes that names of constexpr schedules have no end
    static constexpr usz length(const name& s) {
        usz n = 0;
        while (n < sizeof s.d && s.d[n] != 0) ++n;
        return n;
    }

private:
    constexpr void spaces(usz from, usz to) {
        for (; from < to; ++from) out_.ch(' ');
    }
    Sink& out_;
};

inline constexpr usz bytes_width = 12;
inline constexpr usz flops_width = 14;

template <class Sink>
constexpr void write_cost_titles(column_writer<Sink>& cells) {
    cells.right("weights", bytes_width);
    cells.right("activations", bytes_width);
    cells.right("caches", bytes_width);
    cells.right("flops", flops_width);
}
template <class Sink>
constexpr void write_cost(column_writer<Sink>& cells, const cost& c) {
    cells.right(c.weights_read, bytes_width);
    cells.right(c.activations_read + c.activations_written, bytes_width);
    cells.right(c.cache_read + c.cache_written, bytes_width);
    cells.right(c.flops, flops_width);
}

/// c3 or c3..c7
template <class Sink>
constexpr void write_counters(Sink& out, u32_t first, u32_t last) {
    out.ch('c');
    out.dec(first);
    if (last == first) return;
    out.lit("..c");
    out.dec(last);
}
/// c3 >= 8, or c3..c7 (2 a tile) >= 1
template <class Sink>
constexpr void write_wait(Sink& out, const wait_row& w) {
    write_counters(out, w.first, w.last);
    if (w.last - w.first + 1 != w.count) {
        out.lit(" (");
        out.dec(w.count);
        out.lit(" a tile)");
    }
    out.lit(" >= ");
    out.dec(w.threshold);
}

template <class Sink>
constexpr void write_group_row(Sink& out, const group_row& row, usz name_width) {
    column_writer cells(out);
    cells.right(row.index, 5);
    cells.left(row.name, name_width);
    cells.left(name_of(row.op), 17);
    cells.right(row.tiles, 6);
    cells.right(row.queues, 6);
    text<24> counters;
    write_counters(counters, row.first_counter, row.last_counter);
    cells.left(counters.d, 12);
    write_cost(cells, row.cost);
    bool first = true;
    const auto separate = [&] {
        out.str(first ? "  " : ", ");
        first = false;
    };
    for (const auto& w : row.waits) separate(), write_wait(out, w);
    for (const auto& w : row.words) {
        separate();
        out.lit("words of ");
        for (usz i = 0; i < cells.length(w); ++i) out.ch(w.d[i]);
    }
    out.ch('\n');
}

}  // namespace detail

/// The groups: bytes and operations are those of one step. @pre check_structure accepts the schedule
template <class Sink>
constexpr void write_group_table(Sink& out, const schedule_view& s, const step_shape& step = {}) {
    detail::column_writer cells(out);
    usz width = 5;
    for (usz g = 0; g < s.group_count; ++g)
        if (const usz n = cells.length(s.groups[g].name); n > width) width = n;
    cells.right("#", 5);
    cells.left("group", width);
    cells.left("op", 17);
    cells.right("tiles", 6);
    cells.right("queues", 6);
    cells.left("counters", 12);
    detail::write_cost_titles(cells);
    out.lit("  waits\n");
    for (usz g = 0; g < s.group_count; ++g) detail::write_group_row(out, row_of(s, g, step), width);
}

/// The buffers; only activations have a place in the arena.
template <class Sink>
constexpr void write_buffer_table(Sink& out, const schedule_view& s) {
    detail::column_writer cells(out);
    usz width = 6;
    for (usz b = 0; b < s.buffer_count; ++b)
        if (const usz n = cells.length(s.buffers[b].name); n > width) width = n;
    cells.right("#", 5);
    cells.left("buffer", width);
    cells.left("kind", 10);
    cells.right("rows", 9);
    cells.right("row bytes", detail::bytes_width);
    cells.right("arena offset", detail::bytes_width);
    out.ch('\n');
    for (usz b = 0; b < s.buffer_count; ++b) {
        const buffer& row = s.buffers[b];
        cells.right(b, 5);
        cells.left(row.name, width);
        cells.left(name_of(row.kind), 10);
        cells.right(row.rows, 9);
        cells.right(row.row_bytes, detail::bytes_width);
        if (row.kind == buffer_kind::activation)
            cells.right(row.arena, detail::bytes_width);
        else
            cells.right("-", detail::bytes_width);
        out.ch('\n');
    }
}

/// What every queue has to do in one step, and all together. @pre as for write_group_table
template <class Sink>
constexpr void write_queue_table(Sink& out, const schedule_view& s, const step_shape& step = {}) {
    detail::column_writer cells(out);
    const queue_costs queues(s, step);
    cells.right("queue", 5);
    cells.right("tiles", 8);
    detail::write_cost_titles(cells);
    out.ch('\n');
    u64_t tiles = 0;
    cost sum;
    for (usz q = 0; q < queues.size(); ++q) {
        cells.right(q, 5);
        cells.right(queues.tiles(q), 8);
        detail::write_cost(cells, queues[q]);
        out.ch('\n');
        tiles += queues.tiles(q);
        sum += queues[q];
    }
    cells.right("all", 5);
    cells.right(tiles, 8);
    detail::write_cost(cells, sum);
    out.ch('\n');
}

}  // namespace netra::inline v0
