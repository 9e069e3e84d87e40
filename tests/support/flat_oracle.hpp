// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A slow verdict on an expanded schedule of any size, straight from the definition of safety; shares no algorithm with the checkers.
#pragma once

#include <netra/schedule/expanded.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace netra::test {

/// Task b is ordered after a iff b does not run when a is held back and all others run as far as they come.
class flat_oracle {
public:
    /// Empty when the schedule is safe, otherwise what is wrong. @pre indices and lists are in range, a task has a queue
    static std::string judge(const expanded_view& s) { return flat_oracle(s).run(); }
    /// [a][b] is 0 where task b is ordered after task a (or is a).
    static std::vector<std::vector<char>> runs_without_each(const expanded_view& s) {
        std::vector<std::vector<char>> all;
        for (usz a = 0; a < s.task_count; ++a) all.push_back(flat_oracle(s).ran_without(a));
        return all;
    }

private:
    struct touch {
        usz task = 0;
        u64_t begin = 0;
        u64_t end = 0;
        u32_t buffer = 0;
        bool write = false;
    };

    explicit flat_oracle(const expanded_view& s) : s_(s) {}

    std::string run() {
        for (usz t = 0; t < s_.task_count; ++t)
            for (u32_t i = 0; i < s_.tasks[t].access_count; ++i)
                if (std::string bad = bounds(s_.accesses[s_.tasks[t].first_access + i]); !bad.empty()) return bad;
        const std::vector<char> all = ran_without(s_.task_count);
        if (std::find(all.begin(), all.end(), 0) != all.end()) return "deadlock";
        ran_without_ = runs_without_each(s_);
        for (usz b = 0; b < s_.buffer_count; ++b)
            if (std::string bad = check_space(s_.buffers[b].space); !bad.empty()) return bad;
        return {};
    }
    std::string bounds(const expanded_access& a) const {
        const expanded_buffer& b = s_.buffers[a.buffer];
        if (a.end_row < a.first_row || a.end_byte < a.first_byte) return "inverted";
        if (a.end_row > b.rows || a.end_byte > b.row_bytes) return "bounds";
        if (a.write && (b.kind == buffer_kind::input || b.kind == buffer_kind::weight)) return "read only";
        if (a.write && b.past_rows != 0 && a.end_row <= b.past_rows) return "past";
        const bool empty = a.first_row == a.end_row || a.first_byte == a.end_byte;
        if (!empty && b.space < s_.space_count && b.offset + (a.end_row - 1) * b.row_bytes + a.end_byte > s_.spaces[b.space]) return "space";
        return {};
    }

    std::vector<char> ran_without(usz held) const {
        std::vector<char> ran(s_.task_count, 0);
        std::vector<u64_t> counters(s_.counters, s_.counters + s_.counter_count);
        for (bool progress = true; progress;) {
            progress = false;
            std::vector<char> blocked(s_.queues, 0);
            for (usz t = 0; t < s_.task_count; ++t) {
                const expanded_task& task = s_.tasks[t];
                if (ran[t] || blocked[task.queue]) continue;
                bool starts = t != held;
                for (u32_t i = 0; i < task.wait_count; ++i) {
                    const expanded_wait& w = s_.waits[task.first_wait + i];
                    starts = starts && counters[w.counter] >= w.threshold;
                }
                if (!starts) {
                    blocked[task.queue] = 1;
                    continue;
                }
                ran[t] = 1;
                progress = true;
                for (u32_t i = 0; i < task.signal_count; ++i) ++counters[s_.signals[task.first_signal + i]];
            }
        }
        return ran;
    }
    bool before(usz a, usz b) const { return a != b && ran_without_[a][b] == 0; }

    /// Splits a space where any access, buffer or held row begins or ends.
    std::string check_space(u32_t space) const {
        std::vector<touch> touches;
        std::vector<u64_t> cuts;
        for (usz b = 0; b < s_.buffer_count; ++b)
            if (const expanded_buffer& x = s_.buffers[b]; x.space == space)
                cuts.insert(cuts.end(), {x.offset, x.offset + x.held_rows * x.row_bytes, x.offset + x.rows * x.row_bytes});
        for (usz t = 0; t < s_.task_count; ++t)
            for (u32_t i = 0; i < s_.tasks[t].access_count; ++i) {
                const expanded_access& a = s_.accesses[s_.tasks[t].first_access + i];
                const expanded_buffer& b = s_.buffers[a.buffer];
                for (u64_t r = a.first_row; b.space == space && a.first_byte != a.end_byte && r < a.end_row; ++r) {
                    touches.push_back({t, b.offset + r * b.row_bytes + a.first_byte, b.offset + r * b.row_bytes + a.end_byte, a.buffer, a.write});
                    cuts.push_back(touches.back().begin), cuts.push_back(touches.back().end);
                }
            }
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (usz i = 0; i + 1 < cuts.size(); ++i)
            if (std::string bad = check_piece(touches, space, cuts[i]); !bad.empty()) return bad;
        return {};
    }
    std::string check_piece(const std::vector<touch>& touches, u32_t space, u64_t at) const {
        std::vector<touch> here;
        for (const touch& t : touches)
            if (t.begin <= at && at < t.end) here.push_back(t);
        for (const touch& a : here)
            for (const touch& b : here) {
                if (!a.write) continue;
                if (a.task == b.task ? a.buffer != b.buffer : !before(a.task, b.task) && !before(b.task, a.task)) return "race";
            }
        for (const touch& r : here) {
            const touch* last = nullptr;
            for (const touch& w : here)
                if (w.write && before(w.task, r.task) && (last == nullptr || before(last->task, w.task))) last = &w;
            if (!r.write && !(last == nullptr ? held(r.buffer, at) : last->buffer == r.buffer)) return "uncovered";
        }
        for (u32_t b = 0; b < s_.buffer_count; ++b) {
            const expanded_buffer& x = s_.buffers[b];
            if (x.kind != buffer_kind::output || x.space != space || at < x.offset || at >= x.offset + x.rows * x.row_bytes) continue;
            const touch* last = nullptr;
            for (const touch& w : here)
                if (w.write && (last == nullptr || before(last->task, w.task))) last = &w;
            if (!(last == nullptr ? held(b, at) : last->buffer == b)) return "incomplete";
        }
        return {};
    }
    bool held(u32_t buffer, u64_t at) const {
        const expanded_buffer& b = s_.buffers[buffer];
        return at >= b.offset && at < b.offset + b.held_rows * b.row_bytes;
    }

    const expanded_view& s_;
    std::vector<std::vector<char>> ran_without_;
};

}  // namespace netra::test
