// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Who touched which bytes so far: for each access, the earlier tasks that it must be ordered after, and whose data it reads.
#pragma once

#include <netra/schedule/checks/exact_order.hpp>

namespace netra::inline v0::detail {

/// The latest task of each queue that a task must be ordered after. (What comes before that one in its queue is ordered with it.)
class latest_tasks {
  public:
    constexpr latest_tasks(const exact_run& run, order_questions& questions)
        : run_(run), questions_(questions), latest_(run.queues()), stamp_(run.queues()), queues_(run.queues()) {}

    constexpr void start(u32_t task) { task_ = task, ++stamp_now_, count_ = 0; }
    constexpr void add(u32_t earlier) {
        const u32_t q = run_.queue_of(earlier);
        if (stamp_[q] != stamp_now_) stamp_[q] = stamp_now_, latest_[q] = earlier, queues_[count_++] = q;
        else if (run_.position_of(earlier) > run_.position_of(latest_[q])) latest_[q] = earlier;
    }
    template <class F>
    constexpr void for_each(F&& f) const {
        for (u32_t i = 0; i < count_; ++i) f(latest_[queues_[i]]);
    }
    constexpr void ask() {
        for_each([&](u32_t earlier) { questions_.ask(earlier, task_); });
    }

  private:
    const exact_run& run_;
    order_questions& questions_;
    scratch<u32_t> latest_;
    scratch<u64_t> stamp_;
    scratch<u32_t> queues_;
    u32_t count_ = 0;
    u32_t task_ = 0;
    u64_t stamp_now_ = 0;
};

/// A tree over the places [0, places), each of them bytes that every access touches all or none of. Tasks come in the order in which they
/// ran. Lists hold the latest task of each queue, and nothing from before the last write of all their bytes: what was asked about that
/// write settles it.
class access_history {
  public:
    static constexpr u32_t nobody = 0;           ///< as an owner: nothing was written
    static constexpr u32_t several = ~u32_t{0};  ///< as an owner: not the same everywhere; a buffer's is its index + 1

    /// Places that do not hold what a reader expects.
    struct gap {
        usz begin = 0;
        usz end = 0;
        u32_t owner = nobody;
    };

    constexpr access_history(const exact_run& run, const order_questions& order, latest_tasks& found, usz places)
        : run_(run), order_(order), found_(found), places_(places), nodes_(2 * places), seen_(run.queues()) {
        entries_.push_back({});  // none
    }

    /// `held`: bytes that nobody wrote may be read. Notes the tasks that must come before; false when `bad` tells of a gap.
    constexpr bool read(u32_t task, usz begin, usz end, u32_t buffer, bool held, gap& bad) {
        task_ = task, begin_ = begin, end_ = end, owner_ = buffer + 1, held_ = held;
        gap_ = {};
        read_node(0, 0, places_);
        bad = gap_;
        return gap_.begin == gap_.end;
    }
    constexpr void write(u32_t task, usz begin, usz end, u32_t buffer) {
        task_ = task, begin_ = begin, end_ = end, owner_ = buffer + 1;
        write_node(0, 0, places_);
    }
    /// Whether all of [begin, end) holds the data of `buffer`.
    constexpr bool holds(usz begin, usz end, u32_t buffer, bool held, gap& bad) {
        begin_ = begin, end_ = end, owner_ = buffer + 1, held_ = held;
        gap_ = {};
        find_gap(0, 0, places_);
        bad = gap_;
        return gap_.begin == gap_.end;
    }

  private:
    struct entry {
        u32_t task = 0;
        u32_t next = 0;  ///< an earlier one; 0: none
    };
    /// Lists of the accesses that touch the whole node but not all of its parent (here), or some part of it only (below).
    struct node {
        u32_t readers_here = 0;
        u32_t readers_below = 0;
        u32_t writers_here = 0;
        u32_t writers_below = 0;
        u32_t written = 0;  ///< rank + 1 up to which every place was overwritten: what came before has been asked about
        u32_t owner = nobody;
        bool covers = false;  ///< `written` and `owner` hold for the whole subtree, the children do not know yet
    };
    static constexpr usz left(usz n) { return n + 1; }
    static constexpr usz right(usz n, usz begin, usz end) { return n + 2 * ((end - begin) / 2); }

    constexpr void read_node(usz n, usz begin, usz end) {
        if (begin_ <= begin && end <= end_) {
            visit(nodes_[n].writers_here, nodes_[n].written);
            visit(nodes_[n].writers_below, nodes_[n].written);
            add(nodes_[n].readers_here);
            return find_gap(n, begin, end);
        }
        visit(nodes_[n].writers_here, nodes_[n].written);
        add(nodes_[n].readers_below);
        push_down(n, begin, end);
        const usz middle = begin + (end - begin) / 2;
        if (begin_ < middle) read_node(left(n), begin, middle);
        if (end_ > middle) read_node(right(n, begin, end), middle, end);
    }
    constexpr void write_node(usz n, usz begin, usz end) {
        node& at = nodes_[n];
        visit(at.readers_here, at.written);
        visit(at.writers_here, at.written);
        if (begin_ <= begin && end <= end_) {
            visit(at.readers_below, at.written);
            visit(at.writers_below, at.written);
            cover(n, end - begin, order_.rank_of(task_) + 1, owner_);
            drop(at.readers_here), drop(at.readers_below), drop(at.writers_here), drop(at.writers_below);
            return add(at.writers_here);
        }
        add(at.writers_below);
        push_down(n, begin, end);
        const usz middle = begin + (end - begin) / 2;
        const node& l = nodes_[left(n)];
        const node& r = nodes_[right(n, begin, end)];
        if (begin_ < middle) write_node(left(n), begin, middle);
        if (end_ > middle) write_node(right(n, begin, end), middle, end);
        at.written = l.written < r.written ? l.written : r.written;
        at.owner = l.owner == r.owner ? l.owner : several;
    }
    constexpr void push_down(usz n, usz begin, usz end) {
        node& at = nodes_[n];
        if (!at.covers) return;
        const usz middle = begin + (end - begin) / 2;
        cover(left(n), middle - begin, at.written, at.owner);
        cover(right(n, begin, end), end - middle, at.written, at.owner);
        at.covers = false;
    }
    constexpr void cover(usz n, usz size, u32_t written, u32_t owner) {
        nodes_[n].written = written;
        nodes_[n].owner = owner;
        nodes_[n].covers = size > 1;
    }
    constexpr void find_gap(usz n, usz begin, usz end) {
        const u32_t owner = nodes_[n].owner;
        if (owner == owner_ || (owner == nobody && held_)) return;
        if (owner != several) {
            begin = begin > begin_ ? begin : begin_;
            end = end < end_ ? end : end_;
            if (gap_.begin == gap_.end) gap_ = {begin, end, owner};
            else if (gap_.end == begin && gap_.owner == owner) gap_.end = end;
            return;
        }
        push_down(n, begin, end);
        const usz middle = begin + (end - begin) / 2;
        if (begin_ < middle) find_gap(left(n), begin, middle);
        if (end_ > middle) find_gap(right(n, begin, end), middle, end);
    }

    /// Notes the tasks of a list; drops those before `written`, and all but the latest of each queue.
    constexpr void visit(u32_t& head, u32_t written) {
        ++visit_;
        u32_t* link = &head;
        while (*link != 0) {
            const u32_t i = *link;
            const u32_t task = entries_[i].task;
            if (order_.rank_of(task) + 1 < written) return drop(*link);
            const u32_t q = run_.queue_of(task);
            if (seen_[q] == visit_) {
                *link = entries_[i].next;
                release(i, i);
                continue;
            }
            seen_[q] = visit_;
            found_.add(task);
            link = &entries_[i].next;
        }
    }
    constexpr void add(u32_t& head) {
        if (head != 0 && entries_[head].task == task_) return;
        u32_t i = free_;
        if (i != 0) {
            free_ = entries_[i].next;
        } else {
            i = static_cast<u32_t>(entries_.size());
            entries_.push_back({});
        }
        entries_[i] = {task_, head};
        head = i;
    }
    constexpr void drop(u32_t& head) {
        if (head == 0) return;
        u32_t last = head;
        while (entries_[last].next != 0) last = entries_[last].next;
        release(head, last);
        head = 0;
    }
    constexpr void release(u32_t first, u32_t last) {
        entries_[last].next = free_;
        free_ = first;
    }

    const exact_run& run_;
    const order_questions& order_;
    latest_tasks& found_;
    usz places_;
    scratch<node> nodes_;
    growing<entry> entries_{};
    u32_t free_ = 0;
    scratch<u64_t> seen_;  ///< of a queue: the list in which it was met last
    u64_t visit_ = 0;
    // the access in hand
    u32_t task_ = 0;
    usz begin_ = 0;
    usz end_ = 0;
    u32_t owner_ = nobody;
    bool held_ = false;
    gap gap_{};
};

}  // namespace netra::inline v0::detail
