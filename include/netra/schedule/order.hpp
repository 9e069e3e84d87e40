// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Which groups are certainly complete before a group starts, derived from waits and from the order within queues.
#pragma once

#include <netra/schedule/joins.hpp>
#include <netra/schedule/open_groups.hpp>

namespace netra::inline v0 {

/// What can be wrong with the waits of a schedule; the item is an index into the group's waits or words, or another group.
enum class wait_problem : u8_t { none, unmet, word_of_later_group, ambiguous_counter };
struct wait_finding {
    wait_problem what = wait_problem::none;
    u32_t group = 0;
    u32_t item = 0;
    friend constexpr bool operator==(const wait_finding&, const wait_finding&) = default;
};

/// A derived order; it owns nothing. It never claims an order that does not hold; it may miss one.
struct order_view {
    const detail::open_word* words = nullptr;
    const u32_t* ends = nullptr;
    const u32_t* dead_from_group = nullptr;
    const u32_t* last_use_group = nullptr;
    wait_finding found{};

    /// The groups before group `g` that may be unfinished when a tile of `g` starts.
    constexpr detail::open_groups open(usz g) const {
        const u32_t begin = g == 0 ? 0 : ends[g - 1];
        return {words + begin, ends[g] - begin};
    }
    /// Every tile of group `p` is done before any tile of group `g` starts.
    constexpr bool complete(usz g, usz p) const { return p < g && !open(g).has(p); }
    /// The first group from which on every use of a buffer is over, whatever the interleaving.
    constexpr usz dead_from(usz buffer) const { return dead_from_group[buffer]; }
    /// The last group that uses a buffer.
    constexpr usz last_use(usz buffer) const { return last_use_group[buffer]; }
};

/// Derives the order of a schedule, group by group. @pre check_structure accepts
///
/// A wait is taken to see signals of groups listed before it only. A group that signals one of its counters later must itself start after
/// those signals, which is checked: then the first wait that is wrongly trusted could not come first.
class group_order {
  public:
    constexpr explicit group_order(const schedule_view& s)
        : s_(s), signals_(s), open_(s.group_count), left_(s.group_count), opens_(s.group_count), lefts_(s.group_count),
          queues_(s.group_count), last_single_(s.queues),
          awaited_(signals_.shared() ? s.group_count : 0), dead_from_(s.buffer_count), last_use_(s.buffer_count) {
        for (usz g = 0; g < s.group_count && found_.what == wait_problem::none; ++g) derive(g);
        if (found_.what == wait_problem::none) note_lives();
    }

    /// Every tile of group `p` is done before any tile of group `g` starts.
    constexpr bool complete(usz g, usz p) const { return p < g && !opens_[g].has(p); }
    constexpr order_view view() const { return {opens_.words().data(), &opens_.ends()[0], &dead_from_[0], &last_use_[0], found_}; }

  private:
    constexpr void derive(usz g) {
        const group& of = s_.groups[g];
        const queue_range queues = queues_[g] = queues_of(s_, of);
        find_joins(g);
        open_.fill(g);
        for (usz i = 0; i < joins_.size(); ++i) {
            const detail::joined_tiles& j = joins_[i];
            if (whole(j, true)) open_.keep(lefts_[j.group], j.group + 1);
            else if (j.some) open_.keep(opens_[j.group], j.group);  // what comes before every tile of the group came before one that ran
        }
        if (queues.single()) {
            u32_t& last = last_single_[queues.first];  // plus 1
            if (last != 0) open_.keep(lefts_[last - 1], last);
            last = static_cast<u32_t>(g) + 1;
        }
        const detail::open_groups open = open_.get();
        opens_.push_back(open);
        note_left(open, queues);
        if (signals_.shared() && found_.what == wait_problem::none) check_signals(g);
    }
    constexpr void find_joins(usz g) {
        const group& of = s_.groups[g];
        const auto add = [&](detail::joined_tiles j) {
            // tiles of one queue run one after the other
            if (j.tiles.begin != 0 && !j.tiles.empty() && queues_[j.group].single()) j.tiles.begin = 0;
            joins_.push_back(j);
        };
        joins_.clear();
        const detail::counter_joins<group_order> counters(s_, signals_, *this);
        for (u32_t i = 0; i < of.waits.size(); ++i) {
            if (!counters.for_each(g, of.waits[i], add)) return refuse(wait_problem::unmet, g, i);
            if (signals_.shared()) note_awaited(g, of.waits[i]);
        }
        for (u32_t i = 0; i < of.words.size(); ++i) {
            if (of.words[i] >= g) return refuse(wait_problem::word_of_later_group, g, i);
            detail::for_each_word_join(of, of.words[i], s_.groups[of.words[i]], add);
        }
    }
    /// Whether the joins of a group, those that hold before its first tile or all, make up every tile of `j`'s group.
    constexpr bool whole(const detail::joined_tiles& j, bool fixed) const {
        const u64_t tiles = s_.groups[j.group].tiles;
        if (fixed && !j.fixed) return false;
        if (j.tiles == interval{0, tiles}) return true;
        u64_t at = 0;
        for (bool advanced = true; advanced && at < tiles;) {
            advanced = false;
            for (usz i = 0; i < joins_.size(); ++i) {
                const detail::joined_tiles& other = joins_[i];
                if (other.group != j.group || (fixed && !other.fixed) || other.tiles.begin > at || other.tiles.end <= at) continue;
                at = other.tiles.end;
                advanced = true;
            }
        }
        return at >= tiles;
    }
    /// What is done once every tile of `g` is: also what the tiles join together, and what runs before them on their queues.
    constexpr void note_left(const detail::open_groups& open, const queue_range& queues) {
        if (open.count == 0 || (queues.gapless && queues.first == 0 && queues.last == s_.queues - 1)) {
            left_.clear();
        } else {
            left_.copy(open);
            for (usz i = 0; i < joins_.size(); ++i)
                if (whole(joins_[i], false)) left_.keep(lefts_[joins_[i].group], joins_[i].group + 1);
            if (!queues.single())  // else the last one of the queue was noted
                open.for_each([&](usz p) {
                    if (queues.covers(queues_[p])) left_.keep(lefts_[p], p + 1);
                });
        }
        lefts_.push_back(left_.get());
    }

    constexpr void note_awaited(usz g, const wait& w) {
        signals_.for_each(g, w.first.first, w.first(s_.groups[g].tiles - 1) + w.count, [&](usz p) { awaited_[p] = awaited_[p] || p < g; });
    }
    constexpr void check_signals(usz g) {
        const group& of = s_.groups[g];
        signals_.for_each(g, of.signal.first, of.signal.first + counters_of(of), [&](usz p) {
            if (p < g && awaited_[p] && !complete(g, p)) refuse(wait_problem::ambiguous_counter, g, static_cast<u32_t>(p));
        });
    }

    constexpr void note_lives() {
        detail::scratch<u32_t> retired_from(s_.group_count);
        u32_t* retired = &retired_from[0];  // note: pointers, because calls of operators are what costs time while compiling
        for (u32_t g = 0; g < s_.group_count; ++g) {
            retired[g] = g + 1;
            if (const detail::open_groups open = opens_[g]; open.count != 0) open.for_each([&](usz p) { retired[p] = g + 1; });
        }
        u32_t* dead = &dead_from_[0];
        u32_t* last_use = &last_use_[0];
        for (u32_t g = 0; g < s_.group_count; ++g)
            for (const auto& a : s_.groups[g].accesses) {
                last_use[a.buffer] = g;
                if (retired[g] > dead[a.buffer]) dead[a.buffer] = retired[g];
            }
    }
    constexpr void refuse(wait_problem what, usz g, u32_t item) { found_ = {what, static_cast<u32_t>(g), item}; }

    schedule_view s_;
    signal_index signals_;
    detail::narrowing_set open_;       ///< of the group at hand: the groups that may be unfinished before a tile of it starts
    detail::narrowing_set left_;       ///< and once every tile of it is done
    detail::open_group_list opens_;
    detail::open_group_list lefts_;
    detail::growing<detail::joined_tiles> joins_;
    detail::scratch<queue_range> queues_;
    detail::scratch<u32_t> last_single_;
    detail::scratch<bool> awaited_;    ///< a group between here and the one at hand waits for a counter of this one
    detail::scratch<u32_t> dead_from_;
    detail::scratch<u32_t> last_use_;
    wait_finding found_{};
};

/// An order as a value of the compiler, as far as its word_count() words fit.
template <usz Groups, usz Buffers, usz Words>
struct static_order {
    detail::open_word words[Words == 0 ? 1 : Words]{};
    u32_t ends[Groups == 0 ? 1 : Groups]{};
    u32_t dead_from[Buffers == 0 ? 1 : Buffers]{};
    u32_t last_use[Buffers == 0 ? 1 : Buffers]{};
    wait_finding found{};

    constexpr explicit static_order(const order_view& of) : found(of.found) {
        if (found.what != wait_problem::none) return;
        for (usz i = 0; i < Groups; ++i) ends[i] = of.ends[i];
        for (usz i = 0; i < Words && i < word_count(); ++i) words[i] = of.words[i];
        for (usz i = 0; i < Buffers; ++i) dead_from[i] = of.dead_from_group[i], last_use[i] = of.last_use_group[i];
    }
    constexpr usz word_count() const { return Groups == 0 ? 0 : ends[Groups - 1]; }
    constexpr order_view view() const { return {words, ends, dead_from, last_use, found}; }
};

}  // namespace netra::inline v0
