// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Targets (instruction sets) and devices (what one machine has) as records.
#pragma once

#include <netra/contracts/verdict.hpp>

namespace netra::inline v0 {

enum class instruction_set : u8_t { host, ptx, amdgcn };

/// What a schedule must fit. `workers` queues run at the same time; `memory_bytes` 0 means: not known here.
struct device {
    netra::name name{};
    instruction_set isa = instruction_set::host;
    u32_t workers = 1;
    u64_t memory_bytes = 0;
    u64_t shared_bytes = 0;  ///< of a worker, for the tile that it runs; 0: it has no memory of its own, as the CPU's
    friend constexpr bool operator==(const device&, const device&) = default;
};

/// The most worker threads that the CPU backend starts.
inline constexpr u32_t max_cpu_workers = 256;

/// The CPU with up to `workers` worker threads.
constexpr device host_cpu(u32_t workers = max_cpu_workers) { return {.name = "cpu", .isa = instruction_set::host, .workers = workers}; }

}  // namespace netra::inline v0
