// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A schedule as a value: buffers, counters, task groups and the queues that their tiles map to.
#pragma once

#include <netra/contracts/target.hpp>
#include <netra/schedule/operation.hpp>

namespace netra::inline v0 {

inline constexpr u16_t no_counter = 0xffff;

/// input, weight: read only. state: a cache that outlives the step. activation: lives in the arena. output: must be written completely.
enum class buffer_kind : u8_t { input, weight, state, activation, output };

/// `rows` x `row_bytes`; an access touches a range of bytes in every row. For state, rows are positions.
struct buffer {
    netra::name name{};
    buffer_kind kind = buffer_kind::activation;
    u8_t role = 0;       ///< of a weight: which one of the model's
    u32_t layer = 0;     ///< of a weight or a state
    u64_t rows = 1;
    u64_t row_bytes = 0;
    u64_t arena = 0;     ///< of an activation: its first byte, from the memory plan
    friend constexpr bool operator==(const buffer&, const buffer&) = default;
};
constexpr u64_t bytes(const buffer& b) { return b.rows * b.row_bytes; }

/// value(t) = first + t * num / den, rounded down.
struct index_map {
    u32_t first = 0;
    u32_t num = 0;
    u32_t den = 1;
    constexpr u32_t operator()(u32_t t) const { return num == 0 ? first : first + static_cast<u32_t>(u64_t{t} * num / den); }
    friend constexpr bool operator==(const index_map&, const index_map&) = default;
};

/// Tile t touches bytes [first + (t / per) * stride, that + size) of every row of the part, as far as they lie in [low, high).
struct byte_range {
    i64_t first = 0;
    u64_t stride = 0;
    u64_t size = 0;
    u64_t low = 0;
    u64_t high = 0;
    u32_t per = 1;
    constexpr u64_t begin_of(u32_t t) const {
        const i64_t b = first + static_cast<i64_t>(t / per * stride);
        return b < static_cast<i64_t>(low) ? low : static_cast<u64_t>(b);
    }
    constexpr u64_t end_of(u32_t t) const {
        const i64_t e = first + static_cast<i64_t>(t / per * stride + size);
        return e < 0 ? 0 : static_cast<u64_t>(e) < high ? static_cast<u64_t>(e) : high;
    }
    friend constexpr bool operator==(const byte_range&, const byte_range&) = default;
};

/// The rows of a state that an access touches: those of earlier steps, or those that this step appends. They never overlap.
enum class row_part : u8_t { whole, past, fresh };

struct access {
    u16_t buffer = 0;
    bool write = false;
    row_part part = row_part::whole;
    byte_range range{};
    friend constexpr bool operator==(const access&, const access&) = default;
};

/// Tile t starts when counters first(t) ... first(t) + count - 1 have all reached `threshold`.
struct wait {
    index_map first{};
    u32_t count = 1;
    u32_t threshold = 1;
    friend constexpr bool operator==(const wait&, const wait&) = default;
};

/// One operation of one layer, cut into tiles. Every tile adds 1 to counter `signal(t)` when it is done.
struct group {
    netra::name name{};
    u16_t op = 0;        ///< index into the schedule's operations
    u32_t layer = 0;
    u32_t tiles = 1;
    index_map queue{};   ///< modulo the number of queues
    index_map signal{};  ///< num is 0 (one counter) or 1 (a counter per den tiles)
    static_vector<access, 12> accesses{};
    static_vector<wait, 4> waits{};
    static_vector<u16_t, 4> words{};  ///< groups listed earlier whose bytes carry their epoch: a tile waits for exactly their tiles that write what it reads
    u64_t shared_bytes = 0;           ///< that a tile needs of its worker's shared memory
    friend constexpr bool operator==(const group&, const group&) = default;
};

/// The counters that a group's tiles signal: [first_counter, first_counter + counters).
constexpr u32_t counters_of(const group& g) { return g.signal(g.tiles - 1) - g.signal.first + 1; }
/// How many of the group's tiles signal `counter`. @pre it is one of the group's
constexpr u32_t signals_of(const group& g, u32_t counter) {
    if (g.signal.num == 0) return g.tiles;
    const u32_t before = (counter - g.signal.first) * g.signal.den;
    return g.tiles - before < g.signal.den ? g.tiles - before : g.signal.den;
}

/// What checks, executors and exports read; it owns nothing. Groups are in rank order: every queue runs its tiles by (group, tile).
struct schedule_view {
    const group* groups = nullptr;
    usz group_count = 0;
    const buffer* buffers = nullptr;
    usz buffer_count = 0;
    const operation* operations = nullptr;
    usz operation_count = 0;
    u32_t counters = 0;
    u32_t queues = 1;
    u64_t arena_bytes = 0;
    device where{};

    constexpr u32_t queue_of(const group& g, u32_t tile) const { return g.queue(tile) % queues; }
    constexpr const operation& op_of(const group& g) const { return operations[g.op]; }
};

/// How many of each thing a schedule has: the template argument of its storage.
struct schedule_size {
    usz groups = 0;
    usz buffers = 0;
    usz operations = 0;
    friend constexpr bool operator==(const schedule_size&, const schedule_size&) = default;
};

/// A schedule that lives in its object, as compile-time schedules do.
template <schedule_size Size>
struct static_schedule {
    static_vector<group, Size.groups> groups{};
    static_vector<buffer, Size.buffers> buffers{};
    static_vector<operation, Size.operations> operations{};
    u32_t counters = 0;
    u32_t queues = 1;
    u64_t arena_bytes = 0;
    device where{};
    friend constexpr bool operator==(const static_schedule&, const static_schedule&) = default;
};

template <class Storage>
constexpr schedule_view view(const Storage& s) {
    return {.groups = s.groups.data(), .group_count = s.groups.size(), .buffers = s.buffers.data(), .buffer_count = s.buffers.size(),
            .operations = s.operations.data(), .operation_count = s.operations.size(), .counters = s.counters, .queues = s.queues,
            .arena_bytes = s.arena_bytes, .where = s.where};
}

}  // namespace netra::inline v0
