// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Writes the task groups of a schedule as a Graphviz graph: a cluster for each layer, an edge for each wait.
#pragma once

#include <netra/schedule/export_table.hpp>
#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

namespace detail {

/// Inside a quoted string of the DOT language, where a label may hold escapes and entities of its own.
template <class Sink>
constexpr void write_dot_text(Sink& out, const char* s) {
    for (; *s != 0; ++s) {
        if (*s == '"' || *s == '\\')
            out.ch('\\'), out.ch(*s);
        else if (*s == '&')
            out.lit("&amp;");
        else
            out.ch(*s >= ' ' && *s <= '~' ? *s : '?');
    }
}

/// A group that belongs to one layer says so in its name, as in `o_proj[3]`.
constexpr bool has_layer(const group& g) {
    usz n = 0;
    while (g.name.d[n] != 0) ++n;
    return n != 0 && g.name.d[n - 1] == ']';
}

template <class Sink>
constexpr void write_dot_node(Sink& out, const schedule_view& s, usz index, const step_shape& step) {
    const group_row row = row_of(s, index, step);
    out.lit("g");
    out.dec(index);
    out.lit(" [label=\"");
    write_dot_text(out, row.name.d);
    out.lit("\\n");
    out.str(name_of(row.op));
    out.lit("\\n");
    out.dec(row.tiles);
    out.str(row.tiles == 1 ? " tile, " : " tiles, ");
    out.dec(row.queues);
    out.str(row.queues == 1 ? " queue\\n" : " queues\\n");
    out.dec(bytes(row.cost));
    out.lit(" bytes\"];\n");
}

template <class Sink>
constexpr void write_dot_edges(Sink& out, const schedule_view& s, const counter_owners& owners, usz index) {
    const group& g = s.groups[index];
    for (const auto& w : g.waits) {
        const wait_row row = row_of(g, w);
        for (u32_t c = row.first; c <= row.last;) {  // one edge for each group that signals some of the counters
            const u16_t owner = owners[c];
            u32_t last = c;
            while (last < row.last && owners[last + 1] == owner) ++last;
            out.lit("  ");
            if (owner == counter_owners::nobody) {
                out.lit("c");
                out.dec(c);
                out.lit(" [shape=octagon, label=\"no group signals this\"];\n  c");
                out.dec(c);
            } else {
                out.ch('g');
                out.dec(owner);
            }
            out.lit(" -> g");
            out.dec(index);
            out.lit(" [label=\"");
            write_wait(
                out,
                {.first = c, .last = last, .count = w.first(0) == w.first(g.tiles - 1) ? last - c + 1 : w.count, .threshold = w.threshold});
            out.lit("\"];\n");
            c = last + 1;
        }
    }
}

}  // namespace detail

/// @pre check_structure accepts the schedule; one with other faults can be drawn, to look at them
template <class Sink>
constexpr void write_dot(Sink& out, const schedule_view& s, const step_shape& step = {}) {
    out.lit("digraph schedule {\n  node [shape=box, fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (usz g = 0; g < s.group_count; ++g) {
        if (!detail::has_layer(s.groups[g])) {
            out.lit("  ");
            detail::write_dot_node(out, s, g, step);
            continue;
        }
        const u32_t layer = s.groups[g].layer;
        out.lit("  subgraph cluster_");
        out.dec(layer);
        out.lit(" {\n    label=\"layer ");
        out.dec(layer);
        out.lit("\";\n");
        for (;; ++g) {
            out.lit("    ");
            detail::write_dot_node(out, s, g, step);
            if (g + 1 == s.group_count || !detail::has_layer(s.groups[g + 1]) || s.groups[g + 1].layer != layer) break;
        }
        out.lit("  }\n");
    }
    const counter_owners owners(s);
    for (usz g = 0; g < s.group_count; ++g) detail::write_dot_edges(out, s, owners, g);
    out.lit("}\n");
}

}  // namespace netra::inline v0
