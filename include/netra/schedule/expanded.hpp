// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A schedule written out task by task: the form in which safety is defined, and which the exact checker decides.
#pragma once

#include <netra/detail/scratch.hpp>
#include <netra/schedule/expand.hpp>
#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

/// A task may start once `counter` has reached `threshold`.
struct expanded_wait {
    u32_t counter = 0;
    u64_t threshold = 1;
    friend constexpr bool operator==(const expanded_wait&, const expanded_wait&) = default;
};

/// Rows [first_row, end_row), and of each of them bytes [first_byte, end_byte).
struct expanded_access {
    u32_t buffer = 0;
    bool write = false;
    u64_t first_row = 0;
    u64_t end_row = 1;
    u64_t first_byte = 0;
    u64_t end_byte = 0;
    friend constexpr bool operator==(const expanded_access&, const expanded_access&) = default;
};

/// `rows` x `row_bytes` from byte `offset` of memory `space` on. Only buffers of one space can share bytes.
/// What rows [0, held_rows) hold before the first task may be read without having been written.
/// Rows [0, past_rows) belong to earlier steps: an access that writes these alone is refused.
struct expanded_buffer {
    netra::name name{};
    buffer_kind kind = buffer_kind::activation;
    u32_t space = 0;
    u64_t offset = 0;
    u64_t rows = 1;
    u64_t row_bytes = 0;
    u64_t held_rows = 0;
    u64_t past_rows = 0;
    friend constexpr bool operator==(const expanded_buffer&, const expanded_buffer&) = default;
};

/// Waits, runs, adds 1 to each of its counters. Its lists are [first, first + count) of the schedule's.
struct expanded_task {
    netra::name name{};
    u32_t group = 0;
    u32_t tile = 0;
    u32_t queue = 0;
    u32_t first_signal = 0;
    u32_t signal_count = 0;
    u32_t first_wait = 0;
    u32_t wait_count = 0;
    u32_t first_access = 0;
    u32_t access_count = 0;
    friend constexpr bool operator==(const expanded_task&, const expanded_task&) = default;
};

/// What the exact checker reads; it owns nothing. A queue runs its tasks in the order in which they are listed here.
struct expanded_view {
    const expanded_task* tasks = nullptr;
    usz task_count = 0;
    const u32_t* signals = nullptr;  ///< counters
    usz signal_count = 0;
    const expanded_wait* waits = nullptr;
    usz wait_count = 0;
    const expanded_access* accesses = nullptr;
    usz access_count = 0;
    const expanded_buffer* buffers = nullptr;
    usz buffer_count = 0;
    const u64_t* counters = nullptr;  ///< initial values
    usz counter_count = 0;
    u32_t queues = 1;
    const u64_t* spaces = nullptr;   ///< the bytes of memories 0, 1, ...; those that are not listed have no end
    usz space_count = 0;
};

/// A group schedule, written out. Past rows of a state become its row 0, rows of this step its row 1; a wait by word becomes one counter per
/// writing tile. @pre indices are in range, as check_structure finds
class expanded_schedule {
  public:
    constexpr explicit expanded_schedule(const schedule_view& s) : s_(s), word_counters_(s.group_count) {
        for (usz b = 0; b < s.buffer_count; ++b) add_buffer(s.buffers[b], static_cast<u32_t>(b));
        for (u32_t c = 0; c < s.counters; ++c) counters_.push_back(0);
        for (usz g = 0; g < s.group_count; ++g)
            for (const u16_t p : s.groups[g].words) add_word_counters(p);
        for_each_task(s, [&](u32_t queue, const task& t) { add_task(queue, t); });
    }
    constexpr expanded_view view() const {
        return {.tasks = tasks_.data(), .task_count = tasks_.size(), .signals = signals_.data(), .signal_count = signals_.size(),
                .waits = waits_.data(), .wait_count = waits_.size(), .accesses = accesses_.data(), .access_count = accesses_.size(),
                .buffers = buffers_.data(), .buffer_count = buffers_.size(), .counters = counters_.data(), .counter_count = counters_.size(),
                .queues = s_.queues, .spaces = &s_.arena_bytes, .space_count = 1};
    }

  private:
    // note: before its uses, or clang has no body for it while constants are evaluated
    template <class T>
    static constexpr u32_t count(const detail::growing<T>& of) { return static_cast<u32_t>(of.size()); }
    constexpr void add_buffer(const buffer& b, u32_t index) {
        const bool arena = b.kind == buffer_kind::activation;
        const bool state = b.kind == buffer_kind::state;
        const bool read_only = b.kind == buffer_kind::input || b.kind == buffer_kind::weight;
        buffers_.push_back({.name = b.name, .kind = b.kind, .space = arena ? 0 : index + 1, .offset = arena ? b.arena : 0,
                            .rows = state ? 2 : b.rows, .row_bytes = b.row_bytes, .held_rows = read_only ? b.rows : state ? 1U : 0U,
                            .past_rows = state ? 1U : 0U});
    }
    constexpr void add_word_counters(u16_t group) {
        if (word_counters_[group] != 0) return;
        word_counters_[group] = static_cast<u32_t>(counters_.size());
        for (u32_t t = 0; t < s_.groups[group].tiles; ++t) counters_.push_back(0);
    }
    constexpr void add_task(u32_t queue, const task& t) {
        const group& g = s_.groups[t.group];
        expanded_task made{.name = g.name, .group = t.group, .tile = t.tile, .queue = queue, .first_signal = count(signals_), .first_wait = count(waits_),
                           .first_access = count(accesses_)};
        signals_.push_back(signal_of(s_, t));
        if (word_counters_[t.group] != 0) signals_.push_back(word_counters_[t.group] + t.tile);
        for_each_wait(s_, t, [&](u32_t counter, u32_t threshold) { waits_.push_back({counter, threshold}); });
        for (const u16_t p : g.words)
            for_each_awaited_tile(g, t.tile, s_.groups[p], [&](u32_t u) { waits_.push_back({word_counters_[p] + u, 1}); });
        for (const auto& a : g.accesses) add_access(a, t.tile);
        made.signal_count = count(signals_) - made.first_signal;
        made.wait_count = count(waits_) - made.first_wait;
        made.access_count = count(accesses_) - made.first_access;
        tasks_.push_back(made);
    }
    constexpr void add_access(const access& a, u32_t tile) {
        const interval bytes = bytes_of_tile(a.range, tile);
        if (bytes.empty()) return;
        const buffer& b = s_.buffers[a.buffer];
        const bool state = b.kind == buffer_kind::state;
        accesses_.push_back({.buffer = a.buffer, .write = a.write, .first_row = state && a.part == row_part::fresh ? 1U : 0U,
                             .end_row = !state ? b.rows : a.part == row_part::past ? 1U : 2U, .first_byte = bytes.begin, .end_byte = bytes.end});
    }
    schedule_view s_;
    detail::scratch<u32_t> word_counters_;  ///< of a group that is awaited by word: the counter of its first tile
    detail::growing<expanded_task> tasks_;
    detail::growing<u32_t> signals_;
    detail::growing<expanded_wait> waits_;
    detail::growing<expanded_access> accesses_;
    detail::growing<expanded_buffer> buffers_;
    detail::growing<u64_t> counters_;
};

}  // namespace netra::inline v0
