// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether conflicting accesses are ordered, every byte that is read holds its buffer's data, and outputs are complete.
#pragma once

#include <netra/schedule/checks/exact_conflict.hpp>
#include <netra/schedule/checks/exact_history.hpp>
#include <netra/schedule/checks/exact_result.hpp>

namespace netra::inline v0::detail {

/// Walks the tasks in an order in which they ran. In a safe schedule all conflicting accesses are ordered, so any order shows which write
/// comes last before a read; and since order is transitive, it is enough to compare with the last writer of a byte and the readers since.
class exact_memory {
  public:
    constexpr exact_memory(const exact_run& run, const scratch<u32_t>& order, order_questions& questions)
        : v_(run.view()), run_(run), questions_(questions), regions_(run.view(), order), found_(run, questions) {}

    constexpr exact_result check() {
        for (u32_t region = 0; region < regions_.regions() && result_.ok() && questions_.all_ordered(); ++region) check_region(region);
        if (!questions_.answer()) return explain_race(questions_.unordered());
        return static_cast<exact_result&&>(result_);
    }

  private:
    using touch = memory_regions::touch;
    using gap = access_history::gap;

    static constexpr u64_t most_intervals(u64_t touches) { return (u64_t{1} << 23) + 64 * touches; }
    constexpr const expanded_access& access_of(const touch& t) const { return v_.accesses[t.access]; }
    constexpr expanded_access whole(u32_t buffer) const {
        return {.buffer = buffer, .end_row = v_.buffers[buffer].rows, .end_byte = v_.buffers[buffer].row_bytes};
    }
    template <class F>
    constexpr void for_each_output(u32_t region, F&& f) const {
        for (u32_t i = regions_.buffers().begin(region); i < regions_.buffers().end(region); ++i)
            if (const u32_t b = regions_.buffers()[i]; v_.buffers[b].kind == buffer_kind::output) f(b);
    }

    constexpr void check_region(u32_t region) {
        const auto& touches = regions_.touches();
        const region_numbers numbers(v_, regions_, region);
        bool written = false;
        u64_t intervals = 0;
        for (u32_t i = touches.begin(region); i < touches.end(region); ++i) {
            written = written || access_of(touches[i]).write;
            intervals += numbers.count_intervals(access_of(touches[i]));
            if (intervals > most_intervals(touches.count_of(region))) return refuse_size(touches[i], intervals);
        }
        if (written) return check_written(region, numbers);
        for (u32_t i = touches.begin(region); i < touches.end(region) && result_.ok(); ++i)
            numbers.for_each_interval(access_of(touches[i]), [&](u64_t begin, u64_t end, bool held) {
                if (!held) explain_gap(numbers, touches[i], begin, end, access_history::nobody);
            });
        for_each_output(region, [&](u32_t b) {
            numbers.for_each_interval(whole(b), [&](u64_t begin, u64_t end, bool held) {
                if (!held) explain_output(numbers, b, begin, end, access_history::nobody);
            });
        });
    }
    constexpr void refuse_size(const touch& t, u64_t intervals) {
        const name& buffer = v_.buffers[access_of(t).buffer].name;
        verdict bad = refuse(reason::too_large, v_.tasks[t.task].name, buffer.empty() ? name{"rows"} : buffer);
        result_ = refuse_tasks(bad.with(label::value, intervals).with(label::limit, most_intervals(0)), t.task);
    }

    /// The ends of all intervals, ascending.
    constexpr usz collect_cuts(u32_t region, const region_numbers& numbers, growing<u64_t>& cuts) const {
        const auto& touches = regions_.touches();
        usz n = 0;
        usz limit = 1024;
        const auto add = [&](u64_t begin, u64_t end, bool) {
            if (n >= 2 && cuts[n - 2] == begin && cuts[n - 1] == end) return;
            const u64_t ends[] = {begin, end};
            for (const u64_t value : ends) {
                if (n == cuts.size()) cuts.push_back(value);
                cuts[n++] = value;
            }
            if (n < limit) return;
            n = sort_unique(&cuts[0], n);
            if (limit < 2 * n) limit = 2 * n;
        };
        for (u32_t i = touches.begin(region); i < touches.end(region); ++i) numbers.for_each_interval(access_of(touches[i]), add);
        for_each_output(region, [&](u32_t b) { numbers.for_each_interval(whole(b), add); });
        return sort_unique(&cuts[0], n);
    }

    constexpr void check_written(u32_t region, const region_numbers& numbers) {
        growing<u64_t> cuts;
        const usz count = collect_cuts(region, numbers, cuts);
        access_history history(run_, questions_, found_, count - 1);
        const auto place = [&](u64_t number) { return first_not_less(cuts.data(), count, number); };
        gap bad;
        const auto& touches = regions_.touches();
        for (u32_t begin = touches.begin(region), end = begin; begin < touches.end(region); begin = end) {
            const u32_t task = touches[begin].task;
            while (end < touches.end(region) && touches[end].task == task) ++end;
            found_.start(task);
            for (u32_t i = begin; i < end; ++i) {
                const expanded_access& a = access_of(touches[i]);
                if (a.write) continue;
                numbers.for_each_interval(a, [&](u64_t first, u64_t last, bool held) {
                    if (result_.ok() && !history.read(task, place(first), place(last), a.buffer, held, bad))
                        explain_gap(numbers, touches[i], cuts[bad.begin], cuts[bad.end], bad.owner);
                });
            }
            for (u32_t i = begin; i < end; ++i) {
                const expanded_access& a = access_of(touches[i]);
                if (!a.write) continue;
                numbers.for_each_interval(
                    a, [&](u64_t first, u64_t last, bool) { history.write(task, place(first), place(last), a.buffer); });
            }
            found_.ask();
            if (result_.ok()) check_own(numbers, begin, end);
            if (!result_.ok() || !questions_.all_ordered()) return;
        }
        for_each_output(region, [&](u32_t b) {
            numbers.for_each_interval(whole(b), [&](u64_t first, u64_t last, bool held) {
                if (result_.ok() && !history.holds(place(first), place(last), b, held, bad))
                    explain_output(numbers, b, cuts[bad.begin], cuts[bad.end], bad.owner);
            });
        });
    }

    /// Touches [begin, end) are those of one task: it may use bytes through one buffer only, unless it just reads them.
    constexpr void check_own(const region_numbers& numbers, u32_t begin, u32_t end) {
        bool write = false;
        bool mixed = false;
        for (u32_t i = begin; i < end; ++i) {
            const expanded_access& a = access_of(regions_.touches()[i]);
            write = write || a.write;
            mixed = mixed || a.buffer != access_of(regions_.touches()[begin]).buffer;
        }
        if (!write || !mixed) return;
        growing<touched_bytes> pieces;
        for (u32_t i = begin; i < end; ++i) {
            const u32_t access = regions_.touches()[i].access;
            add_pieces(numbers, access, v_.accesses[access].buffer, pieces);
        }
        const conflict c = find_conflict(&pieces[0], pieces.size());
        if (!c.found()) return;
        const expanded_task& t = v_.tasks[regions_.touches()[begin].task];
        const u64_t first = numbers.byte_of(c.begin);
        result_ = refuse_tasks(refuse(reason::aliased_operands, t.name, v_.buffers[c.second.side].name)
                                   .with(label::tile, t.tile)
                                   .with(label::first_byte, first)
                                   .with(label::end_byte, first + (c.end - c.begin))
                                   .with(label::buffer, c.first.side)
                                   .with(label::other_buffer, c.second.side),
                               regions_.touches()[begin].task);
    }
    constexpr void add_pieces(const region_numbers& numbers, u32_t access, u32_t side, growing<touched_bytes>& pieces) const {
        const expanded_access& a = v_.accesses[access];
        numbers.for_each_interval(a, [&](u64_t begin, u64_t end, bool) { pieces.push_back({begin, end, side, access, a.write}); });
    }

    struct bytes_of_row {
        u64_t row = 0;
        u64_t begin = 0;
        u64_t end = 0;
    };
    /// The first of these bytes as a row of a buffer, and how far they go in it.
    constexpr bytes_of_row in_row(const region_numbers& numbers, u32_t buffer, u64_t begin, u64_t end) const {
        const expanded_buffer& b = v_.buffers[buffer];
        const u64_t byte = numbers.byte_of(begin) - b.offset;
        const u64_t last = byte % b.row_bytes + (end - begin);
        return {byte / b.row_bytes, byte % b.row_bytes, last < b.row_bytes ? last : b.row_bytes};
    }
    constexpr void explain_gap(const region_numbers& numbers, const touch& t, u64_t begin, u64_t end, u32_t owner) {
        if (!result_.ok()) return;
        const u32_t buffer = access_of(t).buffer;
        const bytes_of_row at = in_row(numbers, buffer, begin, end);
        const reason why = owner == access_history::nobody ? reason::uncovered_read : reason::overwritten_read;
        verdict bad = refuse(why, v_.tasks[t.task].name, v_.buffers[buffer].name).with(label::tile, v_.tasks[t.task].tile);
        bad.with(label::first_byte, at.begin).with(label::end_byte, at.end).with(label::row, at.row).with(label::buffer, buffer);
        if (owner != access_history::nobody) bad.with(label::other_buffer, owner - 1);
        result_ = refuse_tasks(bad, t.task);
    }
    constexpr void explain_output(const region_numbers& numbers, u32_t buffer, u64_t begin, u64_t end, u32_t owner) {
        if (!result_.ok()) return;
        const bytes_of_row at = in_row(numbers, buffer, begin, end);
        const reason why = owner == access_history::nobody ? reason::incomplete_output : reason::overwritten_output;
        verdict bad = refuse(why, v_.buffers[buffer].name);
        bad.with(label::first_byte, at.begin).with(label::end_byte, at.end).with(label::row, at.row).with(label::buffer, buffer);
        if (owner != access_history::nobody) bad.with(label::other_buffer, owner - 1);
        result_ = refuse_tasks(bad);
    }

    /// Looks for bytes that both touch in each region, since a question does not say which they were.
    constexpr exact_result explain_race(const order_questions::task_pair& pair) const {
        scratch<u8_t> used(regions_.regions());  // 1 and 2: the earlier one touches, writes it; 4 and 8: the later one
        note_use(pair.earlier, 1, used);
        note_use(pair.later, 4, used);
        const u32_t tasks[] = {pair.earlier, pair.later};
        for (u32_t region = 0; region < regions_.regions(); ++region) {
            if ((used[region] & 9) != 9 && (used[region] & 6) != 6) continue;
            const region_numbers numbers(v_, regions_, region);
            growing<touched_bytes> pieces;
            for (const u32_t t : tasks)
                for (u32_t i = 0; i < v_.tasks[t].access_count; ++i) {
                    const u32_t index = v_.tasks[t].first_access + i;
                    const expanded_access& a = v_.accesses[index];
                    if (regions_.region_of(a.buffer) == region && !memory_regions::empty(a)) add_pieces(numbers, index, t, pieces);
                }
            const conflict c = find_conflict(&pieces[0], pieces.size());
            if (c.found()) return refuse_tasks(race(numbers, pair, c), pair.earlier, pair.later);
        }
        return refuse_tasks(refuse(reason::data_race, v_.tasks[pair.earlier].name, v_.tasks[pair.later].name), pair.earlier, pair.later);
    }
    constexpr void note_use(u32_t task, u32_t touches, scratch<u8_t>& used) const {
        for (u32_t i = 0; i < v_.tasks[task].access_count; ++i) {
            const expanded_access& a = v_.accesses[v_.tasks[task].first_access + i];
            if (const u32_t region = regions_.region_of(a.buffer); region != memory_regions::none && !memory_regions::empty(a))
                used[region] = static_cast<u8_t>(used[region] | touches | (a.write ? 2 * touches : 0));
        }
    }
    constexpr verdict race(const region_numbers& numbers, const order_questions::task_pair& pair, const conflict& c) const {
        const bool swapped = c.first.side != pair.earlier;
        const u32_t buffer = v_.accesses[swapped ? c.second.access : c.first.access].buffer;
        const u32_t other = v_.accesses[swapped ? c.first.access : c.second.access].buffer;
        const expanded_task& a = v_.tasks[pair.earlier];
        const expanded_task& b = v_.tasks[pair.later];
        verdict bad = refuse(buffer == other ? reason::data_race : reason::shared_memory_race, a.name, b.name);
        bad.with(label::tile, a.tile).with(label::other_tile, b.tile);
        if (buffer != other) {
            const u64_t first = numbers.byte_of(c.begin);
            bad.with(label::first_byte, first).with(label::end_byte, first + (c.end - c.begin));
            return bad.with(label::buffer, buffer).with(label::other_buffer, other);
        }
        const bytes_of_row at = in_row(numbers, buffer, c.begin, c.end);
        return bad.with(label::first_byte, at.begin).with(label::end_byte, at.end).with(label::buffer, buffer).with(label::row, at.row);
    }

    expanded_view v_;
    const exact_run& run_;
    order_questions& questions_;
    memory_regions regions_;
    latest_tasks found_;
    exact_result result_{};
};

}  // namespace netra::inline v0::detail
