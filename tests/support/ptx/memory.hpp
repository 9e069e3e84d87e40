// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Moves, loads, stores, atomics.
#pragma once

#include "support/ptx/convert.hpp"

namespace netra::test::simt {

inline word extended(const instruction& i, word v) {
    if (!i.is_signed || i.bytes == 8) return v;
    const u32_t shift = 64 - 8U * i.bytes;
    return to_word(from_word<i64_t>(v << shift) >> shift);
}

/// mov: a value, halves packed into a register, a register taken apart, or the same number of registers on both sides.
inline void run_mov(warp& w, const instruction& i, u32_t lanes) {
    const usz to = i.elements(0);
    const usz from = i.elements(1);
    if (to == from) {
        std::vector<lane_words> values;
        for (usz k = 0; k < from; ++k) values.push_back(fetched(w, i, i.at(1, k), lanes));
        for (usz k = 0; k < to; ++k) store(w, i.at(0, k), lanes, values[k]);
    } else if (from == 1) {
        lane_words v = fetched(w, i, i.at(1), lanes);
        const u32_t bits = 8U * i.bytes / static_cast<u32_t>(to);
        for (usz k = 0; k < to; ++k) {
            store(w, i.at(0, k), lanes, v);
            for (word& x : v) x = bits == 64 ? 0 : x >> bits;
        }
    } else {
        const u32_t bits = 8U * i.bytes / static_cast<u32_t>(from);
        lane_words made{};
        for (usz k = 0; k < from; ++k) {
            const lane_words v = fetched(w, i, i.at(1, k), lanes);
            for_lanes(lanes, [&](u32_t l) { made[l] |= (v[l] & ((word{1} << bits) - 1)) << (bits * k); });
        }
        store(w, i.at(0), lanes, made);
    }
}
inline void run_mov_one(warp& w, const instruction& i, u32_t lanes) {
    lane_words v;
    fetch(w, i, i.at(1), lanes, v);
    store(w, i.at(0), lanes, v);
}

/// cvta: generic addresses of shared memory start at shared_window, those of global memory are global addresses.
inline word cvta_to_shared(word a, word, word) { return a - shared_window; }
inline word cvta_from_shared(word a, word, word) { return a + shared_window; }
inline word same_word(word a, word, word) { return a; }

inline void run_load_parameter(warp& w, const instruction& i, u32_t lanes) {
    const std::vector<u8_t>& from = w.home->machine->parameters;
    for (usz k = 0; k < i.elements(0); ++k) {
        lane_words v;
        const u64_t at = i.at(1).value + k * i.bytes;
        if (at + i.bytes > from.size()) fail(w, i, first_lane(lanes), "reads behind the parameters");
        v.fill(extended(i, read_bytes(from.data() + at, i.bytes)));
        store(w, i.at(0, k), lanes, v);
    }
}

/// Notes a poll that brought no news.
inline void note_poll(warp& w, const instruction& i, word value, const std::vector<u64_t>& lines) {
    machine_state& m = *w.home->machine;
    if (w.last_polled.empty()) w.last_polled.resize(m.code->code.size(), ~word{0} - 1);
    word& last = w.last_polled[static_cast<usz>(&i - m.code->code.data())];
    if (last == value)
        for (const u64_t line : lines) w.watch(m, line);
    last = value;
}

/// Other warps see the store from now on.
inline void show(warp& w, const late_store& s) {
    machine_state& m = *w.home->machine;
    const place p{s.in, s.offset, false};
    mark_written(w, *s.at, s.lane, p, s.bytes);
    std::memcpy(p.data(), &s.value, s.bytes);
    if (s.at->strong) order_store(w, p, 0, s.published, false);
    m.changed(line_of(w, p));
}
inline void show_all(warp& w) {
    for (const late_store& s : w.stores) show(w, s);
    w.stores.clear();
}
/// A warp sees its own stores, and stores to one place stay in order.
inline void show_overlapping(warp& w, const place& p, u64_t bytes) {
    for (usz k = 0; k < w.stores.size();) {
        const late_store& s = w.stores[k];
        if (s.in == p.in && s.offset < p.offset + bytes && p.offset < s.offset + s.bytes) {
            show(w, s);
            w.stores[k] = w.stores.back();
            w.stores.pop_back();
        } else {
            ++k;
        }
    }
}
/// Some of the stores, in a random order.
inline void show_some(warp& w) {
    machine_state& m = *w.home->machine;
    if (w.stores.empty()) return;
    for (u32_t n = 1 + m.roll(static_cast<u32_t>(w.stores.size())); n > 0; --n) {
        const usz k = m.roll(static_cast<u32_t>(w.stores.size()));
        show(w, w.stores[k]);
        w.stores[k] = w.stores.back();
        w.stores.pop_back();
    }
}
inline constexpr usz most_late_stores = 256;

inline void run_load(warp& w, const instruction& i, u32_t lanes) {
    const usz n = i.elements(0);
    const u32_t bytes = i.bytes;
    const u64_t whole = n * bytes;
    const lane_words at = addresses(w, i, i.at(1), lanes);
    std::array<lane_words, 8> values;
    word seen = 0;
    std::vector<u64_t> lines;
    for_lanes(lanes, [&](u32_t l) {
        const place p = locate(w, i, l, i.where, at[l], whole, whole);
        if (!p.shared && !w.stores.empty()) show_overlapping(w, p, whole);
        check_readable(w, i, l, p, whole);
        if (i.is_constant) observe_constant_read(w, i, l, p, whole);
        observe_read(w, i, l, p, whole, i.strong);
        for (usz k = 0; i.strong && k < n; ++k) order_load(w, l, p, k * bytes, i.acquires);
        for (usz k = 0; k < n; ++k) {
            const word v = extended(i, read_bytes(p.data() + k * bytes, bytes));
            values[k][l] = v;
            seen = seen * 0x9e3779b97f4a7c15U + v;
        }
        if (i.polls && (lines.empty() || lines.back() != line_of(w, p))) lines.push_back(line_of(w, p));
    });
    for (usz k = 0; k < n; ++k) store(w, i.at(0, k), lanes, values[k]);
    if (i.polls) note_poll(w, i, seen, lines);
}

inline void run_store(warp& w, const instruction& i, u32_t lanes) {
    machine_state& m = *w.home->machine;
    const usz n = i.elements(1);
    const u32_t bytes = i.bytes;
    const u64_t whole = n * bytes;
    const lane_words at = addresses(w, i, i.at(0), lanes);
    std::array<lane_words, 8> values;
    for (usz k = 0; k < n; ++k) fetch(w, i, i.at(1, k), lanes, values[k]);
    if (i.releases) show_all(w);
    for_lanes(lanes, [&](u32_t l) {
        const place p = locate(w, i, l, i.where, at[l], whole, whole);
        const bool late = !p.shared && !i.releases && m.with.stores_are_late;
        if (late)
            show_overlapping(w, p, whole);
        else
            mark_written(w, i, l, p, whole);
        observe_write(w, i, l, p, whole, i.strong);
        const clock_ptr told = i.strong ? told_by_store(w, l, i.releases, p.shared) : nullptr;
        for (usz k = 0; k < n; ++k) {
            if (late) {
                w.stores.push_back({p.in, p.offset + k * bytes, bytes, l, values[k][l], &i, told});
                continue;
            }
            std::memcpy(p.data() + k * bytes, &values[k][l], bytes);
            if (i.strong) order_store(w, p, k * bytes, told, false);
        }
        if (!late) m.changed(line_of(w, p));
    });
    while (w.stores.size() > most_late_stores) show_some(w);
}

/// atom and red: `lane` gives the new value from the old one and the operands.
inline void run_atomic(warp& w, const instruction& i, u32_t lanes) {
    const usz shift = i.parts[0] == "red" ? 0 : 1;  // red has no destination
    const lane_words at = addresses(w, i, i.at(shift), lanes);
    lane_words b = fetched(w, i, i.at(shift + 1), lanes);
    lane_words c{};
    if (i.arguments() > shift + 2) fetch(w, i, i.at(shift + 2), lanes, c);
    lane_words old{};
    const u32_t bytes = i.bytes;
    std::vector<u64_t> lines;
    if (i.releases) show_all(w);
    for_lanes(lanes, [&](u32_t l) {
        const place p = locate(w, i, l, i.where, at[l], bytes, bytes);
        if (!p.shared) show_overlapping(w, p, bytes);
        check_readable(w, i, l, p, bytes);
        observe_read(w, i, l, p, bytes, true);
        observe_write(w, i, l, p, bytes, true);
        order_load(w, l, p, 0, i.acquires);
        order_store(w, p, 0, told_by_store(w, l, i.releases, p.shared), true);
        lines.push_back(line_of(w, p));
        old[l] = read_bytes(p.data(), bytes);
        const word made = i.lane(old[l], b[l], c[l]);
        mark_written(w, i, l, p, bytes);
        std::memcpy(p.data(), &made, bytes);
        if (made != old[l]) w.home->machine->changed(line_of(w, p));
    });
    if (shift == 1) {
        store(w, i.at(0), lanes, old);
        if (i.polls) note_poll(w, i, old[first_lane(lanes)], lines);
    }
}

/// The new value of an atomic, by operation and type; cas has the value to compare first.
inline lane_function atomic_function(const std::string& operation, const std::string& type) {
    static const std::unordered_map<std::string, lane_function> table = {
        {"exch", [](word, word b, word) -> word { return b; }},
        {"cas.b32", [](word a, word b, word c) -> word { return from_word<u32_t>(a) == from_word<u32_t>(b) ? c : a; }},
        {"cas.b64", [](word a, word b, word c) -> word { return a == b ? c : a; }},
        {"inc.u32", [](word a, word b, word) -> word { return from_word<u32_t>(a) >= from_word<u32_t>(b) ? 0 : a + 1; }},
        {"dec.u32", [](word a, word b, word) -> word { return a == 0 || from_word<u32_t>(a) > from_word<u32_t>(b) ? b : a - 1; }},
    };
    for (const std::string& key : {operation, operation + "." + type})
        if (const auto found = table.find(key); found != table.end()) return found->second;
    const auto found = lane_functions().find(operation + "." + type);  // add, min, max, and, or, xor
    return found == lane_functions().end() ? nullptr : found->second;
}

}  // namespace netra::test::simt
