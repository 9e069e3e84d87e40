// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Which single tiles are certainly done before a tile starts, where their groups are not ordered as a whole.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

class task_order {
  public:
    /// @pre no wait of the schedule was found wrong when the order was derived
    constexpr task_order(const schedule_view& s, const order_view& groups)
        : s_(s), groups_(groups), signals_(s), counters_(s_, signals_, groups_) {}
    task_order(const task_order&) = delete;
    task_order& operator=(const task_order&) = delete;

    /// Tile `u` of group `p` is done before tile `t` of group `g` starts.
    constexpr bool ordered(usz g, u32_t t, usz p, u32_t u) const {
        u32_t steps = most_steps;
        return ordered(g, t, p, u, steps);
    }

    /// Whether every tile of `g` certainly follows the tiles of an earlier group `p` whose bytes `w` meet its bytes `a`, in closed form.
    constexpr bool follows_each(usz g, const byte_range& a, usz p, const byte_range& w) const {
        const group& mine = s_.groups[g];
        const group& theirs = s_.groups[p];
        if (mine.queue == theirs.queue && a == w && tiles_disjoint(a, mine.tiles) && tiles_disjoint(a, theirs.tiles)) return true;
        for (const auto& by : mine.waits) {
            const u32_t begin = by.first.first;
            const u32_t last = by.first(mine.tiles - 1);
            const interval known = counters_.ran(g, by.threshold, p, begin, last + by.count);
            if (known.empty()) continue;
            const bool theirs_alone = begin >= theirs.signal.first && last + by.count <= theirs.signal.first + counters_of(theirs);
            if (begin == last ? within(tiles_touching(w, theirs.tiles, hull(a, mine.tiles)), known)
                              : theirs_alone && moves_along(mine, by, a, theirs, w))
                return true;
        }
        return false;
    }

  private:
    /// Tiles that one question may visit. Waits of single tiles through many groups have exponentially many paths; an order that is
    /// not found in time counts as missing.
    static constexpr u32_t most_steps = 4096;
    /// Tiles after which ranges and waits must repeat, for a closed form.
    static constexpr u64_t longest_period = 256;

    static constexpr bool within(const interval& a, const interval& b) { return a.empty() || (b.begin <= a.begin && a.end <= b.end); }

    constexpr bool ordered(usz g, u32_t t, usz p, u32_t u, u32_t& steps) const {
        if (groups_.complete(g, p)) return true;
        if (s_.queue_of(s_.groups[g], t) == s_.queue_of(s_.groups[p], u) && (p < g || (p == g && u < t))) return true;
        if (p >= g) return false;
        bool found = false;
        const auto through = [&](usz q, const interval& known) {
            if (q == p) found = found || (u < known.end && (known.begin <= u || (!known.empty() && queues_of(s_, s_.groups[p]).single())));
            for (u64_t v = known.begin; q > p && v < known.end && !found && steps != 0; ++v)
                --steps, found = ordered(q, static_cast<u32_t>(v), p, u, steps);
        };
        for (const auto& w : s_.groups[g].waits) {
            const u32_t begin = w.first(t);
            signals_.for_each(g, begin, begin + w.count, [&](usz q) {
                if (!found && p <= q && q < g) through(q, counters_.ran(g, w.threshold, q, begin, begin + w.count));
            });
        }
        for (const u16_t q : s_.groups[g].words)
            if (p <= q)
                detail::for_each_word_pair(s_.groups[g], s_.groups[q], [&](const byte_range& r, const byte_range& w) {
                    if (!found) through(q, tiles_touching(w, s_.groups[q].tiles, bytes_of_tile(r, t)));
                });
        return found;
    }

    /// Both the tiles that `a` touches and those that were waited for shift evenly: then the first ones decide for all.
    /// @pre every counter of the wait belongs to `theirs`, and has all its signals once it reaches the threshold
    constexpr bool moves_along(const group& mine, const wait& by, const byte_range& a, const group& theirs, const byte_range& w) const {
        u64_t period = u64_t{a.per};
        while (period % by.first.den != 0 && period <= longest_period) period += a.per;
        if (period > longest_period || theirs.signal.num == 0) return false;
        if (w.first < 0 || a.first < w.first || w.size > w.stride || w.stride == 0) return false;
        const u64_t shift = period / a.per * a.stride;
        const u64_t tiles = shift / w.stride * w.per;
        if (shift % w.stride != 0 || tiles != period / by.first.den * by.first.num * theirs.signal.den) return false;
        constexpr u32_t endless = 1U << 30;  // what is cut off at the ends touches less
        const byte_range all{.first = w.first, .stride = w.stride, .size = w.size, .low = 0, .high = u64_t{1} << 50, .per = w.per};
        for (u32_t t = 0; t < period && t < mine.tiles; t += a.per) {
            // `per` tiles touch the same; the first of them waits for the lowest counters
            const u32_t last = mine.tiles - t < a.per ? mine.tiles - 1 : t + a.per - 1;
            const u64_t at = static_cast<u64_t>(a.first) + t / a.per * a.stride;
            const interval known{u64_t{by.first(last) - theirs.signal.first} * theirs.signal.den,
                                 u64_t{by.first(t) - theirs.signal.first + by.count} * theirs.signal.den};
            if (!within(tiles_touching(all, endless, {at, at + a.size}), known)) return false;
        }
        return true;
    }

    schedule_view s_;
    order_view groups_;
    signal_index signals_;
    detail::counter_joins<order_view> counters_;
};

}  // namespace netra::inline v0
