// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What the waits of one group tell about the tiles of another one.
#pragma once

#include <netra/schedule/signals.hpp>

namespace netra::inline v0::detail {

/// Tiles of group `group` that certainly ran.
struct joined_tiles {
    usz group = 0;
    interval tiles{};    ///< they ran once all waiting tiles did; before any of them starts where `fixed`
    bool fixed = false;  ///< the tiles are the same for every waiting tile
    bool some = false;   ///< every waiting tile follows at least one tile of the group
};

/// Does every tile touch a byte?
constexpr bool no_empty_tiles(const byte_range& r, u32_t tiles) {
    return !bytes_of_tile(r, 0).empty() && !bytes_of_tile(r, tiles - 1).empty();
}
constexpr bool same_for_all_tiles(const byte_range& r, u32_t tiles) { return r.stride == 0 || (tiles - 1) / r.per == 0; }

/// Calls `f(r, w)` for the reads r of group `g` and the writes w of group `p` that decide for which tiles a wait by word waits.
template <class F>
constexpr void for_each_word_pair(const group& g, const group& p, F&& f) {
    for (const auto& r : g.accesses)
        for (const auto& w : p.accesses)
            if (!r.write && w.write && r.buffer == w.buffer && parts_overlap(r.part, w.part)) f(r.range, w.range);
}
/// Calls `f(joined_tiles)` for what a wait by word for group `p` tells.
template <class F>
constexpr void for_each_word_join(const group& g, usz p, const group& of, F&& f) {
    for_each_word_pair(g, of, [&](const byte_range& r, const byte_range& w) {
        const bool fixed = same_for_all_tiles(r, g.tiles);
        if (!fixed && !gapless(r, g.tiles)) return;
        const interval read = hull(r, g.tiles);
        const interval written = hull(w, of.tiles);
        const interval tiles = tiles_touching(w, of.tiles, read);
        const bool inside = gapless(w, of.tiles) && written.begin <= read.begin && read.end <= written.end && no_empty_tiles(r, g.tiles);
        f(joined_tiles{p, tiles, fixed, fixed ? !tiles.empty() : inside});
    });
}

/// What counters tell. `Order` has complete(g, p): whether group p is complete before any tile of group g starts; it is asked about
/// groups before the waiting one.
template <class Order>
class counter_joins {
  public:
    constexpr counter_joins(const schedule_view& s, const signal_index& signals, const Order& order)
        : s_(s), signals_(signals), order_(order) {}

    /// Calls `f(joined_tiles)` for every group before `g` that signals what wait `w` of `g` waits for; false when it can wait forever.
    template <class F>
    constexpr bool for_each(usz g, const wait& w, F&& f) const {
        const u32_t begin = w.first.first;
        const u32_t last = w.first(s_.groups[g].tiles - 1);
        const window over{begin, last + w.count, begin == last, begin == last || w.first.num <= u64_t{w.first.den} * w.count};
        if (const usz p = signals_.only_signaller(g, over.begin, over.end); p < g) {
            const group& of = s_.groups[p];
            const u64_t least = signals_of(of, over.end - 1);  // a group's last counter has no more signals than the others
            if (least < w.threshold) return false;
            joined_tiles j{p, {}, over.fixed, true};
            if (over.gapless && least == w.threshold && (over.end - over.begin == 1 || signals_of(of, over.begin) == w.threshold))
                j.tiles = tiles_signalling(of, over.begin, over.end);
            else if (over.fixed) j.tiles = ran(g, w.threshold, p, over.begin, over.end);
            f(j);
            return true;
        }
        bool exact = true;
        const auto met = [&](u32_t from, u32_t to) {
            for (u32_t c = from; c < to;) {
                const auto count = signals_.count_before(g, c, to);
                if (count.signals < w.threshold) return false;
                exact = exact && count.signals == w.threshold;
                c = count.next;
            }
            return true;
        };
        if (over.gapless && !met(over.begin, over.end)) return false;
        for (u32_t t = 0; !over.gapless && t < s_.groups[g].tiles; ++t)
            if (!met(w.first(t), w.first(t) + w.count)) return false;
        signals_.for_each(g, over.begin, over.end, [&](usz p) {
            if (p < g) f(joined(g, w.threshold, p, over, exact));
        });
        return true;
    }

    /// The tiles of group `p` that have run once counters [begin, end), seen by a tile of `g`, have reached `threshold`.
    constexpr interval ran(usz g, u32_t threshold, usz p, u32_t begin, u32_t end) const {
        const group& of = s_.groups[p];
        if (begin < of.signal.first) begin = of.signal.first;
        if (end > last_counter(of) + 1) end = last_counter(of) + 1;
        if (begin >= end) return {};
        if (signals_of(of, begin) == threshold && signals_of(of, end - 1) == threshold && signals_.only_signaller(g, begin, end) == p)
            return tiles_signalling(of, begin, end);
        for (u32_t c = begin; c < end;) {
            const auto count = signals_.count_before(g, c, end);
            const u64_t of_p = signals_of(of, c);
            const u64_t known = first_of(g, p, c, of_p, count.signals - threshold);
            if (known < of_p) {
                const u64_t first = tiles_signalling(of, begin, end).begin;
                return end - begin == 1 ? interval{first, first + known} : interval{};
            }
            c = count.next;
        }
        return tiles_signalling(of, begin, end);
    }

  private:
    /// All counters that the tiles of a group wait for.
    struct window {
        u32_t begin = 0;
        u32_t end = 0;
        bool fixed = false;    ///< every tile waits for all of them
        bool gapless = false;  ///< every one of them is waited for
    };
    /// What group `p`, one of several that signal the counters, is known to have done. exact: the threshold is the number of their signals.
    constexpr joined_tiles joined(usz g, u32_t threshold, usz p, const window& over, bool exact) const {
        const group& of = s_.groups[p];
        const u32_t begin = over.begin > of.signal.first ? over.begin : of.signal.first;
        const u32_t end = over.end <= last_counter(of) ? over.end : last_counter(of) + 1;
        joined_tiles j{p, {}, over.fixed, exact && begin == over.begin && end == over.end};
        if (exact && over.gapless) j.tiles = tiles_signalling(of, begin, end);
        else if (over.fixed) j.tiles = ran(g, threshold, p, begin, end);
        return j;
    }
    static constexpr u32_t last_counter(const group& p) { return p.signal(p.tiles - 1); }

    /// How many of the first `of_p` tiles of p that signal a counter have run when only `missing` of its signals are not there yet. Whoever
    /// follows a tile that did not run is missing, too.
    constexpr u64_t first_of(usz g, usz p, u32_t counter, u64_t of_p, u64_t missing) const {
        if (missing == 0) return of_p;
        u64_t later = 0;
        signals_.for_each(g, counter, counter + 1, [&](usz q) {
            if (q > p && q < g && order_.complete(q, p)) later += signals_of(s_.groups[q], counter);
        });
        if (later >= missing) return of_p;
        missing -= later;
        return queues_of(s_, s_.groups[p]).single() && missing < of_p ? of_p - missing : 0;
    }

    const schedule_view& s_;
    const signal_index& signals_;
    const Order& order_;
};

}  // namespace netra::inline v0::detail
