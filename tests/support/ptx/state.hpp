// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a running grid consists of: memory with the state of every byte, barriers, copies in flight, blocks, warps.
#pragma once

#include "support/ptx/clocks.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
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
    u32_t address = 0;  ///< in the block's shared memory
    u32_t initialised_by = 0;
    bool fenced = false;  ///< bulk copies see the initialisation
    u32_t expected = 0;
    u32_t pending = 0;
    i64_t bytes = 0;  ///< expected minus completed
    u32_t phase = 0;
    u32_t actor = 0;          ///< among vector clocks
    touch made{};             ///< its initialisation
    clock_ptr arrived{};      ///< what those who arrived knew
    clock_ptr completed{};    ///< ... when its last phase completed
    u32_t completed_for = 0;  ///< the phase number that `completed` contains
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
    u32_t mbarriers_made = 0;
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

/// A store to global memory that other warps do not see yet.
struct late_store {
    bytes_of_memory* in = nullptr;
    u64_t offset = 0;
    u32_t bytes = 0;
    u32_t lane = 0;
    word value = 0;
    const instruction* at = nullptr;
    clock_ptr published{};  ///< what a reader learns
};

/// 32 lanes of every register. Pages that nobody touches take no memory.
struct register_file {
    struct release {
        void operator()(word* p) const { std::free(p); }
    };
    std::unique_ptr<word, release> words{};

    void resize(usz registers) {
        words.reset(static_cast<word*>(std::calloc(registers * 32 + 1, sizeof(word))));
        if (words == nullptr) throw error("no memory for registers");
    }
    word* at(u32_t index) const { return words.get() + usz{index} * 32; }
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
    register_file registers{};
    std::vector<u32_t> defined{};     ///< lanes in which the register has a value
    std::vector<u32_t> predicates{};  ///< lanes in which it is true
    std::vector<u32_t> predicate_defined{};
    std::vector<flight> copies{};                    ///< cp.async, in the order of issue
    std::array<u32_t, 32> open_group{};              ///< cp.async groups committed by a lane
    std::vector<late_store> stores{};                ///< no two overlap
    std::vector<word> last_polled{};                 ///< by pc: what a polling load returned
    u64_t polled_at = ~u64_t{0};                     ///< event count at which it last polled in vain in this slice
    bool slow = false;                               ///< in this launch it seldom runs while others can
    bool asleep = false;                             ///< it polled in vain; news in what it watches wakes it
    std::vector<std::pair<u32_t, u32_t>> watched{};  ///< slots of `versions`, and their values when it polled

    u32_t runnable() const { return all & ~exited & ~gathering & ~barred; }
    /// Looks at a place again and again: sleeps until it changes.
    void watch(machine_state& m, u64_t key);
    bool awake(const machine_state& m) const;
    bool done() const { return (all & ~exited) == 0; }
};

struct options {
    u64_t stalled_steps = 1'000'000;                 ///< scheduler steps in which warps only poll: the program hangs
    u64_t instructions_without_event = 300'000'000;  ///< ... in which nothing is stored: it never ends
    u32_t longest_slice = 64;                        ///< instructions of a warp before another may run
    u32_t landing_percent = 0;    ///< chance, each scheduler step, that copies land, that late stores are seen; 0: the seed picks one
    bool stores_are_late = true;  ///< stores to global memory become visible in any order until a fence or barrier
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
    std::array<u32_t, 4096> versions{};  ///< counts changes of lines of memory and of mbarriers, by hash
    u32_t landing = 25;                  ///< landing_percent of this launch
    u64_t events = 0;                    ///< stores, arrivals, landings, exits
    u64_t instructions = 0;              ///< of warps
    std::vector<u64_t> runs{};           ///< of each instruction, by warps
    u64_t thread_instructions = 0;
    u64_t steps = 0;

    static u32_t slot_of(u64_t key) { return static_cast<u32_t>((key * 0x9e3779b97f4a7c15U) >> 52); }
    void changed(u64_t key) {
        ++versions[slot_of(key)];
        ++events;
    }
    u32_t roll(u32_t below) { return static_cast<u32_t>((dice() >> 32) * below >> 32); }
};

inline void warp::watch(machine_state& m, u64_t key) {
    polled_at = m.events;
    const u32_t slot = machine_state::slot_of(key);
    if (watched.empty() || watched.back().first != slot) watched.emplace_back(slot, m.versions[slot]);
}
inline bool warp::awake(const machine_state& m) const {
    return !asleep || std::any_of(watched.begin(), watched.end(), [&](const auto& w) { return m.versions[w.first] != w.second; });
}

inline std::string hex(u64_t v) {
    char made[24];
    std::snprintf(made, sizeof made, "0x%llx", static_cast<unsigned long long>(v));
    return made;
}

/// Ends the run: what is wrong, and which thread did it at which line.
[[noreturn]] inline void fail(const warp& w, const instruction& i, u32_t lane, const std::string& what) {
    const program& p = *w.home->machine->code;
    throw error(p.entry + ", " + p.describe(static_cast<u32_t>(&i - p.code.data())) + ", block " + std::to_string(w.home->index) +
                " thread " + std::to_string(w.number * 32 + lane) + ": " + what);
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
