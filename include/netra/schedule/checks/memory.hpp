// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether every pair of conflicting accesses is ordered, every byte read was written before, every output is complete.
#pragma once

#include <netra/schedule/checks/live_accesses.hpp>
#include <netra/schedule/task_order.hpp>

namespace netra::inline v0 {

namespace detail {

/// Walks the groups in the order in which they are listed, and compares each access with the older ones that it can conflict with.
class memory_walk {
  public:
    constexpr memory_walk(const schedule_view& s, const order_view& order) : s_(s), order_(order), tiles_(s, order), live_(s, order) {}

    /// Checks groups [begin, end), and the outputs after the last group.
    constexpr verdict run(usz begin, usz end) {
        for (usz g = 0; g < end && found_.ok(); ++g) {
            if (g >= begin) check_group(g);
            live_.admit(g);
        }
        for (usz b = 0; end == s_.group_count && b < s_.buffer_count && found_.ok(); ++b)
            if (s_.buffers[b].kind == buffer_kind::output) check_output(b);
        return found_;
    }

  private:
    constexpr void check_group(usz g) {
        const group& of = s_.groups[g];
        const bool everything_ran = order_.open(g).count == 0;  // all groups before this one
        for (const auto& a : of.accesses) {
            const buffer_kind kind = s_.buffers[a.buffer].kind;
            if (kind == buffer_kind::input || kind == buffer_kind::weight) continue;
            if (!everything_ran) check_pairs(g, a);
            if (!everything_ran && found_.ok() && kind == buffer_kind::activation) check_shared_memory(g, a);
            if (found_.ok() && !a.write && a.part != row_part::past) check_covered(g, a);
            if (found_.ok() && a.write) check_own_tiles(of, g, a);
            if (!found_.ok()) return;
        }
    }

    /// Two accesses of one buffer whose groups are not ordered as a whole: every pair of overlapping tiles must be.
    constexpr void check_pairs(usz g, const access& a) {
        bool needed = false;
        live_.for_each(a.buffer, [&](const live_access& o) {
            needed = needed || ((a.write || o.what->write) && !order_.complete(g, o.group));
        });
        if (!needed) return;
        const interval mine = hull(a.range, s_.groups[g].tiles);
        interval rewritten{};  // newer groups wrote these bytes: whoever follows their tiles follows those of older groups
        interval next{};
        usz newest = s_.group_count;
        live_.for_each(a.buffer, [&](const live_access& o) {  // from new to old
            if (!found_.ok()) return;
            if (o.group != newest) newest = o.group, rewritten = next;
            const group& theirs = s_.groups[o.group];
            const interval shared = intersection(mine, hull(o.what->range, theirs.tiles));
            const bool hidden = rewritten.begin <= shared.begin && shared.end <= rewritten.end;
            const bool conflict = (a.write || o.what->write) && !shared.empty() && parts_overlap(a.part, o.what->part);
            if (conflict && !hidden && !order_.complete(g, o.group))
                check_tiles(g, a, o);
            if (o.what->write && hides(*o.what, a) && gapless(o.what->range, theirs.tiles))
                next = joined(next, hull(o.what->range, theirs.tiles));
        });
    }
    /// The rows of `w` are among them all that an access could share with `a`.
    static constexpr bool hides(const access& w, const access& a) { return w.part == row_part::whole || w.part == a.part; }
    static constexpr interval joined(const interval& a, const interval& b) {
        if (a.empty() || (!b.empty() && (b.begin > a.end || b.end < a.begin))) return a.empty() ? b : a;
        return b.empty() ? a : interval{a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
    }
    constexpr void check_tiles(usz g, const access& a, const live_access& other) {
        const group& mine = s_.groups[g];
        const group& theirs = s_.groups[other.group];
        if (!a.write)
            for (const u16_t p : mine.words)
                if (p == other.group) return;  // a tile waits for exactly the tiles whose bytes it reads
        if (tiles_.follows_each(g, a.range, other.group, other.what->range)) return;
        for (u32_t t = 0; t < mine.tiles; ++t) {
            const interval bytes = bytes_of_tile(a.range, t);
            if (bytes.empty()) continue;
            const interval touching = tiles_touching(other.what->range, theirs.tiles, bytes);
            for (u64_t u = touching.begin; u < touching.end; ++u) {
                if (tiles_.ordered(g, t, other.group, static_cast<u32_t>(u))) continue;
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

    /// Buffers that share bytes of the arena: one must be used no more when the other is.
    constexpr void check_shared_memory(usz g, const access& a) {
        const buffer& mine = s_.buffers[a.buffer];
        order_.open(g).for_each([&](usz p) {
            for (const auto& o : s_.groups[p].accesses)
                if (found_.ok() && (a.write || o.write) && o.buffer != a.buffer && shares_arena(s_.buffers[o.buffer], mine) &&
                    live_.is_live(o))
                    reused_too_early(o.buffer, a.buffer);
        });
    }
    constexpr void reused_too_early(usz used, usz by) {
        const buffer& old = s_.buffers[used];
        const buffer& with = s_.buffers[by];
        const u64_t first = old.arena > with.arena ? old.arena : with.arena;
        found_ = refuse(reason::memory_reused_too_early, old.name, with.name).with(label::first_byte, first);
    }

    /// Tiles of one group run in any order (unless they share a queue): a byte that one writes belongs to no other.
    constexpr void check_own_tiles(const group& of, usz g, const access& w) {
        const buffer& written = s_.buffers[w.buffer];
        for (const auto& a : of.accesses) {
            if (!found_.ok()) return;
            if (a.buffer != w.buffer) {
                const buffer& other = s_.buffers[a.buffer];
                if (other.kind == buffer_kind::activation && shares_arena(other, written)) reused_too_early(a.buffer, w.buffer);
                continue;
            }
            if (!parts_overlap(a.part, w.part) || (a.range == w.range && tiles_disjoint(w.range, of.tiles))) continue;
            if (!intersection(hull(a.range, of.tiles), hull(w.range, of.tiles)).empty()) check_own_pair(of, g, w, a);
        }
    }
    constexpr void check_own_pair(const group& of, usz g, const access& w, const access& a) {
        for (u32_t t = 0; t < of.tiles; ++t) {
            const interval touching = tiles_touching(a.range, of.tiles, bytes_of_tile(w.range, t));
            for (u64_t u = touching.begin; u < touching.end; ++u) {
                const u32_t v = static_cast<u32_t>(u);
                if (v == t || tiles_.ordered(g, t, g, v) || tiles_.ordered(g, v, g, t)) continue;
                found_ = refuse(reason::tiles_overlap, of.name, s_.buffers[w.buffer].name)
                             .with(label::tile, t)
                             .with(label::other_tile, v)
                             .with(label::first_byte, intersection(bytes_of_tile(w.range, t), bytes_of_tile(a.range, v)).begin);
                return;
            }
        }
    }

    /// Every older write of a byte that is read is known to come before it, because the pair was checked: is there one?
    constexpr void check_covered(usz g, const access& a) {
        const group& of = s_.groups[g];
        if (const interval all = hull(a.range, of.tiles); covered_up_to(a.buffer, all) >= all.end) return;
        for (u32_t t = 0; t < of.tiles; ++t) {
            const interval bytes = bytes_of_tile(a.range, t);
            const u64_t reached = bytes.empty() ? bytes.end : covered_up_to(a.buffer, bytes);
            if (reached >= bytes.end) continue;
            found_ = refuse(reason::uncovered_read, of.name, s_.buffers[a.buffer].name)
                         .with(label::tile, t)
                         .with(label::first_byte, reached);
            return;
        }
    }
    /// The first of `bytes` that no live write has written. Past rows of a state hold data anyhow; every write includes the fresh ones.
    constexpr u64_t covered_up_to(usz buffer, const interval& bytes) const {
        u64_t at = bytes.begin;
        for (bool advanced = true; advanced && at < bytes.end;) {
            advanced = false;
            live_.for_each(buffer, [&](const live_access& o) {
                if (at >= bytes.end || !o.what->write || !o.holds_data) return;
                const u64_t reached = written_up_to(*o.what, s_.groups[o.group].tiles, {at, bytes.end});
                advanced = advanced || reached > at;
                at = reached;
            });
        }
        return at;
    }
    static constexpr u64_t written_up_to(const access& w, u32_t tiles, const interval& bytes) {
        const interval all = hull(w.range, tiles);
        if (all.begin > bytes.begin || all.end <= bytes.begin) return bytes.begin;
        if (gapless(w.range, tiles)) return all.end;
        u64_t at = bytes.begin;
        const interval touching = tiles_touching(w.range, tiles, bytes);
        for (u64_t u = touching.begin; u < touching.end; ++u) {
            const interval written = bytes_of_tile(w.range, static_cast<u32_t>(u));
            if (written.begin <= at && written.end > at) at = written.end;
        }
        return at;
    }
    constexpr void check_output(usz index) {
        const buffer& b = s_.buffers[index];
        if (const u64_t at = covered_up_to(index, {0, b.row_bytes}); at < b.row_bytes)
            found_ = refuse(reason::incomplete_output, b.name).with(label::first_byte, at);
    }

    schedule_view s_;
    order_view order_;
    task_order tiles_;
    live_accesses live_;
    verdict found_{};
};

}  // namespace detail

/// Checks groups [begin, end) against all before them: a long schedule can be checked in parts, each a constant evaluation of its own.
/// @pre check_structure accepted, and the order was derived without a finding
constexpr verdict check_memory(const schedule_view& s, const order_view& order, usz begin, usz end) {
    return detail::memory_walk(s, order).run(begin, end);
}
constexpr verdict check_memory(const schedule_view& s, const order_view& order) { return check_memory(s, order, 0, s.group_count); }

}  // namespace netra::inline v0
