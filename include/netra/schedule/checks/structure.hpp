// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether the parts of a schedule fit together: indices, contracts, operands, bounds, read-only buffers, the device.
#pragma once

#include <netra/schedule/checks/operands.hpp>
#include <netra/schedule/checks/shapes.hpp>
#include <netra/schedule/order.hpp>

namespace netra::inline v0 {

namespace detail {

/// Values of a map that later arithmetic in 32 bits can take. Of a range: in 64 bits, for 2^28 tiles.
constexpr bool small(const index_map& m, u32_t tiles) {
    return m.den != 0 && m.num <= max_dimension && m.first + u64_t{tiles - 1} * m.num / m.den <= max_dimension;
}
constexpr bool small(const byte_range& r) {
    constexpr u64_t limit = u64_t{1} << 48;
    const u64_t distance = r.first < 0 ? u64_t{0} - static_cast<u64_t>(r.first) : static_cast<u64_t>(r.first);
    return r.per != 0 && distance < limit && r.size < limit && r.high < limit && r.low <= r.high && r.stride < (u64_t{1} << 34);
}

constexpr verdict check_group_indices(const schedule_view& s, const group& g) {
    if (g.tiles == 0) return refuse(reason::no_tiles, g.name);
    const auto unknown_counter = [&](u32_t c) {
        return refuse(reason::unknown_counter, g.name).with(label::counter, c).with(label::limit, s.counters);
    };
    if (g.tiles > max_dimension) return refuse(reason::too_large, g.name, "tiles").with(label::value, g.tiles).with(label::limit, max_dimension);
    if (!small(g.signal, g.tiles) || !small(g.queue, g.tiles) || g.signal.num > 1) return refuse(reason::bad_parameter, g.name, "queue or signal map");
    if (u64_t{g.signal(g.tiles - 1)} >= s.counters) return unknown_counter(g.signal(g.tiles - 1));
    for (const auto& w : g.waits) {
        if (!small(w.first, g.tiles) || w.count == 0 || w.threshold == 0) return refuse(reason::bad_parameter, g.name, "wait");
        const u64_t end = u64_t{w.first(g.tiles - 1)} + w.count;
        if (end > s.counters) return unknown_counter(static_cast<u32_t>(end - 1));
    }
    for (const auto& a : g.accesses)
        if (a.buffer >= s.buffer_count) return refuse(reason::unknown_buffer, g.name).with(label::buffer, a.buffer).with(label::limit, s.buffer_count);
    for (const u16_t p : g.words)
        if (p >= s.group_count)
            return refuse(reason::awaits_later_group, g.name).with(label::task_group, p).with(label::other_group, static_cast<u64_t>(&g - s.groups));
    return {};
}

constexpr verdict check_group_bounds(const schedule_view& s, const group& g) {
    for (const auto& a : g.accesses) {
        const buffer& b = s.buffers[a.buffer];
        if (!small(a.range)) return refuse(reason::bad_parameter, g.name, "byte range");
        if (a.part != row_part::whole && b.kind != buffer_kind::state) return refuse(reason::bad_parameter, g.name, "row part");  // only a state has a past
        if (a.write && (b.kind == buffer_kind::input || b.kind == buffer_kind::weight)) return refuse(reason::writes_read_only, g.name, b.name);
        if (a.write && a.part == row_part::past) return refuse(reason::writes_read_only, g.name, b.name);
        const u64_t end = hull(a.range, g.tiles).end;
        if (a.range.high > b.row_bytes || end > b.row_bytes)
            return refuse(reason::out_of_bounds, g.name, b.name)
                .with(label::tile, g.tiles - 1)
                .with(label::end_byte, end > a.range.high ? end : a.range.high)
                .with(label::bytes, b.row_bytes);
    }
    return {};
}

constexpr verdict check_group_operands(const schedule_view& s, const group& g) {
    const operation& op = s.op_of(g);
    if (op.kind == op_kind::none) return {};
    verdict v = check(op);
    if (!v.ok()) {
        v.subject = g.name;
        return v;
    }
    const operand_list expected = operands_of(op);
    if (expected.size() != g.accesses.size())
        return refuse(reason::wrong_operands, g.name).with(label::actual, g.accesses.size()).with(label::expected, expected.size());
    for (usz i = 0; i < expected.size(); ++i) {
        const access& a = g.accesses[i];
        const buffer& b = s.buffers[a.buffer];
        const interval touched = hull(a.range, g.tiles);
        if (a.write != expected[i].write) return refuse(reason::wrong_direction, g.name, b.name).with(label::operand, i);
        if (touched.end - touched.begin != expected[i].bytes)
            return refuse(reason::wrong_row_size, g.name, b.name)
                .with(label::operand, i)
                .with(label::actual, touched.end - touched.begin)
                .with(label::expected, expected[i].bytes);
        if (b.rows < expected[i].rows)
            return refuse(reason::wrong_row_count, g.name, b.name)
                .with(label::operand, i)
                .with(label::actual, b.rows)
                .with(label::expected, expected[i].rows);
    }
    return tile_shares(s, g).run();
}

/// Sizes whose sums and products below stay within 64 bits.
constexpr verdict check_buffer(const schedule_view& s, const buffer& b) {
    constexpr u64_t most = u64_t{1} << 48;
    const auto too_large = [&](const char* what, u64_t value, u64_t limit) {
        return refuse(reason::too_large, b.name, what).with(label::value, value).with(label::limit, limit);
    };
    if (b.rows == 0) return refuse(reason::zero_size, b.name, "rows");
    if (b.row_bytes >= most) return too_large("bytes of a row", b.row_bytes, most);
    const u64_t most_rows = b.row_bytes == 0 ? most - 1 : most / b.row_bytes;
    if (b.rows > most_rows) return too_large("rows", b.rows, most_rows);
    if (b.kind != buffer_kind::activation) return {};
    if (b.arena >= most) return too_large("arena", b.arena, most);
    if (b.arena + bytes(b) > s.arena_bytes)
        return refuse(reason::arena_too_small, b.name).with(label::end_byte, b.arena + bytes(b)).with(label::bytes, s.arena_bytes);
    return {};
}

constexpr verdict check_sizes(const schedule_view& s) {
    if (s.queues == 0) return refuse(reason::zero_size, "schedule", "queues");
    if (s.group_count == 0) return refuse(reason::zero_size, "schedule", "task groups");
    constexpr u64_t most = no_counter - 1;
    if (s.group_count > most) return refuse(reason::too_large, "schedule", "task groups").with(label::value, s.group_count).with(label::limit, most);
    if (s.queues > s.where.workers)
        return refuse(reason::too_many_workers, s.where.name).with(label::workers, s.queues).with(label::limit, s.where.workers);
    if (s.counters > max_dimension) return refuse(reason::too_large, "schedule", "counters").with(label::value, s.counters).with(label::limit, max_dimension);
    for (usz i = 0; i < s.buffer_count; ++i)
        if (verdict v = detail::check_buffer(s, s.buffers[i]); !v.ok()) return v;
    return {};
}
/// Groups [begin, end), each by itself.
constexpr verdict check_groups(const schedule_view& s, usz begin, usz end) {
    for (usz i = begin; i < end; ++i) {
        const group& g = s.groups[i];
        if (g.op >= s.operation_count) return refuse(reason::bad_parameter, g.name, "operation index");
        if (g.shared_bytes > s.where.shared_bytes)
            return refuse(reason::too_much_shared_memory, g.name, s.where.name).with(label::bytes, g.shared_bytes).with(label::limit, s.where.shared_bytes);
        if (verdict v = detail::check_group_indices(s, g); !v.ok()) return v;
        if (verdict v = detail::check_group_bounds(s, g); !v.ok()) return v;
        if (verdict v = detail::check_group_operands(s, g); !v.ok()) return v;
    }
    return {};
}

}  // namespace detail

/// Everything that can be said of a schedule without knowing in which order its tasks run.
constexpr verdict check_structure(const schedule_view& s) {
    if (verdict v = detail::check_sizes(s); !v.ok()) return v;
    if (verdict v = detail::check_groups(s, 0, s.group_count); !v.ok()) return v;
    return check_shapes(s);
}

}  // namespace netra::inline v0
