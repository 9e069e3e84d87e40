// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The order that barriers, fences and strong accesses make, and the accesses that nothing orders.
#pragma once

#include "support/ptx/access.hpp"

namespace netra::test::simt {

inline warp_clocks* clocks_of(const warp& w) {
    machine_state& m = *w.home->machine;
    return m.races == nullptr ? nullptr : &m.races->warps[w.home->index * m.races->warps_of_block + w.number];
}
inline u32_t actor_of(const warp& w) { return w.home->index * w.home->machine->races->warps_of_block + w.number; }

/// What these lanes have done and know; what they do from now on is not part of it.
inline clock_ptr publish(warp& w, u32_t lanes) {
    warp_clocks* c = clocks_of(w);
    if (c == nullptr) return nullptr;
    clock_ptr base;
    for_lanes(lanes, [&](u32_t l) { base = joined(base, c->known[l]); });
    auto made = base == nullptr ? std::make_shared<vector_clock>() : std::make_shared<vector_clock>(*base);
    clock_entry own;
    if (std::popcount(lanes) == 1 && (w.all & ~w.exited) != lanes)
        own.one = c->now, own.lane = first_lane(lanes);
    else
        own.all = c->now;
    (*made)[actor_of(w)].join(own);
    ++c->now;
    return made;
}
inline void learn(warp& w, u32_t lanes, const clock_ptr& what) {
    warp_clocks* c = clocks_of(w);
    if (c == nullptr || what == nullptr) return;
    clock_ptr before;
    clock_ptr after;
    for_lanes(lanes, [&](u32_t l) {
        if (c->learned[l] == what) return;
        c->learned[l] = what;
        if (after == nullptr || c->known[l] != before) {
            before = c->known[l];
            after = joined(before, what);
        }
        c->known[l] = after;
    });
}
/// bar.warp.sync: the lanes know what each of them did.
inline void meet_lanes(warp& w, u32_t lanes) { learn(w, lanes, publish(w, lanes)); }

inline void order_fence(warp& w, u32_t lanes) {
    warp_clocks* c = clocks_of(w);
    if (c == nullptr) return;
    for_lanes(lanes, [&](u32_t l) {
        if (c->pending[l] == nullptr) return;
        c->known[l] = joined(c->known[l], c->pending[l]);
        c->pending[l] = nullptr;
    });
    for_lanes(lanes, [&](u32_t l) { c->fenced[l] = publish(w, 1U << l); });
}

/// fence.proxy.async: bulk copies of these lanes, or of those who learn from them, see what the lanes know.
inline void order_proxies(warp& w, u32_t lanes) {
    warp_clocks* c = clocks_of(w);
    if (c == nullptr) return;
    for_lanes(lanes, [&](u32_t l) {
        auto made = std::make_shared<vector_clock>(*publish(w, 1U << l));
        made->fence_proxy();
        c->known[l] = made;
    });
}

inline u64_t key_of(const warp& w, const place& p, u64_t offset) {
    return p.shared ? (u64_t{w.home->index + 1} << 48) + p.offset + offset : p.in->base + p.offset + offset;
}
/// A strong load of a word, or the load half of an atomic.
inline void order_load(warp& w, u32_t lane, const place& p, u64_t offset, bool acquire) {
    warp_clocks* c = clocks_of(w);
    if (c == nullptr || w.home->machine->races->words.empty()) return;
    const auto& words = w.home->machine->races->words;
    const auto found = words.find(key_of(w, p, offset));
    if (found == words.end()) return;
    if (acquire)
        learn(w, 1U << lane, found->second);
    else
        c->pending[lane] = joined(c->pending[lane], found->second);
}
/// What a strong store tells those who read it.
inline clock_ptr told_by_store(warp& w, u32_t lane, bool release, bool shared) {
    warp_clocks* c = clocks_of(w);
    if (c == nullptr) return nullptr;
    const clock_ptr all = release ? publish(w, 1U << lane) : c->fenced[lane];
    if (shared || all == nullptr || !all->has_phases()) return all;
    auto made = std::make_shared<vector_clock>(*all);
    made->drop_phases();
    return made;
}
/// A strong store of a word, or with `keep` the store half of an atomic, which leaves what earlier stores told.
inline void order_store(warp& w, const place& p, u64_t offset, const clock_ptr& mine, bool keep) {
    if (clocks_of(w) == nullptr) return;
    auto& words = w.home->machine->races->words;
    const u64_t key = key_of(w, p, offset);
    const auto found = words.find(key);
    if (found == words.end()) {
        if (mine != nullptr) words.emplace(key, mine);
    } else if (keep) {
        found->second = joined(found->second, mine);
    } else if (mine != nullptr) {
        found->second = mine;
    } else {
        words.erase(found);
    }
}

[[noreturn]] inline void fail_race(const warp& w, const instruction& i, u32_t lane, const touch& other, bool read,
                                   const std::string& where) {
    const machine_state& m = *w.home->machine;
    const u32_t per = m.races->warps_of_block;
    std::string who = "a copy that landed";
    if (other.actor < m.races->warps.size())
        who = "block " + std::to_string(other.actor / per) + " warp " + std::to_string(other.actor % per) +
              (other.lane == several_lanes ? "" : " lane " + std::to_string(other.lane));
    fail(w, i, lane,
         "races at " + where + " with the " + (read ? "read" : "write") + " of " + m.code->describe(other.pc) + " by " + who +
             ": nothing orders them");
}

inline bool ordered(const warp& w, const warp_clocks& c, u32_t lane, const touch& t) {
    if (t.actor == actor_of(w) && t.lane == lane) return true;
    return c.known[lane] != nullptr && c.known[lane]->knows(t.actor, t.lane, t.epoch);
}
inline shadow_memory* shadow_of(const place& p, bool make) {
    if (p.in->shadow == nullptr && make) p.in->shadow = std::make_shared<shadow_memory>(p.in->data.size());
    return p.in->shadow.get();
}
inline std::string name_of(const place& p, u64_t offset) {
    return (p.shared             ? "shared address "
            : p.in->name.empty() ? "global address "
                                 : p.in->name + " + " + std::to_string(p.offset + offset) + ", ") +
           hex(p.in->base + p.offset + offset);
}

/// Checks a read against the last write of each byte. Of memory that no thread has written nothing is kept.
inline void observe_read(warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes, bool strong) {
    const warp_clocks* c = clocks_of(w);
    if (c == nullptr || bytes < shadow_memory::granule) return;
    shadow_memory* s = shadow_of(p, p.shared);
    if (s == nullptr) return;
    const touch mine{c->now, static_cast<u32_t>(&i - w.home->machine->code->code.data()), actor_of(w), static_cast<u8_t>(lane), strong};
    for (u64_t n = 0; n < bytes; n += shadow_memory::granule) {
        shadow_memory::cell& cell = s->at(p.offset + n);
        if (cell.write.epoch != 0 && !(strong && cell.write.strong) && !ordered(w, *c, lane, cell.write))
            fail_race(w, i, lane, cell.write, false, name_of(p, n));
        if (!strong) s->add_reader(cell, mine, [&](const touch& t) { return ordered(w, *c, lane, t); });
    }
}
/// Checks that no thread of the launch has written what ld.global.nc reads.
inline void observe_constant_read(warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes) {
    shadow_memory* s = clocks_of(w) == nullptr ? nullptr : shadow_of(p, false);
    if (s == nullptr) return;
    for (u64_t n = 0; n < bytes; n += shadow_memory::granule)
        if (const touch& t = s->at(p.offset + n).write; t.epoch != 0)
            fail(w, i, lane, "reads " + name_of(p, n) + " as constant memory, written at " + w.home->machine->code->describe(t.pc));
}
/// Checks that a bulk copy may read: somebody ran fence.proxy.async since the write.
inline void observe_bulk_read(warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes) {
    const warp_clocks* c = clocks_of(w);
    shadow_memory* s = c == nullptr ? nullptr : shadow_of(p, false);
    if (s == nullptr) return;
    for (u64_t n = 0; n < bytes; n += shadow_memory::granule) {
        const touch& t = s->at(p.offset + n).write;
        if (t.epoch == 0 || (c->known[lane] != nullptr && c->known[lane]->knows_proxied(t.actor, t.lane, t.epoch))) continue;
        fail(w, i, lane,
             "copies " + name_of(p, n) + ", written at " + w.home->machine->code->describe(t.pc) + ", without a fence.proxy.async between");
    }
}
/// Checks that a bulk copy may overwrite: those who read ran fence.proxy.async before they said so, or their loads may still be under way.
inline void observe_bulk_write(warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes) {
    const warp_clocks* c = clocks_of(w);
    shadow_memory* s = c == nullptr ? nullptr : shadow_of(p, true);
    if (s == nullptr) return;
    for (u64_t n = 0; n < bytes; n += shadow_memory::granule)
        for (u32_t r = s->at(p.offset + n).readers; r != none; r = s->reader_at(r).next) {
            const touch& t = s->reader_at(r).read;
            if (c->known[lane] != nullptr && c->known[lane]->knows_proxied(t.actor, t.lane, t.epoch)) continue;
            fail(w, i, lane,
                 "copies over " + name_of(p, n) + ", read at " + w.home->machine->code->describe(t.pc) + ", without a fence.proxy.async between");
        }
}
/// Checks a write against the last write and the reads since; lanes of one instruction may write the same place.
inline void observe_write(warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes, bool strong) {
    const warp_clocks* c = clocks_of(w);
    if (c == nullptr || bytes < shadow_memory::granule) return;
    shadow_memory* s = shadow_of(p, true);
    const touch mine{c->now, static_cast<u32_t>(&i - w.home->machine->code->code.data()), actor_of(w), static_cast<u8_t>(lane), strong};
    for (u64_t n = 0; n < bytes; n += shadow_memory::granule) {
        shadow_memory::cell& cell = s->at(p.offset + n);
        const touch& last = cell.write;
        const bool together = last.actor == mine.actor && last.pc == mine.pc && last.epoch == mine.epoch;
        if (last.epoch != 0 && !together && !(strong && last.strong) && !ordered(w, *c, lane, last))
            fail_race(w, i, lane, last, false, name_of(p, n));
        for (u32_t r = cell.readers; r != none; r = s->reader_at(r).next)
            if (!ordered(w, *c, lane, s->reader_at(r).read)) fail_race(w, i, lane, s->reader_at(r).read, true, name_of(p, n));
        s->drop_readers(cell);
        cell.write = mine;
    }
}
/// The bytes of a copy belong to those who know that the mbarrier's phase completed.
inline void observe_landing(warp& w, const instruction& i, u64_t offset, u64_t bytes, const mbarrier& b) {
    bytes_of_memory& shared = w.home->shared;
    if (clocks_of(w) == nullptr || shared.shadow == nullptr) return;
    for (u64_t n = 0; n < bytes; n += shadow_memory::granule)
        shared.shadow->at(offset + n).write = {b.phase + 1, static_cast<u32_t>(&i - w.home->machine->code->code.data()), b.actor, 0, false};
}

}  // namespace netra::test::simt
