// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether every pair of conflicting accesses is ordered, every byte read was written before, every output is complete.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

namespace detail {

constexpr bool shares_arena(const buffer& a, const buffer& b) {
    return a.kind == buffer_kind::activation && b.kind == buffer_kind::activation && a.arena < b.arena + bytes(b) && b.arena < a.arena + bytes(a);
}
constexpr bool writes_whole(const schedule_view& s, const group& g, const access& a) {
    return a.write && gapless(a.range, g.tiles) && hull(a.range, g.tiles) == interval{0, s.buffers[a.buffer].row_bytes};
}

/// Walks the groups in rank order; keeps, per buffer, the accesses that later ones can still conflict with.
class memory_walk {
  public:
    constexpr explicit memory_walk(const schedule_view& s) : s_(s), order_(s), lives_(s, order_), live_(count_accesses(s)), chains_(s.buffer_count), open_(s.buffer_count) {}

    constexpr verdict run() {
        for (usz g = 0; g < s_.group_count && found_.ok(); ++g) {
            const group& of = s_.groups[g];
            close_dead(g);
            for (usz i = 0; i < of.accesses.size() && found_.ok(); ++i)
                if (tracked(of.accesses[i])) check_access(g, of.accesses[i]);
            check_own_tiles(g);
            for (const auto& a : of.accesses)
                if (tracked(a)) admit(g, a);
        }
        for (usz b = 0; b < s_.buffer_count && found_.ok(); ++b)
            if (s_.buffers[b].kind == buffer_kind::output) check_output(b);
        return found_;
    }

  private:
    static constexpr usz none = ~usz{0};
    struct live_access {
        usz group = 0;
        const access* what = nullptr;
        usz next = none;
    };
    struct chain {
        usz first = none;
        bool holds_data = true;  ///< false once another buffer's write may have destroyed the contents
        bool open = false;
    };

    static constexpr usz count_accesses(const schedule_view& s) {
        usz n = 0;
        for (usz g = 0; g < s.group_count; ++g) n += s.groups[g].accesses.size();
        return n;
    }
    constexpr bool tracked(const access& a) const {
        const buffer_kind k = s_.buffers[a.buffer].kind;
        return k != buffer_kind::input && k != buffer_kind::weight;
    }

    constexpr void check_access(usz g, const access& a) {
        for (usz i = chains_[a.buffer].first; i != none && found_.ok(); i = live_[i].next)
            if ((a.write || live_[i].what->write) && !order_.complete(g, live_[i].group)) check_pair(g, a, live_[i]);
        const buffer& b = s_.buffers[a.buffer];
        for (usz k = 0; k < open_count_ && found_.ok(); ++k) {
            const buffer& other = s_.buffers[open_[k]];
            if (open_[k] == a.buffer || !shares_arena(b, other)) continue;
            for (usz i = chains_[open_[k]].first; i != none; i = live_[i].next)
                if ((a.write || live_[i].what->write) && !order_.complete(g, live_[i].group)) return reused_too_early(other, b);
        }
        if (!a.write && a.part != row_part::past && found_.ok()) check_covered(g, a);
    }
    constexpr void reused_too_early(const buffer& old, const buffer& with) {
        found_ = refuse(reason::memory_reused_too_early, old.name, with.name).with(label::first_byte, old.arena > with.arena ? old.arena : with.arena);
    }

    /// Two accesses of one buffer whose groups are not ordered as a whole: every pair of overlapping tiles must be.
    constexpr void check_pair(usz g, const access& a, const live_access& other) {
        if (!parts_overlap(a.part, other.what->part)) return;
        const group& mine = s_.groups[g];
        const group& theirs = s_.groups[other.group];
        if (intersection(hull(a.range, mine.tiles), hull(other.what->range, theirs.tiles)).empty()) return;
        for (u32_t t = 0; t < mine.tiles; ++t) {
            const interval bytes = bytes_of_tile(a.range, t);
            if (bytes.empty()) continue;
            const interval touching = tiles_touching(other.what->range, theirs.tiles, bytes);
            for (u64_t u = touching.begin; u < touching.end; ++u) {
                if (order_.ordered(g, t, other.group, static_cast<u32_t>(u))) continue;
                const interval shared = intersection(bytes, bytes_of_tile(other.what->range, static_cast<u32_t>(u)));
                found_ = refuse(reason::data_race, mine.name, theirs.name)
                             .with(label::tile, t)
                             .with(label::other_tile, u)
                             .with(label::first_byte, shared.begin)
                             .with(label::end_byte, shared.end)
                             .with(label::buffer, a.buffer);
                return;
            }
        }
    }

    /// Tiles of one group run in any order (unless they share a queue): a byte that one writes belongs to no other.
    constexpr void check_own_tiles(usz g) {
        const group& of = s_.groups[g];
        for (const auto& w : of.accesses) {
            if (!w.write) continue;
            for (const auto& a : of.accesses) {
                if (!found_.ok()) return;
                if (a.buffer != w.buffer && shares_arena(s_.buffers[a.buffer], s_.buffers[w.buffer])) reused_too_early(s_.buffers[a.buffer], s_.buffers[w.buffer]);
                if (a.buffer != w.buffer || !parts_overlap(a.part, w.part) || (a.range == w.range && tiles_disjoint(w.range, of.tiles))) continue;
                if (!intersection(hull(a.range, of.tiles), hull(w.range, of.tiles)).empty()) check_own_pair(g, w, a);
            }
        }
    }
    constexpr void check_own_pair(usz g, const access& w, const access& a) {
        const group& of = s_.groups[g];
        for (u32_t t = 0; t < of.tiles; ++t) {
            const interval touching = tiles_touching(a.range, of.tiles, bytes_of_tile(w.range, t));
            for (u64_t u = touching.begin; u < touching.end; ++u) {
                const u32_t v = static_cast<u32_t>(u);
                if (v == t || order_.ordered(g, t, g, v) || order_.ordered(g, v, g, t)) continue;
                found_ = refuse(reason::tiles_overlap, of.name, s_.buffers[w.buffer].name)
                             .with(label::tile, t)
                             .with(label::other_tile, v)
                             .with(label::first_byte, intersection(bytes_of_tile(w.range, t), bytes_of_tile(a.range, v)).begin);
                return;
            }
        }
    }

    constexpr void check_covered(usz g, const access& a) {
        const group& of = s_.groups[g];
        const interval all = hull(a.range, of.tiles);
        if (covered_up_to(g, of.tiles, a, all) >= all.end) return;
        for (u32_t t = 0; t < of.tiles; ++t) {
            const interval bytes = bytes_of_tile(a.range, t);
            const u64_t reached = bytes.empty() ? bytes.end : covered_up_to(g, t, a, bytes);
            if (reached >= bytes.end) continue;
            found_ = refuse(reason::uncovered_read, of.name, s_.buffers[a.buffer].name).with(label::tile, t).with(label::first_byte, reached);
            return;
        }
    }
    /// The first byte of `bytes` that nothing known to come before tile `t` has written (before every tile, when t is the tile count).
    constexpr u64_t covered_up_to(usz g, u32_t t, const access& a, const interval& bytes) const {
        u64_t at = bytes.begin;
        if (!chains_[a.buffer].holds_data) return at;
        for (bool advanced = true; advanced && at < bytes.end;) {
            advanced = false;
            for (usz i = chains_[a.buffer].first; i != none && at < bytes.end; i = live_[i].next) {
                const u64_t reached = reach(g, t, a, live_[i], {at, bytes.end});
                if (reached > at) at = reached, advanced = true;
            }
        }
        return at;
    }
    constexpr u64_t reach(usz g, u32_t t, const access& a, const live_access& writer, const interval& bytes) const {
        const access& w = *writer.what;
        if (!w.write || (w.part != a.part && w.part != row_part::whole)) return bytes.begin;
        const group& p = s_.groups[writer.group];
        const interval whole = hull(w.range, p.tiles);
        if (order_.complete(g, writer.group) && gapless(w.range, p.tiles)) {
            if (bytes.begin < whole.begin) return bytes.begin;
            return whole.end < bytes.end ? whole.end : bytes.end;
        }
        u64_t at = bytes.begin;
        const interval touching = tiles_touching(w.range, p.tiles, bytes);
        for (u64_t u = touching.begin; u < touching.end; ++u) {
            const interval written = bytes_of_tile(w.range, static_cast<u32_t>(u));
            const bool known = t < s_.groups[g].tiles ? order_.ordered(g, t, writer.group, static_cast<u32_t>(u)) : order_.complete(g, writer.group);
            if (known && written.begin <= at && written.end > at) at = written.end;
        }
        return at < bytes.end ? at : bytes.end;
    }

    /// Adds an access. One that rewrites a whole buffer, after everything that touched its bytes, makes the older accesses irrelevant.
    constexpr void admit(usz g, const access& a) {
        const buffer& b = s_.buffers[a.buffer];
        const bool replaces = a.part == row_part::whole && writes_whole(s_, s_.groups[g], a);
        if (replaces) drop_older(g, a.buffer);
        if (a.write) chains_[a.buffer].holds_data = chains_[a.buffer].holds_data || replaces;
        for (usz k = 0; a.write && k < open_count_; ++k)
            if (open_[k] != a.buffer && shares_arena(b, s_.buffers[open_[k]])) chains_[open_[k]].holds_data = false;
        live_[live_count_] = {g, &a, chains_[a.buffer].first};
        chains_[a.buffer].first = live_count_++;
        if (b.kind == buffer_kind::activation && !chains_[a.buffer].open) chains_[a.buffer].open = true, open_[open_count_++] = a.buffer;
    }
    /// Activations that nothing from group `g` on can conflict with, or touch, need no more comparison.
    constexpr void close_dead(usz g) {
        usz kept = 0;
        for (usz k = 0; k < open_count_; ++k)
            if (lives_.dead_from(open_[k]) > g) open_[kept++] = open_[k];
        open_count_ = kept;
    }
    constexpr void drop_older(usz g, usz buffer) {
        usz* link = &chains_[buffer].first;
        while (*link != none) {
            const live_access& l = live_[*link];
            if (l.group != g && order_.complete(g, l.group)) *link = l.next;
            else link = &live_[*link].next;
        }
    }

    constexpr void check_output(usz index) {
        const buffer& b = s_.buffers[index];
        u64_t at = 0;
        for (bool advanced = true; advanced && at < b.row_bytes;) {
            advanced = false;
            for (usz i = chains_[index].first; i != none; i = live_[i].next) {
                const access& a = *live_[i].what;
                const interval touching = a.write ? tiles_touching(a.range, s_.groups[live_[i].group].tiles, {at, b.row_bytes}) : interval{};
                for (u64_t u = touching.begin; u < touching.end; ++u) {
                    const interval written = bytes_of_tile(a.range, static_cast<u32_t>(u));
                    if (written.begin <= at && written.end > at) at = written.end, advanced = true;
                }
            }
        }
        if (at < b.row_bytes) found_ = refuse(reason::incomplete_output, b.name).with(label::first_byte, at);
    }

    schedule_view s_;
    group_order order_;
    buffer_lives lives_;
    scratch<live_access> live_;
    scratch<chain> chains_;
    scratch<usz> open_;  ///< activations with live accesses
    usz live_count_ = 0;
    usz open_count_ = 0;
    verdict found_{};
};

}  // namespace detail

/// @pre check_structure and check_waits accepted
constexpr verdict check_memory(const schedule_view& s) { return detail::memory_walk(s).run(); }

}  // namespace netra::inline v0
