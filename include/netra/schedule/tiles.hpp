// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Closed forms over the tiles of an access: which bytes all of them touch, and which of them touch given bytes.
#pragma once

#include <netra/schedule/schedule.hpp>

namespace netra::inline v0 {

/// [begin, end) of bytes or of tiles; empty when end <= begin.
struct interval {
    u64_t begin = 0;
    u64_t end = 0;
    constexpr bool empty() const { return end <= begin; }
    friend constexpr bool operator==(const interval&, const interval&) = default;
};

constexpr interval intersection(const interval& a, const interval& b) {
    return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

constexpr interval bytes_of_tile(const byte_range& r, u32_t tile) { return {r.begin_of(tile), r.end_of(tile)}; }

/// From the first byte of the first tile to the last byte of the last one.
constexpr interval hull(const byte_range& r, u32_t tiles) { return {r.begin_of(0), r.end_of(tiles - 1)}; }

/// No byte of the hull is left out by all tiles.
constexpr bool gapless(const byte_range& r, u32_t tiles) { return r.stride <= r.size || (tiles - 1) / r.per == 0; }

/// No byte belongs to two tiles.
constexpr bool tiles_disjoint(const byte_range& r, u32_t tiles) { return tiles == 1 || (r.per == 1 && r.stride >= r.size); }

/// The tiles that touch at least one byte of `bytes`: all those in the result do, no other does.
constexpr interval tiles_touching(const byte_range& r, u32_t tiles, const interval& bytes) {
    const interval b = intersection(bytes, {r.low, r.high});
    if (b.empty() || r.size == 0) return {};
    const i64_t last = (tiles - 1) / r.per;
    i64_t from = 0;
    i64_t to = last;
    if (r.stride == 0) {
        const i64_t end = r.first + static_cast<i64_t>(r.size);
        if (r.first >= static_cast<i64_t>(b.end) || end <= static_cast<i64_t>(b.begin)) return {};
    } else {
        const i64_t stride = static_cast<i64_t>(r.stride);
        const i64_t before = static_cast<i64_t>(b.begin) - r.first - static_cast<i64_t>(r.size);  // from is the first k with k stride > before
        const i64_t reach = static_cast<i64_t>(b.end) - 1 - r.first;                              // to is the last k with k stride <= reach
        if (reach < 0) return {};
        if (before >= 0) from = before / stride + 1;
        if (reach / stride < to) to = reach / stride;
    }
    if (from > to) return {};
    const u64_t end = static_cast<u64_t>(to + 1) * r.per;
    return {static_cast<u64_t>(from) * r.per, end < tiles ? end : tiles};
}

/// `past` and `fresh` rows never overlap.
constexpr bool parts_overlap(row_part a, row_part b) { return a == b || a == row_part::whole || b == row_part::whole; }

}  // namespace netra::inline v0
