// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What is certainly done before a task starts, derived from waits and from the order within queues.
#pragma once

#include <netra/detail/scratch.hpp>
#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

/// Which group signals a counter. @pre every counter belongs to at most one group
class counter_owners {
  public:
    static constexpr u16_t nobody = 0xffff;

    constexpr explicit counter_owners(const schedule_view& s) : owner_(s.counters) {
        for (usz c = 0; c < s.counters; ++c) owner_[c] = nobody;
        for (usz g = 0; g < s.group_count; ++g)
            for (u32_t c = 0; c < counters_of(s.groups[g]); ++c) owner_[s.groups[g].signal.first + c] = static_cast<u16_t>(g);
    }
    constexpr u16_t operator[](u32_t counter) const { return owner_[counter]; }

  private:
    detail::scratch<u16_t> owner_;
};

/// The order of a schedule whose waits were found satisfiable. It never claims an order that does not hold; it may miss one.
class group_order {
  public:
    constexpr explicit group_order(const schedule_view& s)
        : s_(s), owners_(s), before_(s.group_count), done_(s.group_count), queues_(s.group_count), retired_(s.group_count) {
        for (usz g = 0; g < s.group_count; ++g) {
            note_queues(g);
            note_waits(g);
            note_queue_order(g);
        }
        note_retirement();
    }

    /// Every tile of group `p` is done before any tile of group `g` starts.
    constexpr bool complete(usz g, usz p) const { return before_.get(g, p); }

    /// Group `p` is complete before any tile of the group with this index, or of any later one, starts.
    constexpr usz retired_from(usz p) const { return retired_[p]; }

    /// Tile `u` of group `p` is done before tile `t` of group `g` starts.
    constexpr bool ordered(usz g, u32_t t, usz p, u32_t u) const {
        u32_t steps = most_steps;
        return ordered(g, t, p, u, steps);
    }

  private:
    /// Tiles that one question may visit. Waits of single tiles through many groups have exponentially many paths; an order that is
    /// not found in time counts as missing.
    static constexpr u32_t most_steps = 4096;

    constexpr bool ordered(usz g, u32_t t, usz p, u32_t u, u32_t& steps) const {
        if (complete(g, p)) return true;
        if (p >= g) return p == g && u < t && same_queue(g, t, p, u);
        if (same_queue(g, t, p, u)) return true;
        for (const auto& w : s_.groups[g].waits) {
            const usz s = owners_[w.first(t)];
            const interval known = tiles_joined(w, t);
            if (known.empty() || s < p) continue;
            if (s == p) {
                if (u >= known.begin && u < known.end) return true;
                continue;
            }
            for (u64_t v = known.begin; v < known.end && steps != 0; ++v)
                if (--steps, ordered(s, static_cast<u32_t>(v), p, u, steps)) return true;
        }
        return false;
    }
    constexpr bool same_queue(usz g, u32_t t, usz p, u32_t u) const {
        return s_.queue_of(s_.groups[g], t) == s_.queue_of(s_.groups[p], u);
    }
    /// The tiles whose signals a wait of tile `t` has all seen; empty when it may start on a part of them.
    constexpr interval tiles_joined(const wait& w, u32_t t) const {
        const u32_t first = w.first(t);
        const group& p = s_.groups[owners_[first]];
        for (u32_t c = first; c < first + w.count; ++c)
            if (w.threshold < signals_of(p, c)) return {};
        if (p.signal.num == 0) return {0, p.tiles};
        const u64_t end = u64_t{first - p.signal.first + w.count} * p.signal.den;
        return {u64_t{first - p.signal.first} * p.signal.den, end < p.tiles ? end : p.tiles};
    }
    constexpr void learn(detail::bit_matrix& what, usz g, usz p) {
        what.set(g, p);
        what.merge(g, done_, p);
    }

    constexpr void note_queues(usz g) {
        const index_map& map = s_.groups[g].queue;  // monotone; num <= den leaves no queue out on its way
        const u32_t last = map(s_.groups[g].tiles - 1);
        queues_[g].first = map.first % s_.queues;
        queues_[g].single = s_.queues == 1 || last == map.first;
        queues_[g].every = s_.queues == 1 || (map.num <= map.den && last - map.first + 1 >= s_.queues);
    }
    constexpr void note_waits(usz g) {
        const group& of = s_.groups[g];
        for (const auto& w : of.waits) {
            const usz p = owners_[w.first(0)];
            const interval joined = tiles_joined(w, 0);
            if (w.first.num == 0 && joined == interval{0, s_.groups[p].tiles}) learn(before_, g, p);
            else before_.merge(g, before_, p);  // at least one tile of p ran, so all that comes before every tile of p did
        }
        done_.merge(g, before_, g);
        for (const auto& w : of.waits) {
            const usz p = owners_[w.first(0)];
            if (!done_.get(g, p) && all_tiles_join(of, p)) learn(done_, g, p);
        }
    }
    /// Whether the waits of all tiles of `of` together join every tile of `p`.
    constexpr bool all_tiles_join(const group& of, usz p) const {
        detail::scratch<bool> seen(s_.groups[p].tiles);
        for (const auto& w : of.waits) {
            if (owners_[w.first(0)] != p) continue;
            for (u32_t t = 0; t < of.tiles; ++t) {
                const interval joined = tiles_joined(w, t);
                for (u64_t u = joined.begin; u < joined.end; ++u) seen[u] = true;
                if (w.first.num == 0) break;
            }
        }
        for (usz u = 0; u < seen.size(); ++u)
            if (!seen[u]) return false;
        return true;
    }
    /// Queues run in rank order: a group that has tiles on every queue ends after all that comes before it in any queue.
    constexpr void note_queue_order(usz g) {
        const queue_set& mine = queues_[g];
        for (usz p = g; mine.every && p-- > 0;) {
            if (!done_.get(g, p)) learn(done_, g, p);
            if (queues_[p].every) break;  // what comes before p is done with p
        }
        for (usz p = g; mine.single && p-- > 0;) {
            if (!queues_[p].single || queues_[p].first != mine.first) continue;
            learn(before_, g, p);
            break;  // p follows the earlier ones of this queue
        }
        done_.merge(g, before_, g);
    }

    constexpr void note_retirement() {
        const usz n = s_.group_count;
        detail::scratch<u64_t> all(before_.words());  // the groups that every group from g on starts after
        for (usz w = 0; w < all.size(); ++w) all[w] = ~u64_t{0};
        for (usz g = n; g-- > 0;)
            for (usz w = 0; w < before_.words(); ++w) {
                u64_t lost = all[w] & ~before_.word(g, w);
                all[w] &= before_.word(g, w);
                for (usz p = w * 64; lost != 0; ++p, lost >>= 1)
                    if ((lost & 1) != 0 && p < n) retired_[p] = g + 1;
            }
    }

    struct queue_set {
        u32_t first = 0;
        bool single = false;
        bool every = false;
    };
    schedule_view s_;
    counter_owners owners_;
    detail::bit_matrix before_;  ///< (g, p): p is complete before any tile of g starts
    detail::bit_matrix done_;    ///< (g, p): p is complete once every tile of g is done
    detail::scratch<queue_set> queues_;
    detail::scratch<usz> retired_;
};

/// For each buffer, the first group from which on every use of it is over, whatever the interleaving.
class buffer_lives {
  public:
    constexpr buffer_lives(const schedule_view& s, const group_order& order) : dead_from_(s.buffer_count) {
        for (usz g = 0; g < s.group_count; ++g)
            for (const auto& a : s.groups[g].accesses)
                if (order.retired_from(g) > dead_from_[a.buffer]) dead_from_[a.buffer] = order.retired_from(g);
    }
    constexpr usz dead_from(usz buffer) const { return dead_from_[buffer]; }

  private:
    detail::scratch<usz> dead_from_;
};

}  // namespace netra::inline v0
