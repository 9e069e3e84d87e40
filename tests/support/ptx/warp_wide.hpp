// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Instructions that lanes run together: shuffles, votes, reductions, named barriers.
#pragma once

#include "support/ptx/memory.hpp"

namespace netra::test::simt {

enum class shuffle : u32_t { up, down, butterfly, index };

/// A value from a lane that does not take part is undefined.
inline void run_shuffle(warp& w, const instruction& i, u32_t lanes) {
    const lane_words a = fetched(w, i, i.at(1), lanes);
    const lane_words b = fetched(w, i, i.at(2), lanes);
    const lane_words c = fetched(w, i, i.at(3), lanes);
    lane_words made{};
    lane_words inside{};
    u32_t undefined = 0;
    for_lanes(lanes, [&](u32_t l) {
        const u32_t by = static_cast<u32_t>(b[l] & 31);
        const u32_t segment = static_cast<u32_t>((c[l] >> 8) & 31);
        const u32_t last = (l & segment) | (static_cast<u32_t>(c[l] & 31) & ~segment);
        u32_t from = l;
        bool good = false;
        switch (static_cast<shuffle>(i.detail)) {
            case shuffle::up:
                from = l - by, good = l >= by && from >= last;
                break;
            case shuffle::down:
                from = l + by, good = from <= last;
                break;
            case shuffle::butterfly:
                from = l ^ by, good = from <= last;
                break;
            case shuffle::index:
                from = (l & segment) | (by & ~segment), good = from <= last;
                break;
        }
        if (!good) from = l;
        inside[l] = good ? 1 : 0;
        made[l] = a[from];
        if (((lanes >> from) & 1) == 0) undefined |= 1U << l;
    });
    store(w, i.at(0), lanes & ~undefined, made);
    undefine(w, i.at(0), undefined);
    if (i.elements(0) == 2) store(w, i.at(0, 1), lanes, inside);
}

inline void run_vote(warp& w, const instruction& i, u32_t lanes) {
    const lane_words a = fetched(w, i, i.at(1), lanes);
    u32_t yes = 0;
    for_lanes(lanes, [&](u32_t l) { yes |= static_cast<u32_t>(a[l] & 1) << l; });
    lane_words made;
    const std::string& mode = i.parts[2];
    made.fill(mode == "ballot" ? yes
              : mode == "all"  ? word{yes == lanes}
              : mode == "any"  ? word{yes != 0}
                               : word{yes == 0 || yes == lanes});
    store(w, i.at(0), lanes, made);
}

inline void run_redux(warp& w, const instruction& i, u32_t lanes) {
    const lane_words a = fetched(w, i, i.at(1), lanes);
    word sum = a[first_lane(lanes)];
    for_lanes(lanes & (lanes - 1), [&](u32_t l) { sum = i.lane(sum, a[l], 0); });
    lane_words made;
    made.fill(sum);
    store(w, i.at(0), lanes, made);
}

inline void run_match(warp& w, const instruction& i, u32_t lanes) {
    const lane_words a = fetched(w, i, i.at(1), lanes);
    lane_words made{};
    for_lanes(lanes, [&](u32_t l) { for_lanes(lanes, [&](u32_t k) { made[l] |= a[k] == a[l] ? word{1} << k : 0; }); });
    store(w, i.at(0), lanes, made);
}

inline void run_nothing(warp&, const instruction&, u32_t) {}
inline void run_warp_barrier(warp& w, const instruction&, u32_t lanes) { meet_lanes(w, lanes); }
inline void run_fence(warp& w, const instruction&, u32_t lanes) {
    show_all(w);
    order_fence(w, lanes);
}

inline u32_t live_threads(const block& b) {
    u32_t n = 0;
    for (const auto& w : b.warps) n += static_cast<u32_t>(std::popcount(w->all & ~w->exited));
    return n;
}

/// Lets the waiting warps go if all have arrived.
inline void complete_barrier(block& b, named_barrier& bar) {
    const u32_t expected = bar.whole_block ? live_threads(b) : bar.expected;
    if (bar.here.empty() || bar.arrived < expected) return;
    for (const auto& who : bar.waiting) {
        who.who->barred &= ~who.lanes;
        learn(*who.who, who.lanes, bar.arrived_clock);
        if (who.at->has("red")) {
            lane_words made;
            const u32_t r = bar.reduced;
            made.fill(who.at->has("popc") ? r : who.at->has("and") ? word{r == bar.arrived} : word{r != 0});
            store(*who.who, who.at->at(0), who.lanes, made);
        }
    }
    bar = {};
    ++b.machine->events;
}

/// bar.sync, bar.arrive, bar.red: an aligned one counts the whole warp.
inline void run_barrier(warp& w, const instruction& i, u32_t lanes) {
    show_all(w);
    block& b = *w.home;
    const bool red = i.has("red");
    const bool arrive = i.has("arrive");
    const usz at = red ? 1 : 0;
    const bool counted = i.arguments() > (red ? 3U : 1U);
    const word id = fetch_uniform(w, i, i.at(at), lanes);
    if (id > 15) fail(w, i, first_lane(lanes), "there is no barrier " + std::to_string(id));
    named_barrier& bar = b.barriers[static_cast<usz>(id)];
    const std::string name = "barrier " + std::to_string(id);
    u32_t expected = b.threads;
    if (counted) expected = static_cast<u32_t>(fetch_uniform(w, i, i.at(at + 1), lanes));
    if (counted && (expected == 0 || expected % 32 != 0))
        fail(w, i, first_lane(lanes), name + " waits for " + std::to_string(expected) + " threads, not a multiple of 32");
    if (!bar.here.empty() && (bar.expected != expected || bar.whole_block == counted))
        fail(w, i, first_lane(lanes),
             name + " waits for " + std::to_string(bar.expected) + " threads, here for " + std::to_string(expected));
    const bool aligned = i.needs == gather::whole_warp;
    for (const warp* other : bar.here)
        if (other == &w && aligned) fail(w, i, first_lane(lanes), "the warp arrives a second time at " + name + " before it completes");
    bar.expected = expected;
    bar.whole_block = !counted;
    bar.here.push_back(&w);
    bar.arrived_clock = joined(bar.arrived_clock, publish(w, lanes));
    bar.arrived += counted && aligned ? 32 : static_cast<u32_t>(std::popcount(lanes));
    if (counted && bar.arrived > expected)
        fail(w, i, first_lane(lanes),
             std::to_string(bar.arrived) + " threads arrived at " + name + ", which waits for " + std::to_string(expected));
    if (red) {
        const lane_words p = fetched(w, i, i.at(i.arguments() - 1), lanes);
        for_lanes(lanes, [&](u32_t l) { bar.reduced += static_cast<u32_t>(p[l] & 1); });
    }
    if (!arrive) {
        w.barred |= lanes;
        bar.waiting.push_back({&w, lanes, &i});
    }
    ++b.machine->events;
    complete_barrier(b, bar);
}

}  // namespace netra::test::simt
