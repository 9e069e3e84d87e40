// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a running grid consists of: memory with the state of every byte, barriers, copies in flight, blocks, warps.
#pragma once

#include "support/ptx/clocks.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace netra::test::simt {

enum class byte_state : u8_t { unwritten, written, in_flight, barrier };

/// Bytes of one allocation or of one block's shared memory.
struct bytes_of_memory {
    u64_t base = 0;
    std::vector<u8_t> data{};
    std::vector<byte_state> state{};
    std::string name{};
    std::shared_ptr<shadow_memory> shadow{};
};

/// Unwritten and awaited bytes hold this pattern.
inline constexpr u8_t poison = 0xdb;

struct mbarrier {
    u32_t expected = 0;
    u32_t pending = 0;
    i64_t bytes = 0;  ///< expected minus completed
    u32_t phase = 0;
    u32_t actor = 0;         ///< among vector clocks
    touch made{};            ///< its initialisation
    clock_ptr arrived{};     ///< what those who arrived knew
    clock_ptr completed{};   ///< ... when its last phase completed
    u32_t completed_for = 0; ///< the phase number that `completed` contains
};

struct named_barrier {
    u32_t expected = 0;  ///< threads; 0: nobody has arrived
    u32_t arrived = 0;
    bool whole_block = false;
    u32_t reduced = 0;  ///< bar.red: threads whose predicate is true
    struct waiter {
        warp* who = nullptr;
        u32_t lanes = 0;
        const instruction* at = nullptr;
    };
    clock_ptr arrived_clock{};
    std::vector<waiter> waiting{};
    std::vector<const warp*> here{};  ///< who arrived since it last completed
};

struct machine_state;

struct block {
    machine_state* machine = nullptr;
    u32_t index = 0;
    bytes_of_memory shared{};
    std::map<u32_t, mbarrier> mbarriers{};
    std::array<named_barrier, 16> barriers{};
    std::vector<std::unique_ptr<warp>> warps{};
    u32_t threads = 0;
};

/// A copy whose bytes have not landed; `bytes` 0: the arrival of a thread whose earlier copies must land first.
struct flight {
    warp* by = nullptr;
    u32_t lane = 0;
    u32_t group = 0;  ///< of cp.async
    u32_t to = 0;
    u64_t from = 0;
    u32_t bytes = 0;
    u32_t zeros = 0;  ///< of the bytes, the last ones
    u32_t barrier = none;
    clock_ptr published{};  ///< of an arrival: what its thread had done
    const instruction* at = nullptr;
};

struct warp {
    block* home = nullptr;
    u32_t number = 0;  ///< in the block
    u32_t all = 0;     ///< lanes that exist
    u32_t exited = 0;
    u32_t gathering = 0;  ///< lanes that wait for others of the warp at their pc
    u32_t barred = 0;     ///< lanes that wait at a named barrier, pc already behind it
    std::array<u32_t, 32> pc{};
    std::array<u32_t, 32> members{};  ///< of gathering lanes
    std::vector<word> registers{};    ///< 32 lanes of register 0, of register 1, ...
    std::vector<u32_t> defined{};     ///< lanes in which the register has a value
    std::vector<u32_t> predicates{};  ///< lanes in which it is true
    std::vector<u32_t> predicate_defined{};
    std::vector<flight> copies{};              ///< cp.async, in the order of issue
    std::array<u32_t, 32> open_group{};        ///< cp.async groups committed by a lane
    std::vector<word> last_polled{};           ///< by pc: what a polling load returned
    bool polled = false;                       ///< since the last slice started, without news
    u64_t asleep_at = ~u64_t{0};               ///< event count at which it last polled in vain

    u32_t runnable() const { return all & ~exited & ~gathering & ~barred; }
    bool done() const { return (all & ~exited) == 0; }
};

struct options {
    u64_t stalled_steps = 1'000'000;            ///< scheduler steps in which warps only poll: the program hangs
    u64_t instructions_without_event = 2'000'000'000;  ///< ... in which nothing is stored: it never ends
    u32_t longest_slice = 64;                   ///< instructions of a warp before another may run
    u32_t landing_percent = 25;                 ///< chance, each scheduler step, that a copy lands
    bool unwritten_shared_is_error = true;
    bool unwritten_global_is_error = true;
    bool races_are_errors = true;
};

struct machine_state {
    const program* code = nullptr;
    options with{};
    std::mt19937_64 dice{};
    std::map<u64_t, bytes_of_memory> global{};
    bytes_of_memory* last_used = nullptr;
    std::vector<u8_t> parameters{};
    std::vector<std::unique_ptr<block>> blocks{};
    std::vector<flight> bulk{};
    std::unique_ptr<race_detector> races{};
    u32_t threads_of_block = 0;
    u32_t dynamic_shared = 0;
    u64_t events = 0;        ///< stores, arrivals, landings, exits
    u64_t instructions = 0;  ///< of warps
    u64_t thread_instructions = 0;
    u64_t steps = 0;

    u32_t roll(u32_t below) { return static_cast<u32_t>((dice() >> 32) * below >> 32); }
};

inline std::string hex(u64_t v) {
    char made[24];
    std::snprintf(made, sizeof made, "0x%llx", static_cast<unsigned long long>(v));
    return made;
}

/// Ends the run: what is wrong, and which thread did it at which line.
[[noreturn]] inline void fail(const warp& w, const instruction& i, u32_t lane, const std::string& what) {
    const program& p = *w.home->machine->code;
    throw error(p.entry + ", " + p.describe(static_cast<u32_t>(&i - p.code.data())) + ", block " + std::to_string(w.home->index) + " thread " +
                std::to_string(w.number * 32 + lane) + ": " + what);
}
inline u32_t first_lane(u32_t mask) { return static_cast<u32_t>(std::countr_zero(mask)); }

/// f(lane) for every lane of a mask, upwards.
template <class F>
void for_lanes(u32_t mask, F f) {
    if (mask == ~0U) {
        for (u32_t l = 0; l < 32; ++l) f(l);
        return;
    }
    for (; mask != 0; mask &= mask - 1) f(first_lane(mask));
}

}  // namespace netra::test::simt
