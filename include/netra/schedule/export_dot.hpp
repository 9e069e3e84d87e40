// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Writes the task groups of a schedule as a Graphviz graph: a cluster for each layer, an edge for each wait, what is refused in red.
#pragma once

#include <netra/schedule/export_table.hpp>
#include <netra/schedule/refused_edges.hpp>

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

/// What a refusal names, group by group.
class refused_groups {
  public:
    constexpr refused_groups(const schedule_view& s, const verdict& found) : red_(s.group_count) {
        if (found.ok()) return;
        const bool buffers = speaks_of_buffers_alone(found.why);
        for (usz g = 0; g < s.group_count; ++g) {
            const group& of = s.groups[g];
            if (buffers) red_[g] = touches(s, of, found.subject) || touches(s, of, found.object);
            else red_[g] = of.name == found.subject || (speaks_of_two_groups(found.why) && of.name == found.object);
        }
        pair_ = speaks_of_two_groups(found.why);
    }
    constexpr bool node(usz g) const { return red_[g]; }
    constexpr bool edge(usz from, usz to) const { return pair_ && red_[from] && red_[to]; }

  private:
    static constexpr bool touches(const schedule_view& s, const group& g, const name& buffer) {
        for (const auto& a : g.accesses)
            if (s.buffers[a.buffer].name == buffer) return true;
        return false;
    }
    scratch<bool> red_;
    bool pair_ = false;
};

template <class Sink>
constexpr void write_dot_node(Sink& out, const schedule_view& s, usz index, const step_shape& step, const refused_groups& red) {
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
    out.lit(" bytes\"");
    if (red.node(index)) out.lit(", color=red, penwidth=3");
    out.lit("];\n");
}

/// Calls `f(group, first, last)` for every group that signals some of the counters of a wait, `f(no_group, first, last)` for those that none does.
inline constexpr usz no_group = ~usz{0};
template <class F>
constexpr void for_each_signaller(const schedule_view& s, const wait_row& w, F&& f) {
    for (usz p = 0; p < s.group_count; ++p) {
        const u64_t begin = s.groups[p].signal.first;
        const interval c = intersection({w.first, u64_t{w.last} + 1}, {begin, begin + counters_of(s.groups[p])});
        if (!c.empty()) f(p, static_cast<u32_t>(c.begin), static_cast<u32_t>(c.end - 1));
    }
    for (u64_t at = w.first; at <= w.last;) {
        u64_t next = u64_t{w.last} + 1;  // the first counter after `at` at which a group begins
        u64_t covered = at;              // all counters from `at` up to this one are signalled
        for (usz p = 0; p < s.group_count; ++p) {
            const u64_t first = s.groups[p].signal.first;
            const u64_t end = first + counters_of(s.groups[p]);
            if (first <= at && end > covered) covered = end;
            if (first > at && first < next) next = first;
        }
        if (covered == at) f(no_group, static_cast<u32_t>(at), static_cast<u32_t>(next - 1));
        at = covered == at ? next : covered;
    }
}

template <class Sink>
constexpr void write_dot_edges(Sink& out, const schedule_view& s, usz index, const refused_groups& red) {
    const group& g = s.groups[index];
    const auto colour = [&](usz from) { out.str(red.edge(from, index) ? ", color=red, fontcolor=red, penwidth=2];\n" : "];\n"); };
    for (const auto& w : g.waits) {
        const wait_row row = row_of(g, w);
        for_each_signaller(s, row, [&](usz from, u32_t first, u32_t last) {
            out.lit("  ");
            if (from == no_group) {
                out.lit("c");
                out.dec(first);
                out.lit(" [shape=octagon, color=red, label=\"no group signals this\"];\n  c");
                out.dec(first);
            } else {
                out.ch('g');
                out.dec(from);
            }
            out.lit(" -> g");
            out.dec(index);
            out.lit(" [label=\"");
            const bool same = w.first(0) == w.first(g.tiles - 1);
            write_wait(out, {.first = first, .last = last, .count = same ? last - first + 1 : w.count, .threshold = w.threshold});
            out.lit("\"");
            if (from == no_group) out.lit(", color=red, fontcolor=red];\n");
            else colour(from);
        });
    }
    for (const u16_t from : g.words) {
        out.lit("  g");
        out.dec(from);
        out.lit(" -> g");
        out.dec(index);
        out.lit(" [label=\"by word\", arrowhead=vee");
        colour(from);
    }
}

/// Two groups that nothing joins, although they touch the same bytes.
template <class Sink>
constexpr void write_dot_race(Sink& out, const schedule_view& s, const verdict& found) {
    if (!is_race(found.why)) return;
    const auto index_of = [&](const name& n) {
        usz g = 0;
        while (g < s.group_count && !(s.groups[g].name == n)) ++g;
        return g;
    };
    const usz from = index_of(found.why == reason::tiles_overlap ? found.subject : found.object);
    const usz to = index_of(found.subject);
    if (from == s.group_count || to == s.group_count) return;
    out.lit("  g");
    out.dec(from);
    out.lit(" -> g");
    out.dec(to);
    out.lit(" [label=\"not ordered\", dir=none, style=dashed, color=red, fontcolor=red, penwidth=2, constraint=false];\n");
}

}  // namespace detail

/// What `found` refuses is red. @pre check_structure accepts the schedule; one with other faults can be drawn, to look at them
template <class Sink>
constexpr void write_dot(Sink& out, const schedule_view& s, const step_shape& step = {}, const verdict& found = {}) {
    const detail::refused_groups red(s, found);
    out.lit("digraph schedule {\n  node [shape=box, fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n");
    if (!found.ok()) {
        out.lit("  label=\"");
        detail::write_dot_text(out, sentence(found).d);
        out.lit("\";\n  labelloc=t;\n  fontname=\"Helvetica\";\n  fontcolor=red;\n");
    }
    for (usz g = 0; g < s.group_count; ++g) {
        if (!detail::has_layer(s.groups[g])) {
            out.lit("  ");
            detail::write_dot_node(out, s, g, step, red);
            continue;
        }
        const u32_t layer = s.groups[g].layer;
        out.lit("  subgraph cluster_");
        out.dec(layer);
        out.lit(" {\n    fontcolor=black;\n    label=\"layer ");
        out.dec(layer);
        out.lit("\";\n");
        for (;; ++g) {
            out.lit("    ");
            detail::write_dot_node(out, s, g, step, red);
            if (g + 1 == s.group_count || !detail::has_layer(s.groups[g + 1]) || s.groups[g + 1].layer != layer) break;
        }
        out.lit("  }\n");
    }
    for (usz g = 0; g < s.group_count; ++g) detail::write_dot_edges(out, s, g, red);
    detail::write_dot_race(out, s, found);
    out.lit("}\n");
}

}  // namespace netra::inline v0
