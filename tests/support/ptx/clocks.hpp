// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What threads know of each other: vector clocks over warps and mbarriers, and who touched which bytes last.
#pragma once

#include "support/ptx/program.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace netra::test::simt {

/// Of one warp or mbarrier: everything up to `all` has happened before, and what its lane `lane` did up to `one`.
struct clock_entry {
    u32_t all = 0;
    u32_t one = 0;
    u32_t lane = none;

    void join(const clock_entry& o) {
        all = std::max(all, o.all);
        if (o.one > all) {
            if (one <= all || lane == o.lane)
                one = lane == o.lane ? std::max(one, o.one) : o.one, lane = o.lane;
            else
                all = std::max(one, o.one);  // two lanes ahead of the rest: taken for all of them
        }
    }
    bool covers(const clock_entry& o) const { return all >= o.all && (o.one <= all || (lane == o.lane && one >= o.one)); }
};

/// Actors are the warps of the grid, and with this bit the mbarriers of the block that knows: their epochs are completed phases.
inline constexpr u32_t mbarrier_actor = 1U << 31;

class vector_clock {
public:
    bool knows(u32_t actor, u32_t lane, u32_t epoch) const {
        if ((actor & mbarrier_actor) == 0) return knows(entries_, actor, lane, epoch);
        return (actor & ~mbarrier_actor) < phases_.size() && phases_[actor & ~mbarrier_actor] >= epoch;
    }
    /// The same for what bulk copies read: a proxy fence must lie between.
    bool knows_proxied(u32_t actor, u32_t lane, u32_t epoch) const { return knows(proxied_, actor, lane, epoch); }
    clock_entry& operator[](u32_t actor) {
        if (actor >= entries_.size()) entries_.resize(actor + 1);
        return entries_[actor];
    }
    void join(const vector_clock& o) {
        join(entries_, o.entries_);
        join(proxied_, o.proxied_);
        if (o.phases_.size() > phases_.size()) phases_.resize(o.phases_.size());
        for (usz k = 0; k < o.phases_.size(); ++k) phases_[k] = std::max(phases_[k], o.phases_[k]);
    }
    void complete(u32_t actor, u32_t phase) {
        const u32_t k = actor & ~mbarrier_actor;
        if (k >= phases_.size()) phases_.resize(k + 1);
        phases_[k] = phase;
    }
    bool has_phases() const { return !phases_.empty(); }
    /// As another block is told.
    void drop_phases() { phases_.clear(); }
    bool covers(const vector_clock& o) const {
        for (usz k = 0; k < o.phases_.size(); ++k)
            if (o.phases_[k] > (k < phases_.size() ? phases_[k] : 0)) return false;
        return covers(entries_, o.entries_) && covers(proxied_, o.proxied_);
    }
    void fence_proxy() { proxied_ = entries_; }

private:
    using entries = std::vector<clock_entry>;
    static bool knows(const entries& in, u32_t actor, u32_t lane, u32_t epoch) {
        return actor < in.size() && (epoch <= in[actor].all || (lane == in[actor].lane && epoch <= in[actor].one));
    }
    static void join(entries& to, const entries& from) {
        if (from.size() > to.size()) to.resize(from.size());
        for (usz k = 0; k < from.size(); ++k) to[k].join(from[k]);
    }
    static bool covers(const entries& a, const entries& b) {
        for (usz k = 0; k < b.size(); ++k)
            if (!(k < a.size() ? a[k] : clock_entry{}).covers(b[k])) return false;
        return true;
    }

    entries entries_{};
    entries proxied_{};
    std::vector<u32_t> phases_{};
};

/// Shared between those who know the same; null: nothing.
using clock_ptr = std::shared_ptr<const vector_clock>;
inline clock_ptr joined(const clock_ptr& a, const clock_ptr& b) {
    if (b == nullptr || a == b) return a;
    if (a == nullptr) return b;
    if (a->covers(*b)) return a;
    if (b->covers(*a)) return b;
    auto made = std::make_shared<vector_clock>(*a);
    made->join(*b);
    return made;
}

/// An access by a lane of a warp, or the landing of a copy as an act of its mbarrier; epoch 0: none.
struct touch {
    u32_t epoch = 0;
    u32_t pc = 0;
    u32_t actor = 0;
    u8_t lane = 0;
    bool strong = false;
};
inline constexpr u8_t several_lanes = 255;

/// The last touches of two bytes each.
class shadow_memory {
public:
    static constexpr u64_t granule = 2;
    explicit shadow_memory(u64_t bytes) : cells_((bytes + granule - 1) / granule) {}

    struct cell {
        touch write{};
        u32_t readers = none;
    };
    struct reader {
        touch read{};
        u32_t next = none;
    };
    cell& at(u64_t offset) { return cells_[offset / granule]; }
    reader& reader_at(u32_t index) { return readers_[index]; }

    /// Reads for which `ordered` says that they come before this one are forgotten: whoever comes after this one comes after them.
    template <class Ordered>
    void add_reader(cell& c, const touch& t, Ordered ordered) {
        for (u32_t* at = &c.readers; *at != none;) {
            const u32_t r = *at;
            touch& old = readers_[r].read;
            if (ordered(old)) {
                *at = readers_[r].next;
                readers_[r].next = free_;
                free_ = r;
            } else if (old.actor == t.actor && old.epoch == t.epoch) {
                old.lane = several_lanes;
                return;
            } else {
                at = &readers_[r].next;
            }
        }
        u32_t made = free_;
        if (made == none) {
            made = static_cast<u32_t>(readers_.size());
            readers_.emplace_back();
        } else {
            free_ = readers_[made].next;
        }
        readers_[made] = {t, c.readers};
        c.readers = made;
    }
    void drop_readers(cell& c) {
        while (c.readers != none) {
            const u32_t r = c.readers;
            c.readers = readers_[r].next;
            readers_[r].next = free_;
            free_ = r;
        }
    }

private:
    std::vector<cell> cells_;
    std::vector<reader> readers_{};
    u32_t free_ = none;
};

/// What the lanes of a warp know.
struct warp_clocks {
    u32_t now = 1;  ///< the epoch of what the warp does; each release starts a new one
    std::array<clock_ptr, 32> known{};
    std::array<clock_ptr, 32> learned{};  ///< last: part of `known`
    std::array<clock_ptr, 32> fenced{};   ///< known at the last fence: what a relaxed store publishes
    std::array<clock_ptr, 32> pending{};  ///< read by relaxed loads: known from the next fence on
};

struct race_detector {
    u32_t warps_of_block = 0;
    std::vector<warp_clocks> warps{};
    std::unordered_map<u64_t, clock_ptr> words{};  ///< what a reader of a word learns, by address (of shared memory: with the block)
};

}  // namespace netra::test::simt
