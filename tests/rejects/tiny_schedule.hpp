// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A small schedule that is accepted; each test breaks it in one place.
#pragma once

#include <netra/contracts/rejected.hpp>
#include <netra/schedule/builder.hpp>
#include <netra/schedule/check.hpp>

enum : unsigned short { buffer_x, buffer_h, buffer_t, buffer_y };  // buffers of 64 bytes: input, two activations, output
enum : unsigned char { group_load, group_gate, group_store };      // groups of 4 tiles: h = x, t = silu(h) * h, y = t

/// On 2 queues; gate joins load, tile i of store waits for tile i of gate.
consteval auto tiny() {
    using namespace netra;
    static_schedule<schedule_size{.groups = 3, .buffers = 4, .operations = 2}> s;
    s.buffers.push_back({.name = "x", .kind = buffer_kind::input, .row_bytes = 64});
    s.buffers.push_back({.name = "h", .row_bytes = 64});
    s.buffers.push_back({.name = "t", .row_bytes = 64, .arena = 64});
    s.buffers.push_back({.name = "y", .kind = buffer_kind::output, .row_bytes = 64});
    s.operations.push_back({});
    s.operations.push_back(gated_mul{.rows = 1, .width = 16});
    s.queues = 2;
    s.counters = 9;
    s.arena_bytes = 128;
    s.where = {.name = "two queues", .workers = 2};

    const byte_range quarter = cut(0, 64, 16);
    group g{.name = "load", .tiles = 4, .queue = {0, 1, 1}, .signal = {0, 0, 1}};
    reads(g, buffer_x, quarter);
    writes(g, buffer_h, quarter);
    s.groups.push_back(g);

    g = {.name = "gate", .op = 1, .tiles = 4, .queue = {0, 1, 1}, .signal = {1, 1, 1}};
    join(g, {{0, 0, 1}, 4});
    reads(g, buffer_h, quarter);
    reads(g, buffer_h, quarter);
    writes(g, buffer_t, quarter);
    s.groups.push_back(g);

    g = {.name = "store", .tiles = 4, .queue = {1, 1, 1}, .signal = {5, 1, 1}};
    join_tiles(g, {{1, 1, 1}, 4}, 0, 1, 1);
    reads(g, buffer_t, quarter);
    writes(g, buffer_y, quarter);
    s.groups.push_back(g);
    return s;
}

/// The checker's verdict on a schedule, as `netra::accepted` takes it.
template <auto& Schedule>
struct checked {
    static constexpr netra::verdict verdict = netra::check_schedule(netra::view(Schedule));
};
