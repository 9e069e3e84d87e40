// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// An exact verdict on a schedule, from its expanded tasks and single runs of them; shares no algorithm with the checker.
#pragma once

#include <netra/schedule/schedule.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace netra::test {

/// Task b is ordered after a iff b cannot start while a is held back forever: hold a, run the rest to a fixpoint, see what ran.
class oracle {
public:
    /// Empty when the schedule is safe, otherwise what is wrong first.
    static std::string judge(const schedule_view& s) { return oracle(s).run(); }

    /// For a schedule with indices in range: [a][b] is 0 where task b is ordered after task a; tasks are counted by group, then tile.
    static std::vector<std::vector<char>> runs_without_each(const schedule_view& s) {
        oracle o(s);
        o.queues_.resize(s.queues);
        o.spaces_.resize(1 + 2 * s.buffer_count);
        for (usz g = 0; g < s.group_count; ++g)
            for (u64_t t = 0; t < s.groups[g].tiles; ++t) o.expand(s.groups[g], t);
        for (usz a = 0; a < o.tasks_.size(); ++a) o.ran_without_.push_back(o.ran_without(a));
        return o.ran_without_;
    }

private:
    struct flat_task {
        u64_t signal = 0;
        std::vector<std::pair<u64_t, u64_t>> waits;  // counter, threshold
        std::vector<usz> after;                      // tasks that write what this one reads by word
    };
    struct touch {
        usz task = 0;
        u64_t begin = 0;
        u64_t end = 0;
        usz buffer = 0;
        bool write = false;
    };
    /// Memory in which addresses mean the same byte: the arena, or the past or fresh rows of one buffer.
    struct space {
        bool held_before = false;  // what the step may read without writing it
        std::vector<touch> touches;
    };
    using bits = std::vector<char>;

    explicit oracle(const schedule_view& s) : s_(s) {}

    static u64_t value(const index_map& m, u64_t t) { return m.first + t * m.num / m.den; }
    static bool read_only(buffer_kind k) { return k == buffer_kind::input || k == buffer_kind::weight; }

    std::string run() {
        if (s_.queues == 0 || s_.queues > s_.where.workers) return "queues";
        queues_.resize(s_.queues);
        spaces_.resize(1 + 2 * s_.buffer_count);
        for (usz b = 0; b < s_.buffer_count; ++b) {
            spaces_[1 + 2 * b].held_before = s_.buffers[b].kind == buffer_kind::state;
            spaces_[2 + 2 * b].held_before = read_only(s_.buffers[b].kind);
        }
        for (usz g = 0; g < s_.group_count; ++g)
            for (u64_t t = 0; t < s_.groups[g].tiles; ++t)
                if (std::string bad = expand(s_.groups[g], t); !bad.empty()) return bad;
        const bits all = ran_without(tasks_.size());
        if (std::find(all.begin(), all.end(), 0) != all.end()) return "deadlock";
        for (usz a = 0; a < tasks_.size(); ++a) ran_without_.push_back(ran_without(a));
        for (usz i = 0; i < spaces_.size(); ++i)
            if (std::string bad = check_space(i); !bad.empty()) return bad;
        return check_outputs();
    }

    std::string expand(const group& g, u64_t t) {
        const usz id = tasks_.size();
        flat_task task;
        task.signal = value(g.signal, t);
        for (const auto& w : g.waits)
            for (u64_t c = 0; c < w.count; ++c) task.waits.emplace_back(value(w.first, t) + c, w.threshold);
        for (const u16_t p : g.words) {
            if (s_.groups + p >= &g) return "word";
            usz first = 0;
            for (usz i = 0; i < p; ++i) first += s_.groups[i].tiles;
            for (u64_t u = 0; u < s_.groups[p].tiles; ++u)
                if (feeds(s_.groups[p], u, g, t)) task.after.push_back(first + u);
        }
        if (task.signal >= s_.counters) return "counter";
        for (const auto& w : task.waits)
            if (w.first >= s_.counters) return "counter";
        tasks_.push_back(task);
        queues_[value(g.queue, t) % s_.queues].push_back(id);
        for (const auto& a : g.accesses) {
            if (a.buffer >= s_.buffer_count) return "buffer";
            const buffer& b = s_.buffers[a.buffer];
            const bool state = b.kind == buffer_kind::state;
            if (a.write && (read_only(b.kind) || (state && a.part == row_part::past))) return "read only";
            const i64_t begin = begin_of(a.range, t);
            const i64_t end = end_of(a.range, t);
            if (end <= begin) continue;
            if (end > static_cast<i64_t>(b.row_bytes)) return "bounds";
            const bool arena = b.kind == buffer_kind::activation;
            for (u64_t r = 0; r < b.rows; ++r) {
                const u64_t base = (arena ? b.arena : 0) + r * b.row_bytes;
                const touch one{id, base + static_cast<u64_t>(begin), base + static_cast<u64_t>(end), a.buffer, a.write};
                if (arena && one.end > s_.arena_bytes) return "arena";
                if (arena)
                    spaces_[0].touches.push_back(one);
                else if (!state || a.part != row_part::past)
                    spaces_[2 + 2 * usz{a.buffer}].touches.push_back(one);
                if (state && a.part != row_part::fresh) spaces_[1 + 2 * usz{a.buffer}].touches.push_back(one);
            }
        }
        return {};
    }

    static bool feeds(const group& p, u64_t u, const group& g, u64_t t) {
        for (const auto& w : p.accesses)
            for (const auto& r : g.accesses) {
                const bool apart = (w.part == row_part::past && r.part == row_part::fresh) || (w.part == row_part::fresh && r.part == row_part::past);
                if (!w.write || r.write || w.buffer != r.buffer || apart) continue;
                const i64_t low = std::max(begin_of(w.range, u), begin_of(r.range, t));
                if (low < std::min(end_of(w.range, u), end_of(r.range, t))) return true;
            }
        return false;
    }
    static i64_t begin_of(const byte_range& r, u64_t t) { return std::max(r.first + static_cast<i64_t>(t / r.per * r.stride), static_cast<i64_t>(r.low)); }
    static i64_t end_of(const byte_range& r, u64_t t) {
        return std::min(r.first + static_cast<i64_t>(t / r.per * r.stride) + static_cast<i64_t>(r.size), static_cast<i64_t>(r.high));
    }

    bits ran_without(usz held) const {
        bits ran(tasks_.size(), 0);
        std::vector<u64_t> counters(s_.counters, 0);
        std::vector<usz> next(queues_.size(), 0);
        for (bool progress = true; progress;) {
            progress = false;
            for (usz q = 0; q < queues_.size(); ++q)
                for (; next[q] < queues_[q].size(); ++next[q], progress = true) {
                    const usz id = queues_[q][next[q]];
                    const auto& waits = tasks_[id].waits;
                    const auto& after = tasks_[id].after;
                    if (id == held || !std::all_of(waits.begin(), waits.end(), [&](const auto& w) { return counters[w.first] >= w.second; }) ||
                        !std::all_of(after.begin(), after.end(), [&](usz p) { return ran[p] != 0; }))
                        break;
                    ran[id] = 1;
                    ++counters[tasks_[id].signal];
                }
        }
        return ran;
    }
    bool before(usz a, usz b) const { return a != b && ran_without_[a][b] == 0; }

    /// Splits a space where any access begins or ends; the bytes of a piece share their accesses.
    std::string check_space(usz index) {
        const auto& touches = spaces_[index].touches;
        std::vector<u64_t> cuts;
        for (const auto& t : touches) cuts.push_back(t.begin), cuts.push_back(t.end);
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (const u64_t at : cuts) {
            std::vector<touch> here;
            for (const auto& t : touches)
                if (t.begin <= at && at < t.end) here.push_back(t);
            for (const auto& a : here)
                for (const auto& b : here) {
                    if (!a.write) continue;
                    if (a.task == b.task ? a.buffer != b.buffer : !before(a.task, b.task) && !before(b.task, a.task)) return "race";
                }
            if (spaces_[index].held_before) continue;
            for (const auto& r : here)
                if (!r.write && !reads_last_write(r, here)) return "uncovered";
        }
        return {};
    }
    bool reads_last_write(const touch& r, const std::vector<touch>& here) const {
        const touch* last = nullptr;  // conflicting accesses are ordered, so there is one
        for (const auto& w : here)
            if (w.write && before(w.task, r.task) && (last == nullptr || before(last->task, w.task))) last = &w;
        return last != nullptr && last->buffer == r.buffer;
    }

    std::string check_outputs() const {
        for (usz b = 0; b < s_.buffer_count; ++b) {
            if (s_.buffers[b].kind != buffer_kind::output) continue;
            auto touches = spaces_[2 + 2 * b].touches;
            std::sort(touches.begin(), touches.end(), [](const touch& x, const touch& y) { return x.begin < y.begin; });
            u64_t at = 0;
            for (const auto& t : touches)
                if (t.write && t.begin <= at) at = std::max(at, t.end);
            if (at < s_.buffers[b].rows * s_.buffers[b].row_bytes) return "incomplete";
        }
        return {};
    }

    const schedule_view& s_;
    std::vector<flat_task> tasks_;
    std::vector<std::vector<usz>> queues_;
    std::vector<space> spaces_;
    std::vector<bits> ran_without_;
};

}  // namespace netra::test
