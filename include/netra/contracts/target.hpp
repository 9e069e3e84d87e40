// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Targets (instruction sets) and devices (what one machine has) as records.
#pragma once

#include <netra/contracts/verdict.hpp>

namespace netra::inline v0 {

enum class instruction_set : u8_t { host, ptx, amdgcn };

/// An instruction set in one version, as an assembler names it. `exact` ones ("a") run on that capability alone.
struct target {
    netra::name name{};
    instruction_set isa = instruction_set::ptx;
    u16_t capability = 0;  ///< 90: compute capability 9.0
    bool exact = false;
    u16_t first_isa = 0;  ///< 10 times the first PTX version that knows it; source: "PTX ISA", .target
    friend constexpr bool operator==(const target&, const target&) = default;
};
inline constexpr target sm_80{.name = "sm_80", .capability = 80, .first_isa = 70};
inline constexpr target sm_89{.name = "sm_89", .capability = 89, .first_isa = 78};
inline constexpr target sm_90a{.name = "sm_90a", .capability = 90, .exact = true, .first_isa = 80};
inline constexpr target sm_100a{.name = "sm_100a", .capability = 100, .exact = true, .first_isa = 86};
inline constexpr target sm_120a{.name = "sm_120a", .capability = 120, .exact = true, .first_isa = 87};
/// Every target that netra makes kernels for.
inline constexpr target ptx_targets[] = {sm_80, sm_89, sm_90a, sm_100a, sm_120a};

/// Whether a GPU of that compute capability (86: 8.6) runs what was assembled for `made_for`.
constexpr bool runs_on(const target& made_for, u32_t capability) {
    return made_for.exact ? capability == made_for.capability : capability >= made_for.capability;
}

/// What a GPU has beyond the shared memory of a block; all 0 for a CPU.
struct gpu_record {
    target code{};          ///< what its kernels are made for
    u32_t capability = 0;   ///< 10 times the compute capability: 86 is 8.6
    u32_t registers = 0;    ///< of a multiprocessor, 32 bits each
    u32_t threads = 0;      ///< that a multiprocessor holds at once
    u64_t cache_bytes = 0;  ///< of the second-level cache
    u64_t bandwidth = 0;    ///< of the memory on paper, bytes a second
    friend constexpr bool operator==(const gpu_record&, const gpu_record&) = default;
};

/// What a schedule must fit. `workers` queues run at the same time: threads of a CPU, multiprocessors of a GPU, one block on each.
/// `memory_bytes` 0 means: not known here.
struct device {
    netra::name name{};
    instruction_set isa = instruction_set::host;
    u32_t workers = 1;
    u64_t memory_bytes = 0;
    u64_t shared_bytes = 0;  ///< of a worker, for the tile that it runs (a block's, opted in); 0: it has no memory of its own, as the CPU's
    gpu_record gpu{};
    friend constexpr bool operator==(const device&, const device&) = default;
};

/// The most worker threads that the CPU backend starts.
inline constexpr u32_t max_cpu_workers = 256;

/// The CPU with up to `workers` worker threads.
constexpr device host_cpu(u32_t workers = max_cpu_workers) { return {.name = "cpu", .isa = instruction_set::host, .workers = workers}; }

}  // namespace netra::inline v0
