// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A GPU made of nothing: memory and launches of PTX text, in an order of instructions that a seed picks.
#pragma once

#include "support/ptx/schedule.hpp"

#include <initializer_list>
#include <span>

namespace netra::test::simt {

/// machine m{seed}; const u64_t x = m.upload(values), y = m.allocate(bytes); m.launch(parse(text), blocks, threads, shared_bytes, {x, y});
class machine {
public:
    explicit machine(u64_t seed) { state_.dice.seed(seed); }

    /// Of the orders that follow.
    void set_seed(u64_t seed) { state_.dice.seed(seed); }

    /// May be changed before a launch.
    options& settings() { return state_.with; }

    /// Memory that nobody has written: reading it is an error. The address is a multiple of 256.
    u64_t allocate(u64_t bytes, const std::string& name = {}) {
        bytes_of_memory made;
        made.base = next_;
        made.name = name;
        made.data.assign(bytes, poison);
        made.state.assign(bytes, byte_state::unwritten);
        next_ += (bytes + 255) / 256 * 256 + 256;
        const u64_t base = made.base;
        state_.global.emplace(base, std::move(made));
        state_.last_used = nullptr;
        return base;
    }
    u64_t upload_bytes(std::span<const std::byte> from, const std::string& name = {}) {
        const u64_t at = allocate(from.size(), name);
        write_bytes(at, from);
        return at;
    }
    template <class T>
    u64_t upload(const std::vector<T>& from, const std::string& name = {}) {
        return upload_bytes(std::as_bytes(std::span(from)), name);
    }
    void fill(u64_t address, u8_t value, u64_t bytes) {
        bytes_of_memory& in = find(address, bytes);
        std::fill_n(in.data.begin() + static_cast<std::ptrdiff_t>(address - in.base), bytes, value);
        std::fill_n(in.state.begin() + static_cast<std::ptrdiff_t>(address - in.base), bytes, byte_state::written);
    }
    void write_bytes(u64_t address, std::span<const std::byte> from) {
        if (from.empty()) return;
        fill(address, 0, from.size());
        bytes_of_memory& in = find(address, from.size());
        std::memcpy(in.data.data() + (address - in.base), from.data(), from.size());
    }
    template <class T>
    void write(u64_t address, const std::vector<T>& from) {
        write_bytes(address, std::as_bytes(std::span(from)));
    }
    template <class T>
    std::vector<T> read(u64_t address, usz count) {
        std::vector<T> made(count);
        const bytes_of_memory& in = find(address, count * sizeof(T));
        if (count != 0) std::memcpy(made.data(), in.data.data() + (address - in.base), count * sizeof(T));
        return made;
    }
    /// The memory at an address, with the state of every byte.
    bytes_of_memory& find(u64_t address, u64_t bytes) {
        auto next = state_.global.upper_bound(address);
        if (next == state_.global.begin()) throw error("nothing is allocated at " + hex(address));
        bytes_of_memory& in = std::prev(next)->second;
        if (address - in.base > in.data.size() || in.data.size() - (address - in.base) < bytes)
            throw error("less is allocated at " + hex(address));
        return in;
    }

    /// Runs all blocks until every thread has left; throws error for anything that the hardware would not define, and for a hang.
    void launch(const program& p, u32_t blocks, u32_t threads, u32_t shared_bytes, std::span<const u64_t> arguments) {
        if (blocks == 0 || threads == 0 || threads > 1024)
            throw error("a launch of " + std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads");
        if (p.max_threads != 0 && threads > p.max_threads)
            throw error(p.entry + " takes at most " + std::to_string(p.max_threads) + " threads, not " + std::to_string(threads));
        if (arguments.size() != p.parameters.size())
            throw error(p.entry + " takes " + std::to_string(p.parameters.size()) + " arguments, not " + std::to_string(arguments.size()));
        state_.code = &p;
        state_.dynamic_shared = shared_bytes;
        state_.parameters.clear();
        state_.bulk.clear();
        for (usz k = 0; k < arguments.size(); ++k) {
            while (state_.parameters.size() % p.parameters[k].bytes != 0) state_.parameters.push_back(0);
            for (u32_t b = 0; b < p.parameters[k].bytes; ++b) state_.parameters.push_back(static_cast<u8_t>(arguments[k] >> (8 * b)));
        }
        // some launches have slow copies, some have slow warps
        static constexpr u32_t landings[] = {1, 5, 25, 60};
        state_.landing = state_.with.landing_percent != 0 ? state_.with.landing_percent : landings[state_.roll(4)];
        slow_percent_ = state_.roll(2) == 0 ? 0 : 25;
        state_.blocks.clear();
        for (u32_t b = 0; b < blocks; ++b) state_.blocks.push_back(new_block(p, b, threads, shared_bytes));
        if (state_.runs.size() != p.code.size()) state_.runs.assign(p.code.size(), 0);
        prepare_races(blocks, (threads + 31) / 32);
        scheduler(state_).run();
        state_.blocks.clear();
    }
    void launch(const program& p, u32_t blocks, u32_t threads, u32_t shared_bytes, std::initializer_list<u64_t> arguments) {
        launch(p, blocks, threads, shared_bytes, std::span<const u64_t>(arguments.begin(), arguments.size()));
    }

    /// How often warps have run each instruction of the program of all launches so far.
    const std::vector<u64_t>& runs() const { return state_.runs; }
    /// Instructions that single threads ran, in all launches.
    u64_t thread_instructions() const { return state_.thread_instructions; }
    u64_t steps() const { return state_.steps; }

private:
    void prepare_races(u32_t blocks, u32_t warps_of_block) {
        state_.races.reset();
        for (auto& [base, memory] : state_.global) memory.shadow.reset();
        if (!state_.with.races_are_errors) return;
        state_.races = std::make_unique<race_detector>();
        state_.races->warps_of_block = warps_of_block;
        state_.races->warps.resize(usz{blocks} * warps_of_block);
    }

    std::unique_ptr<block> new_block(const program& p, u32_t index, u32_t threads, u32_t shared_bytes) {
        auto made = std::make_unique<block>();
        made->machine = &state_;
        made->index = index;
        made->threads = threads;
        made->shared.base = shared_base;
        made->shared.data.assign(p.static_shared + shared_bytes, poison);
        made->shared.state.assign(p.static_shared + shared_bytes, byte_state::unwritten);
        for (u32_t first = 0; first < threads; first += 32) {
            auto w = std::make_unique<warp>();
            w->home = made.get();
            w->number = first / 32;
            w->slow = state_.roll(100) < slow_percent_;
            w->all = threads - first >= 32 ? ~0U : (1U << (threads - first)) - 1;
            w->registers.resize(p.registers);
            w->defined.assign(p.registers, 0);
            w->predicates.assign(p.predicates, 0);
            w->predicate_defined.assign(p.predicates, 0);
            made->warps.push_back(std::move(w));
        }
        return made;
    }

    machine_state state_{};
    u32_t slow_percent_ = 0;
    u64_t next_ = 0x1000'0000'0000;
};

}  // namespace netra::test::simt
