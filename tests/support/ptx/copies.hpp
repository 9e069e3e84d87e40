// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// mbarriers and copies that land later.
#pragma once

#include "support/ptx/warp_wide.hpp"

#include <utility>

namespace netra::test::simt {

inline constexpr u32_t most_mbarrier_arrivals = (1U << 20) - 1;
inline constexpr i64_t most_mbarrier_bytes = (i64_t{1} << 20) - 1;

inline mbarrier& mbarrier_at(warp& w, const instruction& i, u32_t lane, u64_t address) {
    const place p = locate(w, i, lane, space::shared, address, 8, 8);
    const auto found = w.home->mbarriers.find(static_cast<u32_t>(p.offset));
    if (found == w.home->mbarriers.end()) fail(w, i, lane, "no mbarrier was initialised at shared address " + hex(address));
    mbarrier& b = found->second;
    const warp_clocks* c = clocks_of(w);
    if (c != nullptr && !ordered(w, *c, lane, b.made)) fail_race(w, i, lane, b.made, false, "shared address " + hex(address));
    return b;
}
inline u64_t shared_address(const instruction& i, u64_t address) {
    return i.where == space::generic && address >= shared_window ? address - shared_window : address;
}

inline void advance(warp& w, mbarrier& b) {
    w.home->machine->changed(mbarrier_key(w, b.address));
    if (b.pending != 0 || b.bytes != 0) return;
    ++b.phase;
    b.pending = b.expected;
    b.completed = b.arrived;
}
inline void expect_bytes(warp& w, const instruction& i, u32_t lane, mbarrier& b, i64_t bytes) {
    b.bytes += bytes;
    if (b.bytes > most_mbarrier_bytes || b.bytes < -most_mbarrier_bytes)
        fail(w, i, lane, "the mbarrier's count of bytes overflows: " + std::to_string(b.bytes));
}
inline void arrive_at(warp& w, const instruction& i, u32_t lane, mbarrier& b, word count) {
    if (count == 0 || count > b.pending)
        fail(w, i, lane,
             "arrives " + std::to_string(count) + " times at an mbarrier that waits for " + std::to_string(b.pending) + " more (of " +
                 std::to_string(b.expected) + ")" + (b.bytes != 0 ? " and " + std::to_string(b.bytes) + " bytes" : ""));
    b.pending -= static_cast<u32_t>(count);
    advance(w, b);
}

inline void run_mbarrier_init(warp& w, const instruction& i, u32_t lanes) {
    const lane_words at = addresses(w, i, i.at(0), lanes);
    const lane_words count = fetched(w, i, i.at(1), lanes);
    for_lanes(lanes, [&](u32_t l) {
        const place p = locate(w, i, l, space::shared, shared_address(i, at[l]), 8, 8);
        if (count[l] == 0 || count[l] > most_mbarrier_arrivals)
            fail(w, i, l, "an mbarrier cannot wait for " + std::to_string(count[l]) + " arrivals");
        for (u32_t n = 0; n < 8; ++n) {
            if (p.state()[n] > byte_state::written) fail_at_state(w, i, l, p, p.state()[n], n, false);
            p.state()[n] = byte_state::barrier;
        }
        mbarrier made;
        made.initialised_by = w.number;
        made.address = static_cast<u32_t>(p.offset);
        made.expected = made.pending = static_cast<u32_t>(count[l]);
        if (clocks_of(w) != nullptr) {
            observe_write(w, i, l, p, 8, false);
            made.actor = mbarrier_actor | w.home->mbarriers_made++;
            made.made = p.in->shadow->at(p.offset).write;
        }
        w.home->mbarriers[static_cast<u32_t>(p.offset)] = made;
    });
    ++w.home->machine->events;
}
inline void run_mbarrier_inval(warp& w, const instruction& i, u32_t lanes) {
    const lane_words at = addresses(w, i, i.at(0), lanes);
    for_lanes(lanes, [&](u32_t l) {
        mbarrier_at(w, i, l, shared_address(i, at[l]));
        const place p = locate(w, i, l, space::shared, shared_address(i, at[l]), 8, 8);
        for (u32_t n = 0; n < 8; ++n) p.state()[n] = byte_state::unwritten;
        w.home->mbarriers.erase(static_cast<u32_t>(p.offset));
    });
}

/// arrive, arrive.expect_tx, expect_tx, complete_tx; the state of an arrival is the phase it belongs to.
inline void run_mbarrier_arrive(warp& w, const instruction& i, u32_t lanes) {
    const bool arrives = i.parts[1] == "arrive";
    const usz shift = arrives && i.at(0).kind != operand::address ? 1 : 0;
    const lane_words at = addresses(w, i, i.at(shift), lanes);
    lane_words n;
    n.fill(1);
    if (i.arguments() > shift + 1) fetch(w, i, i.at(shift + 1), lanes, n);
    lane_words state{};
    show_all(w);
    const bool bytes = i.has("expect_tx") || i.has("complete_tx");
    const clock_ptr done = arrives && !i.has("relaxed") ? publish(w, lanes) : nullptr;
    for_lanes(lanes, [&](u32_t l) {
        mbarrier& b = mbarrier_at(w, i, l, shared_address(i, at[l]));
        state[l] = b.phase;
        if (bytes) expect_bytes(w, i, l, b, i.has("complete_tx") ? -static_cast<i64_t>(n[l]) : static_cast<i64_t>(n[l]));
        b.arrived = joined(b.arrived, done);
        if (arrives)
            arrive_at(w, i, l, b, bytes ? 1 : n[l]);
        else
            advance(w, b);
    });
    if (shift == 1) store(w, i.at(0), lanes, state);
}

/// The lanes know what those who arrived before the last phase completed have done, and that its copies landed.
inline void know_phase(warp& w, u32_t lanes, mbarrier& b) {
    if (clocks_of(w) == nullptr || lanes == 0) return;
    if (b.completed_for != b.phase) {
        auto made = b.completed == nullptr ? std::make_shared<vector_clock>() : std::make_shared<vector_clock>(*b.completed);
        made->complete(b.actor, b.phase);
        b.completed = made;
        b.completed_for = b.phase;
    }
    learn(w, lanes, b.completed);
}

/// test_wait and try_wait: true once the phase of that parity, or of that state, has completed.
inline void run_mbarrier_test(warp& w, const instruction& i, u32_t lanes) {
    const lane_words at = addresses(w, i, i.at(1), lanes);
    const lane_words which = fetched(w, i, i.at(2), lanes);
    const bool parity = i.has("parity");
    lane_words made{};
    mbarrier* last = nullptr;
    u32_t completed = 0;  // lanes for which `last` has
    for_lanes(lanes, [&](u32_t l) {
        if (parity && which[l] > 1) fail(w, i, l, "a parity is 0 or 1, not " + std::to_string(which[l]));
        mbarrier& b = mbarrier_at(w, i, l, shared_address(i, at[l]));
        made[l] = parity ? ((b.phase & 1) != which[l] ? 1 : 0) : (b.phase != which[l] ? 1 : 0);
        if (made[l] == 0) w.watch(*w.home->machine, mbarrier_key(w, b.address));
        if (last != nullptr && last != &b) know_phase(w, std::exchange(completed, 0), *last);
        last = &b;
        if (made[l] != 0) completed |= 1U << l;
    });
    know_phase(w, completed, *last);
    store(w, i.at(0), lanes, made);
}

inline void run_proxy_fence(warp& w, const instruction& i, u32_t lanes) {
    show_all(w);
    for (auto& [at, b] : w.home->mbarriers) b.fenced = b.fenced || b.initialised_by == w.number;
    if (i.has("async")) order_proxies(w, lanes);
}

/// The destination holds poison until the copy lands.
inline void launch_copy(warp& w, const instruction& i, u32_t lane, flight f, u64_t to, u64_t alignment) {
    const place p = locate(w, i, lane, space::shared, to, f.bytes, alignment);
    const place source = locate(w, i, lane, space::global, f.from, f.bytes - f.zeros, alignment);
    if (f.group != none)
        show_overlapping(w, source, f.bytes - f.zeros);
    else
        observe_bulk_read(w, i, lane, source, f.bytes);
    observe_read(w, i, lane, source, f.bytes - f.zeros, false);
    for (u32_t n = 0; n < f.bytes; ++n) {
        if (p.state()[n] > byte_state::written) fail_at_state(w, i, lane, p, p.state()[n], n, false);
        p.state()[n] = byte_state::in_flight;
    }
    if (f.group == none) observe_bulk_write(w, i, lane, p, f.bytes);
    observe_write(w, i, lane, p, f.bytes, false);
    std::memset(p.data(), poison, f.bytes);
    f.by = &w;
    f.lane = lane;
    f.to = static_cast<u32_t>(p.offset);
    f.at = &i;
    (f.group == none ? w.home->machine->bulk : w.copies).push_back(f);
}
inline void land(const flight& f) {
    warp& w = *f.by;
    const instruction& i = *f.at;
    bytes_of_memory& shared = w.home->shared;
    if (f.bytes != 0) {
        const u32_t copied = f.bytes - f.zeros;
        if (copied != 0) {
            const place from = locate(w, i, f.lane, space::global, f.from, copied, 1);
            check_readable(w, i, f.lane, from, copied);
            std::memcpy(shared.data.data() + f.to, from.data(), copied);
        }
        std::memset(shared.data.data() + f.to + copied, 0, f.zeros);
        std::fill_n(shared.state.begin() + f.to, f.bytes, byte_state::written);
    }
    ++w.home->machine->events;
    if (f.barrier == none) return;
    mbarrier& b = mbarrier_at(w, i, f.lane, f.barrier);
    if (f.bytes == 0) {
        b.arrived = joined(b.arrived, f.published);
        return arrive_at(w, i, f.lane, b, 1);
    }
    observe_landing(w, i, f.to, f.bytes, b);
    expect_bytes(w, i, f.lane, b, -static_cast<i64_t>(f.bytes));
    advance(w, b);
}

/// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier]
inline void run_bulk_copy(warp& w, const instruction& i, u32_t lanes) {
    const lane_words to = addresses(w, i, i.at(0), lanes);
    const lane_words from = addresses(w, i, i.at(1), lanes);
    const lane_words bytes = fetched(w, i, i.at(2), lanes);
    const lane_words barrier = addresses(w, i, i.at(3), lanes);
    for_lanes(lanes, [&](u32_t l) {
        if (bytes[l] == 0 || bytes[l] % 16 != 0) fail(w, i, l, "copies " + std::to_string(bytes[l]) + " bytes, not a multiple of 16");
        if (!mbarrier_at(w, i, l, barrier[l]).fenced)
            fail(w, i, l, "the mbarrier was initialised without a fence.mbarrier_init or fence.proxy.async behind it");
        flight f;
        f.group = none;
        f.from = from[l];
        f.bytes = static_cast<u32_t>(bytes[l]);
        f.barrier = static_cast<u32_t>(barrier[l]);
        launch_copy(w, i, l, f, to[l], 16);
    });
}
inline void run_bulk_prefetch(warp& w, const instruction& i, u32_t lanes) {
    const lane_words from = addresses(w, i, i.at(0), lanes);
    const lane_words bytes = fetched(w, i, i.at(1), lanes);
    for_lanes(lanes, [&](u32_t l) {
        if (bytes[l] % 16 != 0) fail(w, i, l, "prefetches " + std::to_string(bytes[l]) + " bytes, not a multiple of 16");
        locate(w, i, l, space::global, from[l], bytes[l], 16);
    });
}

/// cp.async [to], [from], bytes {, bytes to read}
inline void run_copy(warp& w, const instruction& i, u32_t lanes) {
    const lane_words to = addresses(w, i, i.at(0), lanes);
    const lane_words from = addresses(w, i, i.at(1), lanes);
    const lane_words bytes = fetched(w, i, i.at(2), lanes);
    lane_words read = bytes;
    if (i.arguments() > 3) fetch(w, i, i.at(3), lanes, read);
    for_lanes(lanes, [&](u32_t l) {
        if (bytes[l] != 16 && (i.has("cg") || (bytes[l] != 4 && bytes[l] != 8)))
            fail(w, i, l, "cp.async cannot copy " + std::to_string(bytes[l]) + " bytes");
        if (read[l] > bytes[l]) fail(w, i, l, "reads more bytes than it writes");
        flight f;
        f.group = w.open_group[l];
        f.from = from[l];
        f.bytes = static_cast<u32_t>(bytes[l]);
        f.zeros = static_cast<u32_t>(bytes[l] - read[l]);
        launch_copy(w, i, l, f, to[l], bytes[l]);
    });
}
inline void run_copy_commit(warp& w, const instruction&, u32_t lanes) {
    for_lanes(lanes, [&](u32_t l) { ++w.open_group[l]; });
}
/// Lands some of a warp's copies, or all, that may land before their threads wait: a copy that an arrival follows, an arrival whose copies
/// have landed.
inline bool land_copies(warp& w, bool all) {
    machine_state& m = *w.home->machine;
    u32_t followed = 0;
    std::vector<bool> may(w.copies.size());
    for (usz k = w.copies.size(); k-- > 0;) {
        if (w.copies[k].bytes == 0) followed |= 1U << w.copies[k].lane;
        may[k] = ((followed >> w.copies[k].lane) & 1) != 0;
    }
    const u32_t percent = all ? 100 : 10 + m.roll(80);
    u32_t waiting = 0;  // lanes with an earlier copy
    std::vector<flight> left;
    for (usz k = 0; k < w.copies.size(); ++k) {
        const flight& f = w.copies[k];
        const bool first = ((waiting >> f.lane) & 1) == 0;
        if (may[k] && (f.bytes != 0 || first) && m.roll(100) < percent) {
            land(f);
        } else {
            left.push_back(f);
            waiting |= 1U << f.lane;
        }
    }
    const bool landed = left.size() != w.copies.size();
    w.copies = std::move(left);
    return landed;
}
/// wait_group n: all groups but the last n have landed; wait_all: everything.
inline void run_copy_wait(warp& w, const instruction& i, u32_t lanes) {
    const bool everything = i.parts[2] == "wait_all";
    const u32_t open = everything ? 0 : static_cast<u32_t>(i.at(0).value);
    std::vector<flight> left;
    for (const flight& f : w.copies) {
        const bool mine = ((lanes >> f.lane) & 1) != 0;
        const bool due = mine && (everything || f.group + open < w.open_group[f.lane]);
        if (due && f.bytes != 0)
            land(f);
        else
            left.push_back(f);
    }
    w.copies = std::move(left);
}
/// cp.async.mbarrier.arrive{.noinc} [mbarrier]: arrives once the thread's copies so far have landed.
inline void run_copy_arrive(warp& w, const instruction& i, u32_t lanes) {
    const lane_words at = addresses(w, i, i.at(0), lanes);
    const clock_ptr done = publish(w, lanes);
    for_lanes(lanes, [&](u32_t l) {
        mbarrier& b = mbarrier_at(w, i, l, shared_address(i, at[l]));
        if (!i.has("noinc")) ++b.pending;
        flight f;
        f.by = &w;
        f.lane = l;
        f.published = done;
        f.barrier = static_cast<u32_t>(shared_address(i, at[l]));
        f.at = &i;
        w.copies.push_back(f);
    });
}

}  // namespace netra::test::simt
