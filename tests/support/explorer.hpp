// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Runs a small expanded schedule through all of its interleavings, one event at a time; shares nothing with the checkers.
#pragma once

#include <netra/schedule/expanded.hpp>

#include <array>
#include <stdexcept>
#include <vector>

namespace netra::test {

/// A state says which tasks have started and which have ended. A task starts when the one before it in its queue has ended and its counters
/// have reached their thresholds; it reads when it starts, writes when it ends, and then signals. (Where conflicting tasks never overlap,
/// the moment within a task decides nothing; where they do, that is a race.) Every answer is read off the states that can be reached.
class explorer {
public:
    static constexpr usz most_tasks = 6;
    static constexpr usz most_counters = 16;
    static constexpr usz most_buffers = 4;
    static constexpr usz most_spaces = 4;
    static constexpr u64_t most_bytes = 64 / most_spaces;  // of a space

    /// Order and memory. @pre all indices are in range
    void explore(const expanded_view& s) {
        explore_order(s);
        explore_memory(s);
    }

    /// All states of the tasks, whatever they touch.
    void explore_order(const expanded_view& s) {
        if (s.task_count > most_tasks || s.counter_count > most_counters) throw std::length_error("explorer: too many tasks or counters");
        tasks_ = s.task_count;
        all_ = (1U << tasks_) - 1;
        note_ready(s);
        visit_states();
    }

    /// All contents of memory that each state can have. @pre explore_order of a schedule that differs in its buffers and accesses at most
    void explore_memory(const expanded_view& s) {
        note_bytes(s);
        visit_contents();
    }

    usz state_count() const { return state_count_; }
    /// Some state has no successor although tasks are left.
    bool blocks() const { return blocks_; }
    /// In some interleaving task `t` starts.
    bool starts(usz t) const { return (started_somewhere_ >> t & 1) != 0; }
    /// Task `b` has not started in any state in which `a` has not ended.
    bool ordered(usz a, usz b) const { return (unfinished_before_[b] >> a & 1) == 0; }

    /// Two tasks touch a byte, one of them writes it, and their order is not the same in all interleavings.
    bool races() const {
        for (usz a = 0; a < tasks_; ++a)
            for (usz b = a + 1; b < tasks_; ++b)
                if (race(a, b)) return true;
        return false;
    }
    bool race(usz a, usz b) const {
        return a != b && ((writes_[a] & touches_[b]) | (touches_[a] & writes_[b])) != 0 && !ordered(a, b) && !ordered(b, a);
    }
    /// A task touches a byte as part of two buffers, one access writing.
    bool mixes_buffers() const { return mixing_ != 0; }
    bool mixes_buffers(usz t) const { return (mixing_ >> t & 1) != 0; }
    /// In some interleaving a task starts while a byte that it reads does not hold its buffer's data.
    bool reads_uncovered() const { return uncovered_ != 0; }
    bool reads_uncovered(usz t) const { return (uncovered_ >> t & 1) != 0; }
    /// Some interleaving ends with a byte of an output that does not hold what was written to that output.
    bool leaves_output_incomplete() const { return incomplete_; }
    bool writes_read_only() const { return writes_read_only_; }
    bool leaves_bounds() const { return leaves_bounds_; }
    bool safe() const {
        return !blocks() && !writes_read_only() && !leaves_bounds() && !mixes_buffers() && !reads_uncovered() &&
               !leaves_output_incomplete() && !races();
    }

private:
    static constexpr u32_t bit(usz i) { return 1U << i; }
    u32_t state_of(u32_t started, u32_t ended) const { return started | ended << tasks_; }

    /// For every set of ended tasks: which tasks may start.
    void note_ready(const expanded_view& s) {
        std::array<u32_t, most_tasks> before{};
        for (usz t = 0; t < tasks_; ++t)
            for (usz p = 0; p < t; ++p)
                if (s.tasks[p].queue == s.tasks[t].queue) before[t] = bit(p);  // the last one stays
        for (u32_t ended = 0; ended <= all_; ++ended) {
            std::array<u64_t, most_counters> value{};
            for (usz c = 0; c < s.counter_count; ++c) value[c] = s.counters[c];
            for (usz t = 0; t < tasks_; ++t)
                for (u32_t i = 0; (ended & bit(t)) != 0 && i < s.tasks[t].signal_count; ++i)
                    ++value[s.signals[s.tasks[t].first_signal + i]];
            u32_t ready = 0;
            for (usz t = 0; t < tasks_; ++t) {
                bool may = (before[t] & ~ended) == 0;
                for (u32_t i = 0; i < s.tasks[t].wait_count; ++i) {
                    const expanded_wait& w = s.waits[s.tasks[t].first_wait + i];
                    may = may && value[w.counter] >= w.threshold;
                }
                if (may) ready |= bit(t);
            }
            ready_[ended] = ready;
        }
    }

    void visit_states() {
        seen_.fill(0);
        unfinished_before_.fill(0);
        started_somewhere_ = 0;
        blocks_ = false;
        states_[0] = 0;
        seen_[0] = 1;
        state_count_ = 1;
        for (usz i = 0; i < state_count_; ++i) {
            const u32_t started = states_[i] & all_;
            const u32_t ended = states_[i] >> tasks_;
            const u32_t may_start = ready_[ended] & ~started;
            const u32_t may_end = started & ~ended;
            started_somewhere_ |= started;
            if ((may_start | may_end) == 0 && ended != all_) blocks_ = true;
            for (usz t = 0; t < tasks_; ++t) {
                if ((started & bit(t)) != 0) unfinished_before_[t] |= all_ & ~ended;
                if ((may_start & bit(t)) != 0) reach(state_of(started | bit(t), ended));
                if ((may_end & bit(t)) != 0) reach(state_of(started, ended | bit(t)));
            }
        }
        for (usz t = 0; t < tasks_; ++t) unfinished_before_[t] &= ~bit(t);
    }
    void reach(u32_t state) {
        u64_t& word = seen_[state / 64];
        const u64_t mask = u64_t{1} << state % 64;
        if ((word & mask) != 0) return;
        word |= mask;
        states_[state_count_++] = static_cast<u16_t>(state);
    }

    /// Sets of bytes: every space has its own most_bytes of the 64.
    void note_bytes(const expanded_view& s) {
        if (s.buffer_count > most_buffers) throw std::length_error("explorer: too many buffers");
        buffers_ = s.buffer_count;
        start_ = {};
        output_ = {};
        std::array<u64_t, most_buffers> base{};
        for (usz b = 0; b < buffers_; ++b) {
            const expanded_buffer& x = s.buffers[b];
            usz window = 0;  // of the first buffer in this space
            while (s.buffers[window].space != x.space) ++window;
            if (x.offset + x.rows * x.row_bytes > most_bytes) throw std::length_error("explorer: a buffer ends too far in its space");
            base[b] = window * most_bytes + x.offset;
            start_[b] = run_of_bits(base[b], x.held_rows * x.row_bytes);
            if (x.kind == buffer_kind::output) output_[b] = run_of_bits(base[b], x.rows * x.row_bytes);
        }
        reads_of_ = {};
        writes_of_ = {};
        writes_read_only_ = leaves_bounds_ = false;
        mixing_ = 0;
        for (usz t = 0; t < tasks_; ++t) {
            for (u32_t i = 0; i < s.tasks[t].access_count; ++i) {
                const expanded_access& a = s.accesses[s.tasks[t].first_access + i];
                const expanded_buffer& x = s.buffers[a.buffer];
                if (a.write &&
                    (x.kind == buffer_kind::input || x.kind == buffer_kind::weight || (x.past_rows != 0 && a.end_row <= x.past_rows)))
                    writes_read_only_ = true;
                const u64_t end = x.offset + (a.end_row - 1) * x.row_bytes + a.end_byte;
                if (a.end_row > x.rows || a.end_byte > x.row_bytes || (x.space < s.space_count && end > s.spaces[x.space])) {
                    leaves_bounds_ = true;
                    continue;
                }
                u64_t bytes = 0;
                for (u64_t row = a.first_row; row < a.end_row && a.first_byte < a.end_byte; ++row)
                    bytes |= run_of_bits(base[a.buffer] + row * x.row_bytes + a.first_byte, a.end_byte - a.first_byte);
                (a.write ? writes_of_ : reads_of_)[t][a.buffer] |= bytes;
            }
            note_touches(t);
        }
    }
    void note_touches(usz t) {
        touches_[t] = writes_[t] = 0;
        for (usz b = 0; b < buffers_; ++b) {
            const u64_t mine = reads_of_[t][b] | writes_of_[t][b];
            if ((touches_[t] & writes_of_[t][b]) != 0 || (writes_[t] & mine) != 0) mixing_ |= bit(t);
            touches_[t] |= mine;
            writes_[t] |= writes_of_[t][b];
        }
    }
    static u64_t run_of_bits(u64_t first, u64_t count) { return count == 0 ? 0 : ~u64_t{0} >> (64 - count) << first; }

    /// What memory holds: for each buffer, the bytes that hold its data.
    using contents = std::array<u64_t, most_buffers>;
    struct node {
        contents held{};
        u32_t state = 0;
        u32_t other = 0;  ///< another node of this state
    };

    void visit_contents() {
        uncovered_ = 0;
        incomplete_ = false;
        for (usz i = 0; i < state_count_; ++i) first_node_[states_[i]] = none;
        nodes_.clear();
        reach(0, start_);
        for (usz i = 0; i < nodes_.size(); ++i) {
            const node at = nodes_[i];
            const u32_t started = at.state & all_;
            const u32_t ended = at.state >> tasks_;
            const u32_t may_start = ready_[ended] & ~started;
            const u32_t may_end = started & ~ended;
            for (usz t = 0; t < tasks_; ++t) {
                if ((may_start & bit(t)) != 0) {
                    for (usz b = 0; b < buffers_; ++b)
                        if ((reads_of_[t][b] & ~at.held[b]) != 0) uncovered_ |= bit(t);
                    reach(state_of(started | bit(t), ended), at.held);
                }
                if ((may_end & bit(t)) != 0) {
                    contents held = at.held;
                    for (usz b = 0; b < buffers_; ++b)
                        for (usz other = 0; other < buffers_; ++other) {
                            if (other != b) held[other] &= ~writes_of_[t][b];
                        }
                    for (usz b = 0; b < buffers_; ++b) held[b] |= writes_of_[t][b];
                    reach(state_of(started, ended | bit(t)), held);
                }
            }
            for (usz b = 0; b < buffers_ && ended == all_; ++b) incomplete_ = incomplete_ || (output_[b] & ~at.held[b]) != 0;
        }
    }
    void reach(u32_t state, const contents& held) {
        for (u32_t n = first_node_[state]; n != none; n = nodes_[n].other)
            if (nodes_[n].held == held) return;
        nodes_.push_back({held, state, first_node_[state]});
        first_node_[state] = static_cast<u32_t>(nodes_.size() - 1);
    }

    static constexpr u32_t none = ~u32_t{0};
    usz tasks_ = 0;
    usz buffers_ = 0;
    u32_t all_ = 0;  ///< the set of all tasks
    std::array<u32_t, usz{1} << most_tasks> ready_{};
    std::array<u64_t, (usz{1} << 2 * most_tasks) / 64> seen_{};
    std::array<u16_t, 729> states_{};  ///< 3^most_tasks: not started, running, ended
    usz state_count_ = 0;
    std::array<u32_t, most_tasks> unfinished_before_{};  ///< [b]: the tasks that have not ended in some state in which b has started
    contents start_{};
    contents output_{};
    std::array<contents, most_tasks> reads_of_{};
    std::array<contents, most_tasks> writes_of_{};
    std::array<u64_t, most_tasks> touches_{};
    std::array<u64_t, most_tasks> writes_{};
    std::vector<node> nodes_;
    std::array<u32_t, usz{1} << 2 * most_tasks> first_node_{};
    bool blocks_ = false;
    u32_t started_somewhere_ = 0;
    u32_t mixing_ = 0;
    u32_t uncovered_ = 0;
    bool incomplete_ = false;
    bool writes_read_only_ = false;
    bool leaves_bounds_ = false;
};

}  // namespace netra::test
