// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The GPUs that netra makes whole-model kernels for. The CUDA backend compares a record with the real GPU before it launches.
/// Shared memory, registers and threads: "CUDA C++ Programming Guide", technical specifications per compute capability. What the
/// other figures come from stands beside each record. Memory is what the data sheet says, in powers of ten; drivers keep some of it back.
#pragma once

#include <netra/contracts/target.hpp>

namespace netra::inline v0 {

namespace detail {
inline constexpr u64_t kib = 1024;
inline constexpr u64_t mib = 1024 * kib;
inline constexpr u64_t gb = 1'000'000'000;
inline constexpr u32_t registers_of_all = 65536;  // of a multiprocessor, since compute capability 8.0
}  // namespace detail

/// "NVIDIA A100 Tensor Core GPU Architecture" (108 multiprocessors, 40 MB), data sheet of the A100 80GB SXM (80 GB, 2039 GB/s).
inline constexpr device a100{.name = "a100",
                             .isa = instruction_set::ptx,
                             .workers = 108,
                             .memory_bytes = 80 * detail::gb,
                             .shared_bytes = 163 * detail::kib,
                             .gpu = {.code = sm_80,
                                     .capability = 80,
                                     .registers = detail::registers_of_all,
                                     .threads = 2048,
                                     .cache_bytes = 40 * detail::mib,
                                     .bandwidth = 2039 * detail::gb}};

/// What its driver reports (80 multiprocessors, 6 MB), Amazon EC2 G5 instances (24 GB), data sheet of the A10 (600 GB/s).
inline constexpr device a10g{.name = "a10g",
                             .isa = instruction_set::ptx,
                             .workers = 80,
                             .memory_bytes = 24 * detail::gb,
                             .shared_bytes = 99 * detail::kib,
                             .gpu = {.code = sm_80,
                                     .capability = 86,
                                     .registers = detail::registers_of_all,
                                     .threads = 1536,
                                     .cache_bytes = 6 * detail::mib,
                                     .bandwidth = 600 * detail::gb}};

/// "NVIDIA Ada GPU Architecture" (L40: 142 multiprocessors, 96 MB, the L40S has the same), data sheet of the L40S (48 GB, 864 GB/s).
inline constexpr device l40s{.name = "l40s",
                             .isa = instruction_set::ptx,
                             .workers = 142,
                             .memory_bytes = 48 * detail::gb,
                             .shared_bytes = 99 * detail::kib,
                             .gpu = {.code = sm_89,
                                     .capability = 89,
                                     .registers = detail::registers_of_all,
                                     .threads = 1536,
                                     .cache_bytes = 96 * detail::mib,
                                     .bandwidth = 864 * detail::gb}};

/// What its driver reports (58 multiprocessors, 48 MB), data sheet of the L4 (24 GB, 300 GB/s).
inline constexpr device l4{.name = "l4",
                           .isa = instruction_set::ptx,
                           .workers = 58,
                           .memory_bytes = 24 * detail::gb,
                           .shared_bytes = 99 * detail::kib,
                           .gpu = {.code = sm_89,
                                   .capability = 89,
                                   .registers = detail::registers_of_all,
                                   .threads = 1536,
                                   .cache_bytes = 48 * detail::mib,
                                   .bandwidth = 300 * detail::gb}};

/// "NVIDIA Ada GPU Architecture" (128 multiprocessors, 72 MB, 24 GB, 1008 GB/s).
inline constexpr device rtx4090{.name = "rtx4090",
                                .isa = instruction_set::ptx,
                                .workers = 128,
                                .memory_bytes = 24 * detail::gb,
                                .shared_bytes = 99 * detail::kib,
                                .gpu = {.code = sm_89,
                                        .capability = 89,
                                        .registers = detail::registers_of_all,
                                        .threads = 1536,
                                        .cache_bytes = 72 * detail::mib,
                                        .bandwidth = 1008 * detail::gb}};

/// "NVIDIA H100 Tensor Core GPU Architecture" (SXM5: 132 multiprocessors, 50 MB), data sheet of the H100 SXM (80 GB, 3.35 TB/s).
inline constexpr device h100_sxm{.name = "h100_sxm",
                                 .isa = instruction_set::ptx,
                                 .workers = 132,
                                 .memory_bytes = 80 * detail::gb,
                                 .shared_bytes = 227 * detail::kib,
                                 .gpu = {.code = sm_90a,
                                         .capability = 90,
                                         .registers = detail::registers_of_all,
                                         .threads = 2048,
                                         .cache_bytes = 50 * detail::mib,
                                         .bandwidth = 3350 * detail::gb}};

/// What its driver reports (132 multiprocessors, 60 MB), data sheet of the H200 SXM (141 GB, 4.8 TB/s).
inline constexpr device h200{.name = "h200",
                             .isa = instruction_set::ptx,
                             .workers = 132,
                             .memory_bytes = 141 * detail::gb,
                             .shared_bytes = 227 * detail::kib,
                             .gpu = {.code = sm_90a,
                                     .capability = 90,
                                     .registers = detail::registers_of_all,
                                     .threads = 2048,
                                     .cache_bytes = 60 * detail::mib,
                                     .bandwidth = 4800 * detail::gb}};

/// What its driver reports (148 multiprocessors), "NVIDIA Blackwell Tuning Guide" (126 MB), data sheet of the HGX B200 (180 GB, 8 TB/s a
/// GPU).
inline constexpr device b200{.name = "b200",
                             .isa = instruction_set::ptx,
                             .workers = 148,
                             .memory_bytes = 180 * detail::gb,
                             .shared_bytes = 227 * detail::kib,
                             .gpu = {.code = sm_100a,
                                     .capability = 100,
                                     .registers = detail::registers_of_all,
                                     .threads = 2048,
                                     .cache_bytes = 126 * detail::mib,
                                     .bandwidth = 8000 * detail::gb}};

/// "NVIDIA RTX Blackwell GPU Architecture" (170 multiprocessors, 96 MB, 32 GB, 1792 GB/s).
inline constexpr device rtx5090{.name = "rtx5090",
                                .isa = instruction_set::ptx,
                                .workers = 170,
                                .memory_bytes = 32 * detail::gb,
                                .shared_bytes = 99 * detail::kib,
                                .gpu = {.code = sm_120a,
                                        .capability = 120,
                                        .registers = detail::registers_of_all,
                                        .threads = 1536,
                                        .cache_bytes = 96 * detail::mib,
                                        .bandwidth = 1792 * detail::gb}};

inline constexpr device gpu_devices[] = {a100, a10g, l40s, l4, rtx4090, h100_sxm, h200, b200, rtx5090};

}  // namespace netra::inline v0
