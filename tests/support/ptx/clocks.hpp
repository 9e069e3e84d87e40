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
            if (one <= all || lane == o.lane) one = lane == o.lane ? std::max(one, o.one) : o.one, lane = o.lane;
            else all = std::max(one, o.one);  // two lanes ahead of the rest: taken for all of them
        }
    }
    bool covers(const clock_entry& o) const { return all >= o.all && (o.one <= all || (lane == o.lane && one >= o.one)); }
};

class vector_clock {
public:
    bool knows(u32_t actor, u32_t lane, u32_t epoch) const {
        if (actor >= entries_.size()) return false;
        const clock_entry& e = entries_[actor];
        return epoch <= e.all || (lane == e.lane && epoch <= e.one);
    }
    clock_entry& operator[](u32_t actor) {
        if (actor >= entries_.size()) entries_.resize(actor + 1);
        return entries_[actor];
    }
    void join(const vector_clock& o) {
        if (o.entries_.size() > entries_.size()) entries_.resize(o.entries_.size());
        for (usz k = 0; k < o.entries_.size(); ++k) entries_[k].join(o.entries_[k]);
    }
    bool covers(const vector_clock& o) const {
        for (usz k = 0; k < o.entries_.size(); ++k)
            if (!(k < entries_.size() ? entries_[k] : clock_entry{}).covers(o.entries_[k])) return false;
        return true;
    }

private:
    std::vector<clock_entry> entries_{};
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

    void add_reader(cell& c, const touch& t) {
        for (u32_t r = c.readers; r != none; r = readers_[r].next) {
            touch& old = readers_[r].read;
            if (old.actor != t.actor) continue;
            const u8_t lane = old.lane == t.lane ? t.lane : several_lanes;
            old = t;
            old.lane = lane;
            return;
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
    std::array<clock_ptr, 32> fenced{};   ///< known at the last fence: what a relaxed store publishes
    std::array<clock_ptr, 32> pending{};  ///< read by relaxed loads: known from the next fence on
};

struct race_detector {
    u32_t warps_of_block = 0;
    u32_t actors = 0;  ///< warps of the grid, then mbarriers as they are initialised
    std::vector<warp_clocks> warps{};
    std::unordered_map<u64_t, clock_ptr> words{};  ///< what a reader of a word learns, by address (of shared memory: with the block)
};

}  // namespace netra::test::simt
