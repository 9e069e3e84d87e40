// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The pairs of tasks that a refusal speaks of: what pictures of a schedule show in red.
#pragma once

#include <netra/schedule/expanded.hpp>

namespace netra::inline v0 {

/// `wait`: task `after` waits for `before`, in vain. Otherwise nothing orders the two, although they share bytes; a task alone is both.
struct refused_edge {
    u32_t before = 0;
    u32_t after = 0;
    bool wait = false;
    friend constexpr bool operator==(const refused_edge&, const refused_edge&) = default;
};

/// Whether `object` names a task group, as `subject` does; otherwise it names a buffer or nothing.
constexpr bool speaks_of_two_groups(reason r) {
    return r == reason::unsatisfiable_wait || r == reason::cyclic_wait || r == reason::queue_deadlock || r == reason::deadlock ||
           r == reason::listed_before_producer || r == reason::data_race || r == reason::shared_memory_race || r == reason::shared_counter;
}
/// Two tasks that touch the same bytes, and nothing orders them.
constexpr bool is_race(reason r) { return r == reason::data_race || r == reason::shared_memory_race || r == reason::tiles_overlap; }
constexpr bool speaks_of_buffers_alone(reason r) {
    return r == reason::memory_reused_too_early || r == reason::incomplete_output || r == reason::overwritten_output ||
           r == reason::arena_too_small;
}

namespace detail {

constexpr bool touch_same_bytes(const expanded_access& a, const expanded_access& b) {
    return a.buffer == b.buffer && (a.write || b.write) && a.first_row < b.end_row && b.first_row < a.end_row &&
           a.first_byte < b.end_byte && b.first_byte < a.end_byte;
}
constexpr bool touch_same_bytes(const expanded_view& s, const expanded_task& a, const expanded_task& b) {
    for (u32_t i = 0; i < a.access_count; ++i)
        for (u32_t k = 0; k < b.access_count; ++k)
            if (touch_same_bytes(s.accesses[a.first_access + i], s.accesses[b.first_access + k])) return true;
    return false;
}

/// Finds the tasks that a verdict names.
template <class F>
class refused_edge_finder {
  public:
    constexpr refused_edge_finder(const expanded_view& s, const verdict& v, F& f) : s_(s), v_(v), f_(f) {}

    constexpr void run() {
        if (v_.ok()) return;
        if (speaks_of_buffers_alone(v_.why)) return find_users();
        if (v_.why == reason::cyclic_wait) return find_waits();
        const u32_t subject = find(v_.subject, v_[label::tile]);
        if (subject == nobody) return;
        if (v_.why == reason::unsatisfiable_wait) return find_signals(subject);
        u32_t other = nobody;
        if (v_.why == reason::tiles_overlap) other = find_overlapping(subject);
        if (speaks_of_two_groups(v_.why)) other = find(v_.object, v_[label::other_tile]);
        if (other == nobody) f_(refused_edge{subject, subject});
        else if (is_race(v_.why) && other > subject) f_(refused_edge{subject, other});
        else f_(refused_edge{other, subject, !is_race(v_.why)});
    }

  private:
    static constexpr u32_t nobody = 0xffffffff;

    constexpr u32_t find(const name& n, u64_t tile) const {
        for (u32_t t = 0; t < s_.task_count; ++t)
            if (s_.tasks[t].tile == tile && s_.tasks[t].name == n) return t;
        return nobody;
    }
    constexpr u32_t find_overlapping(u32_t task) const {
        for (u32_t t = 0; t < s_.task_count; ++t)
            if (t != task && s_.tasks[t].name == v_.subject && touch_same_bytes(s_, s_.tasks[task], s_.tasks[t])) return t;
        return nobody;
    }
    constexpr bool signals(const expanded_task& t, u32_t counter) const {
        for (u32_t i = 0; i < t.signal_count; ++i)
            if (s_.signals[t.first_signal + i] == counter) return true;
        return false;
    }
    /// Those that signal the counter, in vain.
    constexpr void find_signals(u32_t waiting) const {
        bool any = false;
        for (u32_t t = 0; t < s_.task_count; ++t)
            if (signals(s_.tasks[t], static_cast<u32_t>(v_[label::counter]))) f_(refused_edge{t, waiting, true}), any = true;
        if (!any) f_(refused_edge{waiting, waiting, true});
    }
    /// Where the two groups wait for each other directly; for chains through other groups the first link shows.
    constexpr void find_waits() const {
        for (u32_t w = 0; w < s_.task_count; ++w) {
            const expanded_task& waiting = s_.tasks[w];
            const bool is_subject = waiting.name == v_.subject;
            if (!is_subject && !(waiting.name == v_.object)) continue;
            for (u32_t t = 0; t < s_.task_count; ++t)
                if (s_.tasks[t].name == (is_subject ? v_.object : v_.subject) && waits_for(waiting, s_.tasks[t]))
                    f_(refused_edge{t, w, true});
        }
    }
    constexpr bool waits_for(const expanded_task& waiting, const expanded_task& t) const {
        for (u32_t i = 0; i < waiting.wait_count; ++i)
            if (signals(t, s_.waits[waiting.first_wait + i].counter)) return true;
        return false;
    }
    constexpr void find_users() const {
        for (u32_t t = 0; t < s_.task_count; ++t)
            for (u32_t i = 0; i < s_.tasks[t].access_count; ++i) {
                const name& n = s_.buffers[s_.accesses[s_.tasks[t].first_access + i].buffer].name;
                if (!(n == v_.subject) && !(n == v_.object)) continue;
                f_(refused_edge{t, t});
                break;
            }
    }

    const expanded_view& s_;
    const verdict& v_;
    F& f_;
};

}  // namespace detail

/// Calls `f(refused_edge)` for the tasks that a refusal speaks of, none when it accepts. @pre the schedule is the one that was refused
/// `witness`: those tasks, where the checker said; the one that waits first in a circle of waits, either one first in a race.
template <class F>
constexpr void for_each_refused_edge(const expanded_view& s, const verdict& v, const u32_t* witness, usz witness_count, F&& f) {
    if (v.ok()) return;
    if (witness_count == 0) {
        detail::refused_edge_finder finder(s, v, f);
        return finder.run();
    }
    if (witness_count == 1) return f(refused_edge{witness[0], witness[0]});
    if (!is_race(v.why)) {
        for (usz i = 0; i < witness_count; ++i) f(refused_edge{witness[i + 1 == witness_count ? 0 : i + 1], witness[i], true});
        return;
    }
    f(refused_edge{witness[0], witness[1]});
}
template <class F>
constexpr void for_each_refused_edge(const expanded_view& s, const verdict& v, F&& f) {
    for_each_refused_edge(s, v, nullptr, 0, f);
}

}  // namespace netra::inline v0
