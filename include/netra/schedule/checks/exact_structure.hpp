// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether an expanded schedule means anything: indices in range, ranges within their buffers and memories, nothing read-only written.
#pragma once

#include <netra/schedule/checks/exact_result.hpp>
#include <netra/schedule/expanded.hpp>

namespace netra::inline v0 {

namespace detail {

/// Numbers up to this one can be added in 64 bits a few times.
inline constexpr u64_t most_bytes = u64_t{1} << 60;
/// Tasks, signals, waits and accesses (those of a shared list counted for each task) have indices of 32 bits.
inline constexpr u64_t most_items = u64_t{1} << 31;

constexpr verdict check_expanded_buffer(const expanded_buffer& b) {
    const auto too_large = [&](const char* what, u64_t value, u64_t limit = most_bytes) {
        return refuse(reason::too_large, b.name, what).with(label::value, value).with(label::limit, limit);
    };
    if (static_cast<u8_t>(b.kind) > static_cast<u8_t>(buffer_kind::output)) return refuse(reason::bad_parameter, b.name, "kind");
    if (b.row_bytes > most_bytes) return too_large("bytes of a row", b.row_bytes);
    const u64_t most_rows = b.row_bytes == 0 ? most_bytes : most_bytes / b.row_bytes;
    if (b.rows > most_rows) return too_large("rows", b.rows, most_rows);
    if (b.offset > most_bytes) return too_large("offset", b.offset);
    if (b.held_rows > b.rows) return refuse(reason::bad_parameter, b.name, "held rows");
    if (b.past_rows > b.rows) return refuse(reason::bad_parameter, b.name, "past rows");
    return {};
}

constexpr verdict check_expanded_access(const expanded_view& v, const expanded_task& t, u32_t index, const expanded_access& a) {
    if (a.buffer >= v.buffer_count)
        return refuse(reason::unknown_buffer, t.name).with(label::buffer, a.buffer).with(label::limit, v.buffer_count);
    const expanded_buffer& b = v.buffers[a.buffer];
    if (a.end_row < a.first_row) return refuse(reason::bad_parameter, t.name, "range of rows");
    if (a.end_byte < a.first_byte) return refuse(reason::bad_parameter, t.name, "range of bytes");
    if (a.end_row > b.rows)
        return refuse(reason::wrong_row_count, t.name, b.name)
            .with(label::operand, index)
            .with(label::actual, b.rows)
            .with(label::expected, a.end_row);
    if (a.end_byte > b.row_bytes)
        return refuse(reason::out_of_bounds, t.name, b.name)
            .with(label::tile, t.tile)
            .with(label::end_byte, a.end_byte)
            .with(label::bytes, b.row_bytes);
    const bool read_only = b.kind == buffer_kind::input || b.kind == buffer_kind::weight || (b.past_rows != 0 && a.end_row <= b.past_rows);
    if (a.write && read_only) return refuse(reason::writes_read_only, t.name, b.name).with(label::tile, t.tile);
    if (b.space >= v.space_count || a.first_row == a.end_row || a.first_byte == a.end_byte) return {};
    const u64_t end = b.offset + (a.end_row - 1) * b.row_bytes + a.end_byte;
    if (end <= v.spaces[b.space]) return {};
    return refuse(reason::arena_too_small, b.name).with(label::end_byte, end).with(label::bytes, v.spaces[b.space]);
}

/// A task's list of signals, waits or accesses lies within the schedule's; `total` counts the items of all tasks.
constexpr bool lists(u32_t first, u32_t count, usz available, u64_t& total) {
    total += count;
    return count <= available && first <= available - count && total <= most_items;
}

constexpr verdict check_expanded_task(const expanded_view& v, const expanded_task& t, u64_t (&totals)[3]) {
    if (t.queue >= v.queues)
        return refuse(reason::unknown_queue, t.name).with(label::tile, t.tile).with(label::queue, t.queue).with(label::limit, v.queues);
    if (!lists(t.first_signal, t.signal_count, v.signal_count, totals[0])) return refuse(reason::bad_parameter, t.name, "list of signals");
    if (!lists(t.first_wait, t.wait_count, v.wait_count, totals[1])) return refuse(reason::bad_parameter, t.name, "list of waits");
    if (!lists(t.first_access, t.access_count, v.access_count, totals[2])) return refuse(reason::bad_parameter, t.name, "list of accesses");
    const auto unknown_counter = [&](u32_t c) {
        return refuse(reason::unknown_counter, t.name).with(label::counter, c).with(label::limit, v.counter_count);
    };
    for (u32_t i = 0; i < t.signal_count; ++i)
        if (const u32_t c = v.signals[t.first_signal + i]; c >= v.counter_count) return unknown_counter(c);
    for (u32_t i = 0; i < t.wait_count; ++i)
        if (const u32_t c = v.waits[t.first_wait + i].counter; c >= v.counter_count) return unknown_counter(c);
    for (u32_t i = 0; i < t.access_count; ++i)
        if (verdict bad = check_expanded_access(v, t, i, v.accesses[t.first_access + i]); !bad.ok()) return bad;
    return {};
}

}  // namespace detail

/// The other parts of the exact checker read only what this has accepted.
constexpr exact_result check_exact_structure(const expanded_view& v) {
    if (v.queues == 0 && v.task_count != 0) return detail::refuse_tasks(refuse(reason::zero_size, "schedule", "queues"));
    const usz counts[] = {v.task_count, v.buffer_count, v.counter_count};
    const char* const names[] = {"tasks", "buffers", "counters"};
    for (usz i = 0; i < 3; ++i)
        if (counts[i] > detail::most_items) {
            verdict bad = refuse(reason::too_large, "schedule", names[i]);
            return detail::refuse_tasks(bad.with(label::value, counts[i]).with(label::limit, detail::most_items));
        }
    for (usz b = 0; b < v.buffer_count; ++b)
        if (const verdict bad = detail::check_expanded_buffer(v.buffers[b]); !bad.ok()) return detail::refuse_tasks(bad);
    u64_t totals[3]{};
    for (usz t = 0; t < v.task_count; ++t)
        if (const verdict bad = detail::check_expanded_task(v, v.tasks[t], totals); !bad.ok())
            return detail::refuse_tasks(bad, static_cast<u32_t>(t));
    return {};
}

}  // namespace netra::inline v0
