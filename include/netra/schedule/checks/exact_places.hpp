// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Which bytes of memory accesses touch, as few intervals of numbers.
#pragma once

#include <netra/detail/sort.hpp>
#include <netra/schedule/checks/exact_run.hpp>

namespace netra::inline v0::detail {

/// Buffers whose bytes overlap, perhaps through others, are one region; nothing in one region shares bytes with another.
class memory_regions {
  public:
    static constexpr u32_t none = ~u32_t{0};
    struct touch {
        u32_t task = 0;
        u32_t access = 0;
    };

    static constexpr bool empty(const expanded_access& a) { return a.first_row == a.end_row || a.first_byte == a.end_byte; }

  private:
    static constexpr usz count_touches(const expanded_view& v) {
        usz n = 0;
        for (usz t = 0; t < v.task_count; ++t) n += v.tasks[t].access_count;
        return n;
    }
    template <class F>
    constexpr void for_each_touch(u32_t task, F&& f) const {
        const expanded_task& t = v_.tasks[task];
        for (u32_t i = 0; i < t.access_count; ++i)
            if (const expanded_access& a = v_.accesses[t.first_access + i]; !empty(a))
                f(touch{task, t.first_access + i}, region_of_[a.buffer]);
    }

  public:
    /// Touches are in the given order of tasks.
    constexpr memory_regions(const expanded_view& v, const scratch<u32_t>& order)
        : v_(v), region_of_(v.buffer_count), touches_(v.buffer_count, count_touches(v)), buffers_(v.buffer_count, v.buffer_count) {
        note_used();
        note_regions();
        for (usz i = 0; i < v.task_count; ++i)
            for_each_touch(order[i], [&](const touch&, u32_t region) { touches_.count(region); });
        touches_.lay_out();
        for (usz i = v.task_count; i-- > 0;)
            for_each_touch(order[i], [&](const touch& t, u32_t region) { touches_.add(region, t); });
        for (usz b = 0; b < v.buffer_count; ++b)
            if (region_of_[b] != none) buffers_.count(region_of_[b]);
        buffers_.lay_out();
        for (usz b = v.buffer_count; b-- > 0;)
            if (region_of_[b] != none) buffers_.add(region_of_[b], static_cast<u32_t>(b));
    }
    constexpr u32_t regions() const { return count_; }
    constexpr u32_t region_of(u32_t buffer) const { return region_of_[buffer]; }
    constexpr const bucket_list<touch>& touches() const { return touches_; }
    constexpr const bucket_list<u32_t>& buffers() const { return buffers_; }

  private:
    /// Buffers that nothing touches connect nothing; of those, only outputs are looked at.
    constexpr void note_used() {
        for (usz b = 0; b < v_.buffer_count; ++b) {
            const expanded_buffer& x = v_.buffers[b];
            region_of_[b] = x.kind == buffer_kind::output && x.rows * x.row_bytes != 0 ? 0 : none;
        }
        for (usz t = 0; t < v_.task_count; ++t)
            for (u32_t i = 0; i < v_.tasks[t].access_count; ++i)
                if (const expanded_access& a = v_.accesses[v_.tasks[t].first_access + i]; !empty(a)) region_of_[a.buffer] = 0;
    }
    constexpr void note_regions() {
        scratch<u32_t> sorted(v_.buffer_count);
        scratch<u32_t> spare(v_.buffer_count);
        usz n = 0;
        for (usz b = 0; b < v_.buffer_count; ++b)
            if (region_of_[b] != none) sorted[n++] = static_cast<u32_t>(b);
        sort(&sorted[0], &spare[0], n, [&](u32_t a, u32_t b) {
            const expanded_buffer& x = v_.buffers[a];
            const expanded_buffer& y = v_.buffers[b];
            return x.space != y.space ? x.space < y.space : x.offset < y.offset;
        });
        u64_t end = 0;
        for (usz i = 0; i < n; ++i) {
            const expanded_buffer& b = v_.buffers[sorted[i]];
            if (i == 0 || b.space != v_.buffers[sorted[i - 1]].space || b.offset >= end) ++count_, end = 0;
            region_of_[sorted[i]] = count_ - 1;
            if (const u64_t last = b.offset + b.rows * b.row_bytes; last > end) end = last;
        }
    }

    expanded_view v_;
    scratch<u32_t> region_of_;
    bucket_list<touch> touches_;
    bucket_list<u32_t> buffers_;
    u32_t count_ = 0;
};

/// Gives the bytes of a region numbers, such that accesses become intervals of numbers. Where all rows have one length and lie below each
/// other, rows between which no access begins or ends are one row: a cache of many positions, of which few are told apart.
class region_numbers {
    constexpr void cut(const expanded_buffer& b, u64_t row) { row_cuts_[cuts_++] = (b.offset - base_) / row_bytes_ + row; }
    constexpr u64_t cut_at(const expanded_buffer& b, u64_t row) const {
        return first_not_less(&row_cuts_[0], cuts_, (b.offset - base_) / row_bytes_ + row);
    }
    template <class F>
    constexpr void for_rows(const expanded_access& a, u64_t begin, u64_t end, bool held, F&& f) const {
        const expanded_buffer& b = v_.buffers[a.buffer];
        const u64_t shift = regular_ ? 0 : b.offset - base_;
        if (regular_) begin = cut_at(b, begin), end = cut_at(b, end);
        if (a.first_byte == 0 && a.end_byte == b.row_bytes) return f(shift + begin * b.row_bytes, shift + end * b.row_bytes, held);
        for (u64_t r = begin; r < end; ++r) f(shift + r * b.row_bytes + a.first_byte, shift + r * b.row_bytes + a.end_byte, held);
    }

  public:
    constexpr region_numbers(const expanded_view& v, const memory_regions& regions, u32_t region)
        : v_(v), row_cuts_(2 * usz{regions.touches().count_of(region)} + 3 * usz{regions.buffers().count_of(region)}) {
        const auto& buffers = regions.buffers();
        base_ = v.buffers[buffers[buffers.begin(region)]].offset;
        row_bytes_ = v.buffers[buffers[buffers.begin(region)]].row_bytes;
        for (u32_t i = buffers.begin(region); i < buffers.end(region); ++i)
            if (v.buffers[buffers[i]].offset < base_) base_ = v.buffers[buffers[i]].offset;
        for (u32_t i = buffers.begin(region); i < buffers.end(region); ++i) {
            const expanded_buffer& b = v.buffers[buffers[i]];
            regular_ = regular_ && b.row_bytes == row_bytes_ && (b.offset - base_) % row_bytes_ == 0;
        }
        if (!regular_) return;
        for (u32_t i = buffers.begin(region); i < buffers.end(region); ++i) {
            const expanded_buffer& b = v.buffers[buffers[i]];
            cut(b, 0), cut(b, b.held_rows), cut(b, b.rows);
        }
        for (u32_t i = regions.touches().begin(region); i < regions.touches().end(region); ++i) {
            const expanded_access& a = v.accesses[regions.touches()[i].access];
            cut(v.buffers[a.buffer], a.first_row), cut(v.buffers[a.buffer], a.end_row);
        }
        cuts_ = sort_unique(&row_cuts_[0], cuts_);
    }

    /// How many times for_each_interval calls.
    constexpr u64_t count_intervals(const expanded_access& a) const {
        const expanded_buffer& b = v_.buffers[a.buffer];
        if (a.first_byte == 0 && a.end_byte == b.row_bytes) return 2;
        return regular_ ? cut_at(b, a.end_row) - cut_at(b, a.first_row) : a.end_row - a.first_row;
    }
    /// Calls `f(begin, end, held)` with ascending intervals; `held` says that there is something to read before any task wrote.
    template <class F>
    constexpr void for_each_interval(const expanded_access& a, F&& f) const {
        const u64_t held = v_.buffers[a.buffer].held_rows;
        if (a.first_row < held) for_rows(a, a.first_row, a.end_row < held ? a.end_row : held, true, f);
        if (a.end_row > held) for_rows(a, a.first_row > held ? a.first_row : held, a.end_row, false, f);
    }
    /// The byte of the region's memory that has this number.
    constexpr u64_t byte_of(u64_t number) const {
        return base_ + (regular_ ? row_cuts_[number / row_bytes_] * row_bytes_ + number % row_bytes_ : number);
    }

  private:
    expanded_view v_;
    u64_t base_ = 0;
    u64_t row_bytes_ = 0;
    bool regular_ = true;
    scratch<u64_t> row_cuts_;
    usz cuts_ = 0;
};

}  // namespace netra::inline v0::detail
