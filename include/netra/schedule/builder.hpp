// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Builds a schedule group by group: buffers, affine ranges, counters and joins.
#pragma once

#include <netra/schedule/lower_config.hpp>
#include <netra/schedule/schedule.hpp>

namespace netra::inline v0 {

/// Takes what a builder adds and keeps only the counts: the first of two passes, whose result sizes the second's storage.
struct counting_schedule {
    template <class T>
    struct counter {
        usz count = 0;
        constexpr void push_back(const T&) { ++count; }
        constexpr usz size() const { return count; }
    };
    counter<group> groups{};
    counter<buffer> buffers{};
    counter<operation> operations{};
    u32_t counters = 0;
    u32_t queues = 1;
    u64_t arena_bytes = 0;
    device where{};
    constexpr schedule_size size() const { return {groups.count, buffers.count, operations.count}; }
};

/// A group that was added: what later ones need to wait for it.
struct added_group {
    index_map signal{};
    u32_t tiles = 0;
};

template <class Schedule>
class schedule_builder {
  public:
    constexpr schedule_builder(Schedule& to, const lower_config& config) : s_(to), config_(config) { s_.queues = config.workers; }

    constexpr u16_t add(const operation& o) {
        s_.operations.push_back(o);
        return static_cast<u16_t>(s_.operations.size() - 1);
    }
    constexpr u16_t add(const buffer& b) {
        s_.buffers.push_back(b);
        return static_cast<u16_t>(s_.buffers.size() - 1);
    }
    /// Starts a group; `fine` gives every tile a counter of its own.
    constexpr group start(const name& n, u16_t op, u32_t layer, u32_t tiles, bool fine = false) {
        group g;
        g.name = n;
        g.op = op;
        g.layer = layer;
        g.tiles = tiles;
        g.signal = {s_.counters, fine ? 1U : 0U, 1};
        s_.counters += fine ? tiles : 1;
        const bool blocked = config_.assignment == queue_assignment::blocked;
        if (tiles > 1) g.queue = blocked ? index_map{0, config_.workers, tiles} : index_map{0, 1, 1};
        return g;
    }
    constexpr added_group finish(const group& g) {
        s_.groups.push_back(g);
        return {g.signal, g.tiles};
    }

  private:
    Schedule& s_;
    const lower_config& config_;
};

/// All `bytes` from `at` on, for every tile.
constexpr byte_range same_bytes(u64_t at, u64_t bytes) {
    return {.first = static_cast<i64_t>(at), .stride = 0, .size = bytes, .low = at, .high = at + bytes};
}
/// `bytes` from `at` on in pieces of `tile_bytes`; `per` consecutive tiles share a piece.
constexpr byte_range cut(u64_t at, u64_t bytes, u64_t tile_bytes, u32_t per = 1) {
    return {.first = static_cast<i64_t>(at), .stride = tile_bytes, .size = tile_bytes, .low = at, .high = at + bytes, .per = per};
}
/// A buffer of `bytes` that is the part from `before` on of a longer one cut into pieces of `tile_bytes`.
constexpr byte_range cut_part(u64_t before, u64_t bytes, u64_t tile_bytes) {
    return {.first = -static_cast<i64_t>(before), .stride = tile_bytes, .size = tile_bytes, .low = 0, .high = bytes};
}

constexpr void reads(group& g, u16_t buffer, const byte_range& r, row_part part = row_part::whole) {
    g.accesses.push_back({buffer, false, part, r});
}
constexpr void writes(group& g, u16_t buffer, const byte_range& r, row_part part = row_part::whole) {
    g.accesses.push_back({buffer, true, part, r});
}
/// Every tile waits for every tile of `p`.
constexpr void join(group& g, const added_group& p) {
    const bool fine = p.signal.num != 0;
    g.waits.push_back({{p.signal.first, 0, 1}, fine ? p.tiles : 1, fine ? 1 : p.tiles});
}
/// Tile t waits for the `count` tiles of `p` from `first` + t * count / per (rounded down) on. @pre `p` was started with fine counters
constexpr void join_tiles(group& g, const added_group& p, u32_t first, u32_t count, u32_t per) {
    g.waits.push_back({{p.signal.first + first, count, per}, count, 1});
}

}  // namespace netra::inline v0
