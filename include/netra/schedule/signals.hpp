// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Which groups signal a counter, and how often.
#pragma once

#include <netra/detail/scratch.hpp>
#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

/// Groups by the counters that they signal; several may signal one.
class signal_index {
  public:
    constexpr explicit signal_index(const schedule_view& s) : groups_(s.groups), entries_(s.group_count) {
        for (usz g = 0; g < s.group_count; ++g) {
            const group& of = s.groups[g];
            const u32_t begin = of.signal.first;
            usz i = g;
            for (; i != 0 && entries_[i - 1].begin > begin; --i) entries_[i] = entries_[i - 1];
            entries_[i] = {begin, begin + counters_of(of), 0, static_cast<u32_t>(g)};
        }
        u32_t reach = 0;
        for (usz i = 0; i < s.group_count; ++i) {
            if (entries_[i].begin < reach) shared_ = true;
            if (entries_[i].end > reach) reach = entries_[i].end;
            entries_[i].reach = reach;
        }
    }
    /// Some counter is signalled by more than one group.
    constexpr bool shared() const { return shared_; }

    /// Calls `f(p)` for every group p that signals one of counters [begin, end). Quick when they are listed shortly before `g`.
    template <class F>
    constexpr void for_each(usz g, u32_t begin, u32_t end, F&& f) const {
        for (usz i = first_from(end, g); i != 0 && entries_[i - 1].reach > begin; --i)
            if (entries_[i - 1].end > begin) f(usz{entries_[i - 1].group});
    }
    /// The group that alone signals all of them, or the number of groups.
    constexpr usz only_signaller(usz g, u32_t begin, u32_t end) const {
        const usz i = first_from(end, g);
        const bool whole = i != 0 && entries_[i - 1].begin <= begin && entries_[i - 1].end >= end;
        const bool only = whole && (i == 1 || entries_[i - 2].reach <= begin);
        return only ? entries_[i - 1].group : entries_.size();
    }

    /// Signals of `counter` from the groups before `g`. They are as many for every counter from it on and before `next`, at most `end`.
    struct count {
        u64_t signals = 0;
        u32_t next = 0;
    };
    constexpr count count_before(usz g, u32_t counter, u32_t end) const {
        count c{0, end};
        const auto border = [&](u32_t at) {
            if (at > counter && at < c.next) c.next = at;
        };
        for_each(g, counter, end, [&](usz p) {
            if (p >= g) return;
            const group& of = groups_[p];
            const u32_t p_end = of.signal.first + counters_of(of);
            border(of.signal.first), border(p_end - 1), border(p_end);
            if (of.signal.first <= counter) c.signals += signals_of(of, counter);
        });
        return c;
    }

  private:
    /// The first entry that begins at a counter from `counter` on, looked for from entry `near` on.
    constexpr usz first_from(u32_t counter, usz near) const {
        usz low = near;
        usz high = near;
        for (usz step = 1; low != 0 && entries_[low - 1].begin >= counter; step *= 2) high = low - 1, low = low > step ? low - step : 0;
        for (usz step = 1; high != entries_.size() && entries_[high].begin < counter; step *= 2)
            low = high + 1, high = entries_.size() - high > step ? high + step : entries_.size();
        while (low < high) {
            const usz middle = (low + high) / 2;
            if (entries_[middle].begin < counter) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    struct entry {
        u32_t begin = 0;
        u32_t end = 0;
        u32_t reach = 0;  ///< the largest `end` up to this entry
        u32_t group = 0;
    };
    const group* groups_;
    detail::scratch<entry> entries_;  ///< by `begin`
    bool shared_ = false;
};

/// The tiles of `p` that signal counters [begin, end). @pre they are counters of p
constexpr interval tiles_signalling(const group& p, u32_t begin, u32_t end) {
    if (p.signal.num == 0) return {0, p.tiles};
    const u64_t last = u64_t{end - p.signal.first} * p.signal.den;
    return {u64_t{begin - p.signal.first} * p.signal.den, last < p.tiles ? last : p.tiles};
}

/// The queues that a group's tiles run on, all of them between `first` and `last`.
struct queue_range {
    u32_t first = 0;
    u32_t last = 0;
    bool gapless = false;  ///< every queue between them that is a multiple of `step` behind the first is one of the group's
    u32_t step = 1;        ///< every queue of the group is a multiple of it behind the first
    constexpr bool single() const { return first == last; }
    /// Every queue of the other group is one of this group's.
    constexpr bool covers(const queue_range& other) const {
        if (!gapless || other.first < first || last < other.last) return false;
        return step == 1 || ((other.first - first) % step == 0 && (other.single() || other.step % step == 0));
    }
};
constexpr queue_range queues_of(const schedule_view& s, const group& g) {
    const u32_t last = g.queue(g.tiles - 1);
    const u32_t span = last - g.queue.first;
    const u32_t begin = g.queue.first % s.queues;
    const u32_t step = g.queue.den == 1 && g.queue.num > 1 && s.queues % g.queue.num == 0 ? g.queue.num : 1;  // wrapping around keeps it
    const bool gapless = step > 1 || g.queue.num <= g.queue.den;
    if (begin + span < s.queues) return {begin, begin + span, gapless, step};
    return {begin % step, s.queues - step + begin % step, span + step >= s.queues && gapless, step};
}

}  // namespace netra::inline v0
