// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How instructions reach registers and memory; every access is checked.
#pragma once

#include "support/ptx/numbers.hpp"
#include "support/ptx/state.hpp"

#include <algorithm>
#include <bit>

namespace netra::test::simt {

using lane_words = std::array<word, 32>;

inline word special_value(const warp& w, special what, u32_t lane) {
    const block& b = *w.home;
    const machine_state& m = *b.machine;
    switch (what) {
        case special::tid_x:
            return w.number * 32 + lane;
        case special::ntid_x:
            return b.threads;
        case special::ctaid_x:
        case special::smid:
            return b.index;
        case special::nctaid_x:
        case special::nsmid:
            return m.blocks.size();
        case special::laneid:
            return lane;
        case special::warpid:
            return w.number;
        case special::nwarpid:
            return b.warps.size();
        case special::globaltimer:
            return 1'000'000'000 + m.steps * 100;
        case special::clock:
            return static_cast<u32_t>(m.instructions);
        case special::clock64:
            return m.instructions;
        case special::lanemask_eq:
            return 1U << lane;
        case special::lanemask_lt:
            return (1U << lane) - 1;
        case special::lanemask_le:
            return (2U << lane) - 1;
        case special::lanemask_gt:
            return static_cast<u32_t>(~((2ULL << lane) - 1));
        case special::lanemask_ge:
            return static_cast<u32_t>(~((1ULL << lane) - 1));
        case special::dynamic_smem_size:
            return m.dynamic_shared;
        case special::one:
            return 1;
        case special::zero:
            break;
    }
    return 0;
}

inline void require_defined(const warp& w, const instruction& i, u32_t lanes, u32_t defined, const char* kind, u32_t index) {
    const u32_t missing = lanes & ~defined;
    if (missing != 0)
        fail(w, i, first_lane(missing), std::string("reads ") + kind + " number " + std::to_string(index) + ", which has no value yet");
}

/// The values of an operand in the lanes of a mask.
inline void fetch(const warp& w, const instruction& i, const operand& o, u32_t lanes, lane_words& to) {
    switch (o.kind) {
        case operand::reg:
            require_defined(w, i, lanes, w.defined[o.index], "register", o.index);
            std::memcpy(to.data(), w.registers.at(o.index), sizeof to);
            return;
        case operand::predicate: {
            require_defined(w, i, lanes, w.predicate_defined[o.index], "predicate", o.index);
            const u32_t values = o.negated ? ~w.predicates[o.index] : w.predicates[o.index];
            for (u32_t l = 0; l < 32; ++l) to[l] = (values >> l) & 1;
            return;
        }
        case operand::special_register:
            for_lanes(lanes, [&](u32_t l) { to[l] = special_value(w, static_cast<special>(o.index), l); });
            return;
        case operand::number:
            to.fill(o.value);
            return;
        default:
            fail(w, i, first_lane(lanes), "an operand has no value");
    }
}
inline lane_words fetched(const warp& w, const instruction& i, const operand& o, u32_t lanes) {
    lane_words made;
    fetch(w, i, o, lanes, made);
    return made;
}
/// The value that all lanes must agree on.
inline word fetch_uniform(const warp& w, const instruction& i, const operand& o, u32_t lanes) {
    const lane_words values = fetched(w, i, o, lanes);
    const word v = values[first_lane(lanes)];
    for_lanes(lanes, [&](u32_t l) {
        if (values[l] != v) fail(w, i, l, "an operand differs between the lanes of the warp: " + hex(v) + " and " + hex(values[l]));
    });
    return v;
}

inline void store(warp& w, const operand& o, u32_t lanes, const lane_words& from) {
    if (o.kind == operand::reg) {
        word* to = w.registers.at(o.index);
        const word mask = o.bits == 64 ? ~word{0} : (word{1} << o.bits) - 1;
        for_lanes(lanes, [&](u32_t l) { to[l] = from[l] & mask; });
        w.defined[o.index] |= lanes;
    } else if (o.kind == operand::predicate) {
        u32_t values = 0;
        for_lanes(lanes, [&](u32_t l) { values |= static_cast<u32_t>(from[l] & 1) << l; });
        w.predicates[o.index] = (w.predicates[o.index] & ~lanes) | values;
        w.predicate_defined[o.index] |= lanes;
    }
}
/// The register loses its value: what the hardware leaves there is not specified.
inline void undefine(warp& w, const operand& o, u32_t lanes) {
    if (o.kind == operand::reg) w.defined[o.index] &= ~lanes;
    if (o.kind == operand::predicate) w.predicate_defined[o.index] &= ~lanes;
}

inline lane_words addresses(const warp& w, const instruction& i, const operand& o, u32_t lanes) {
    lane_words made;
    if (o.index == none) {
        made.fill(o.value);
        return made;
    }
    require_defined(w, i, lanes, w.defined[o.index], "register", o.index);
    const word* base = w.registers.at(o.index);
    for (u32_t l = 0; l < 32; ++l) made[l] = base[l] + o.value;
    return made;
}

/// A place in memory.
struct place {
    bytes_of_memory* in = nullptr;
    u64_t offset = 0;
    bool shared = false;

    u8_t* data() const { return in->data.data() + offset; }
    byte_state* state() const { return in->state.data() + offset; }
};

inline std::string nearest(const machine_state& m, u64_t address) {
    const bytes_of_memory* best = nullptr;
    u64_t best_distance = ~u64_t{0};
    for (const auto& [base, a] : m.global) {
        const u64_t distance = address < base ? base - address : address - std::min(address, base + a.data.size());
        if (distance < best_distance) best = &a, best_distance = distance;
    }
    if (best == nullptr) return "nothing is allocated";
    return "nearest allocation" + (best->name.empty() ? "" : " " + best->name) + " is " + hex(best->base) + " to " +
           hex(best->base + best->data.size()) + ", " + std::to_string(best_distance) + " bytes away";
}

/// Finds `bytes` at an address; fails where any of them is outside, or the address no multiple of `alignment`.
inline place locate(const warp& w, const instruction& i, u32_t lane, space where, u64_t address, u64_t bytes, u64_t alignment) {
    block& b = *w.home;
    machine_state& m = *b.machine;
    if (address % alignment != 0) fail(w, i, lane, "address " + hex(address) + " is not a multiple of " + std::to_string(alignment));
    if (where == space::generic) {
        where = address >= shared_window && address < shared_window + (1U << 24) ? space::shared : space::global;
        if (where == space::shared) address -= shared_window;
    }
    if (where == space::shared) {
        if (address < shared_base || address - shared_base + bytes > b.shared.data.size())
            fail(w, i, lane,
                 "shared address " + hex(address) + ", " + std::to_string(bytes) + " bytes, is outside the block's " + hex(shared_base) +
                     " to " + hex(shared_base + b.shared.data.size()));
        return {&b.shared, address - shared_base, true};
    }
    bytes_of_memory* in = m.last_used;
    if (in == nullptr || address - in->base >= in->data.size()) {
        auto next = m.global.upper_bound(address);
        in = next == m.global.begin() ? nullptr : &std::prev(next)->second;
    }
    if (in == nullptr || address - in->base > in->data.size() || in->data.size() - (address - in->base) < bytes)
        fail(w, i, lane,
             "global address " + hex(address) + ", " + std::to_string(bytes) + " bytes, is outside every allocation; " +
                 nearest(m, address));
    m.last_used = in;
    return {in, address - in->base, false};
}

[[noreturn]] inline void fail_at_state(const warp& w, const instruction& i, u32_t lane, const place& p, byte_state s, u64_t n, bool reads) {
    const std::string where = (p.shared ? "shared address " : "global address ") + hex(p.in->base + p.offset + n) +
                              (p.shared || p.in->name.empty() ? "" : " (" + p.in->name + " + " + std::to_string(p.offset + n) + ")");
    const std::string access = reads ? "reads " : "writes ";
    if (s == byte_state::unwritten) fail(w, i, lane, access + where + ", which nobody has written");
    if (s == byte_state::in_flight) fail(w, i, lane, access + where + ", where a copy has not landed yet");
    fail(w, i, lane, access + where + ", which belongs to an mbarrier");
}
inline void check_readable(const warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes) {
    const options& with = w.home->machine->with;
    const byte_state* s = p.state();
    for (u64_t n = 0; n < bytes; ++n) {
        if (s[n] == byte_state::written) continue;
        if (s[n] == byte_state::unwritten && !(p.shared ? with.unwritten_shared_is_error : with.unwritten_global_is_error)) continue;
        fail_at_state(w, i, lane, p, s[n], n, true);
    }
}
inline void mark_written(const warp& w, const instruction& i, u32_t lane, const place& p, u64_t bytes) {
    byte_state* s = p.state();
    for (u64_t n = 0; n < bytes; ++n) {
        if (s[n] > byte_state::written) fail_at_state(w, i, lane, p, s[n], n, false);
        s[n] = byte_state::written;
    }
}

/// What changes when these bytes do.
inline u64_t line_of(const warp& w, const place& p, u64_t offset = 0) {
    return ((p.shared ? (u64_t{w.home->index + 1} << 48) : p.in->base) + p.offset + offset) >> 6;
}
inline u64_t mbarrier_key(const warp& w, u64_t address) { return (u64_t{1} << 63) + (u64_t{w.home->index} << 32) + address; }

inline word read_bytes(const u8_t* from, u32_t bytes) {
    word v = 0;
    std::memcpy(&v, from, bytes);
    return v;
}

}  // namespace netra::test::simt
