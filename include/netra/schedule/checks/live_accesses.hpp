// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The accesses that those of later groups can still conflict with, or find the bytes of which they read.
#pragma once

#include <netra/schedule/order.hpp>

namespace netra::inline v0::detail {

constexpr bool shares_arena(const buffer& a, const buffer& b) {
    return a.kind == buffer_kind::activation && b.kind == buffer_kind::activation && a.arena < b.arena + bytes(b) &&
           b.arena < a.arena + bytes(a);
}

struct live_access {
    const access* what = nullptr;
    u32_t group = 0;
    u32_t older = 0;          ///< of the same buffer
    bool holds_data = true;   ///< false once another buffer's write may have destroyed what this one wrote
};

class live_accesses {
  public:
    constexpr live_accesses(const schedule_view& s, const order_view& order)
        : s_(s), order_(order), newest_(s.buffer_count), used_(s.buffer_count) {
        for (usz b = 0; b < s.buffer_count; ++b) newest_[b] = none;
    }

    /// Inputs and weights are written by nobody.
    constexpr bool tracked(const access& a) const {
        const buffer_kind k = s_.buffers[a.buffer].kind;
        return k != buffer_kind::input && k != buffer_kind::weight;
    }
    /// Calls `f` for the live accesses of a buffer, the newest first.
    template <class F>
    constexpr void for_each(usz buffer, F&& f) const {
        const live_access* all = all_.data();
        for (u32_t i = newest_[buffer]; i != none; i = all[i].older) f(all[i]);
    }
    /// No newer access made this one irrelevant.
    constexpr bool is_live(const access& a) const {
        bool found = false;
        for_each(a.buffer, [&](const live_access& o) { found = found || o.what == &a; });
        return found;
    }

    /// Adds the accesses of a group after they were checked, or are known to have been accepted.
    constexpr void admit(usz g) {
        forget_unused(g);
        for (const auto& a : s_.groups[g].accesses)
            if (tracked(a)) admit(g, a);
    }

  private:
    static constexpr u32_t none = ~u32_t{0};
    struct memory {
        usz buffer = 0;
        u64_t begin = 0;
        u64_t end = 0;
    };
    constexpr memory memory_of(usz buffer) const {
        const netra::buffer& b = s_.buffers[buffer];
        return {buffer, b.arena, b.arena + bytes(b)};
    }

    constexpr void admit(usz g, const access& a) {
        if (s_.buffers[a.buffer].kind == buffer_kind::activation) {
            if (a.write) destroy_aliases(a.buffer);
            if (newest_[a.buffer] == none) used_[used_count_++] = memory_of(a.buffer);
        }
        if (a.write) drop_rewritten(g, a);
        all_.push_back({&a, static_cast<u32_t>(g), newest_[a.buffer], true});
        newest_[a.buffer] = static_cast<u32_t>(all_.size() - 1);
    }
    /// Nobody will ask for the contents of a buffer that no group from `g` on uses.
    constexpr void forget_unused(usz g) {
        usz kept = 0;
        memory* used = &used_[0];
        for (usz k = 0; k < used_count_; ++k) {
            if (order_.last_use_group[used[k].buffer] < g) continue;
            if (kept != k) used[kept] = used[k];
            ++kept;
        }
        used_count_ = kept;
    }
    /// A write of all bytes of an older access follows it, as was checked. What conflicts with the older one conflicts with the write, too.
    constexpr void drop_rewritten(usz g, const access& a) {
        if (newest_[a.buffer] == none || !gapless(a.range, s_.groups[g].tiles)) return;
        const interval written = hull(a.range, s_.groups[g].tiles);
        u32_t* link = &newest_[a.buffer];
        while (*link != none) {
            live_access& o = all_[*link];
            const interval old = hull(o.what->range, s_.groups[o.group].tiles);
            const bool same_rows = a.part == row_part::whole || a.part == o.what->part;
            const bool rewritten = o.group != g && same_rows && written.begin <= old.begin && old.end <= written.end;
            if (rewritten) *link = o.older;
            else link = &o.older;
        }
    }
    constexpr void destroy_aliases(usz buffer) {
        const memory mine = memory_of(buffer);
        const memory* used = &used_[0];
        for (usz k = 0; k < used_count_; ++k) {
            if (used[k].begin >= mine.end || mine.begin >= used[k].end || used[k].buffer == buffer) continue;
            for (u32_t i = newest_[used[k].buffer]; i != none; i = all_[i].older) all_[i].holds_data = false;
        }
    }

    schedule_view s_;
    order_view order_;
    growing<live_access> all_;
    scratch<u32_t> newest_;  ///< of a buffer
    scratch<memory> used_;   ///< activations with live accesses that are used again
    usz used_count_ = 0;
};

}  // namespace netra::inline v0::detail
