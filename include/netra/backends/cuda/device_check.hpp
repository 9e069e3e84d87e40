// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a program was made for beside what the machine has: every difference that would make it fail or hang is a sentence, before any
/// launch.
#pragma once

#include <netra/codegen/kernel_image.hpp>

#include <string>
#include <string_view>

namespace netra::inline v0::cuda {

/// What the driver says of one GPU.
struct gpu_properties {
    std::string name;
    u32_t capability = 0;  ///< 10 times the compute capability
    u32_t multiprocessors = 0;
    u32_t registers = 0;     ///< of a multiprocessor
    u32_t threads = 0;       ///< that a multiprocessor holds at once
    u64_t shared_bytes = 0;  ///< that a block may opt in to
    u64_t memory_bytes = 0;
    u64_t cache_bytes = 0;
    u32_t driver_version = 0;    ///< 1000 times the CUDA version's first number, 10 times its second: 12040 is 12.4
    bool cooperative = false;    ///< launches that refuse unless all blocks are resident
    bool mps = false;            ///< the GPU is shared through the Multi-Process Service
    std::string mps_percentage;  ///< of CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, empty when it is not set

    /// A part of a GPU; the driver names it so, as in "NVIDIA A100-SXM4-80GB MIG 3g.40gb".
    bool is_mig_slice() const { return name.find(" MIG ") != std::string::npos; }
};

/// 86 is "8.6".
inline std::string tenths(u32_t value) { return std::to_string(value / 10) + "." + std::to_string(value % 10); }
/// 12040 is "12.4".
inline std::string cuda_version(u32_t version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

/// The first driver that takes a PTX version. Source: "PTX ISA", release notes, PTX ISA release history.
struct ptx_release {
    u32_t ptx;     ///< 10 times the version
    u32_t driver;  ///< as cuDriverGetVersion gives it
};
inline constexpr ptx_release ptx_releases[] = {
    {60, 9000},  {61, 9010},  {62, 9020},  {63, 10000}, {64, 10010}, {65, 10020}, {70, 11000}, {71, 11010}, {72, 11020},
    {73, 11030}, {74, 11040}, {75, 11050}, {76, 11060}, {77, 11070}, {78, 11080}, {80, 12000}, {81, 12010}, {82, 12020},
    {83, 12030}, {84, 12040}, {85, 12050}, {86, 12070}, {87, 12080}, {88, 12090}, {90, 13000}, {91, 13010},
};
/// The newest PTX version, 10 times, that a driver takes for certain; 0 when it takes none of them.
constexpr u32_t newest_ptx(u32_t driver_version) {
    u32_t newest = 0;
    for (const ptx_release& r : ptx_releases)
        if (driver_version >= r.driver) newest = r.ptx;
    return newest;
}
/// The first driver for a PTX version, 0 when that is not known.
constexpr u32_t driver_for(u32_t ptx) {
    for (const ptx_release& r : ptx_releases)
        if (r.ptx >= ptx) return r.driver;
    return 0;
}

/// 10 times the version that a PTX text asks for with .version, 0 when it has none.
inline u32_t ptx_version_of(std::string_view text) {
    const auto at = text.find(".version ");
    if (at == std::string_view::npos) return 0;
    u32_t major = 0;
    u32_t minor = 0;
    usz i = at + 9;
    const auto digit = [&] { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    if (!digit()) return 0;
    while (digit() && major < 100) major = 10 * major + static_cast<u32_t>(text[i++] - '0');
    if (i >= text.size() || text[i++] != '.' || !digit()) return 0;
    while (digit() && minor < 10) minor = 10 * minor + static_cast<u32_t>(text[i++] - '0');
    return 10 * major + minor;
}

/// Why a driver does not take a PTX text, empty when it does. Of drivers newer than the table all versions in it are taken.
inline std::string ptx_refusal(u32_t ptx, u32_t driver_version) {
    if (ptx <= newest_ptx(driver_version)) return {};
    if (driver_for(ptx) == 0) return {};  // newer than this table: the driver itself decides
    return "the kernel's text is PTX " + tenths(ptx) + ", which needs a driver of CUDA " + cuda_version(driver_for(ptx)) +
           " or later; this driver is of CUDA " + cuda_version(driver_version) + " and takes PTX up to " +
           tenths(newest_ptx(driver_version)) + ": update the NVIDIA driver, or choose an older target";
}

/// Why a kernel for `made_for` does not run on a GPU, empty when it does.
inline std::string target_refusal(const target& made_for, const gpu_properties& real) {
    if (made_for.isa == instruction_set::ptx && runs_on(made_for, real.capability)) return {};
    std::string fitting;
    for (const target& t : ptx_targets)
        if (runs_on(t, real.capability)) fitting = t.name.d;
    return "the kernel is for " + std::string(made_for.name.d) + " (compute capability " + tenths(made_for.capability) +
           (made_for.exact ? ", no other" : " or later") + "), " + real.name + " has compute capability " + tenths(real.capability) +
           (fitting.empty() ? ": netra has no target for it" : ": choose the target " + fitting);
}

/// Why a whole-model program, whose blocks wait for each other, cannot run on a GPU; empty when it can.
inline std::string device_refusal(const device& record, const gpu_properties& real) {
    const std::string made_for = std::string("the program is made for ") + record.name.d;
    if (record.isa != instruction_set::ptx) return made_for + ", which is no GPU of NVIDIA; " + real.name + " cannot run it";
    const auto counts = [&](const char* what, u64_t wanted, u64_t found, const std::string& remedy) {
        return made_for + " with " + std::to_string(wanted) + " " + what + ", " + real.name + " has " + std::to_string(found) + ": " +
               remedy;
    };
    const std::string remake = "make the program for the GPU that this is";
    if (real.is_mig_slice())
        return counts("multiprocessors", record.workers, real.multiprocessors,
                      "it is a MIG slice; choose a GPU that is not split (CUDA_VISIBLE_DEVICES), or turn MIG off (nvidia-smi -mig 0)");
    if (real.capability != record.gpu.capability)
        return made_for + " of compute capability " + tenths(record.gpu.capability) + ", " + real.name + " has " + tenths(real.capability) +
               ": " + remake;
    if (real.mps && real.multiprocessors != record.workers)
        return counts("multiprocessors", record.workers, real.multiprocessors,
                      "MPS gives this program a part of the GPU (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is " +
                          (real.mps_percentage.empty() ? "not set" : real.mps_percentage) + "); run it without MPS");
    if (real.mps)
        return made_for + ", whose blocks must all run at once, and " + real.name + " is shared through MPS" +
               (real.mps_percentage.empty()
                    ? ""
                    : ", of which CUDA_MPS_ACTIVE_THREAD_PERCENTAGE leaves this program " + real.mps_percentage + " %") +
               ": another program could hold multiprocessors that these blocks wait for; run it without MPS";
    if (real.multiprocessors != record.workers) return counts("multiprocessors", record.workers, real.multiprocessors, remake);
    if (real.shared_bytes < record.shared_bytes)
        return counts("bytes of shared memory for a block", record.shared_bytes, real.shared_bytes, remake);
    if (real.registers < record.gpu.registers)
        return counts("registers for a multiprocessor", record.gpu.registers, real.registers, remake);
    if (real.threads < record.gpu.threads) return counts("resident threads for a multiprocessor", record.gpu.threads, real.threads, remake);
    if (!real.cooperative)
        return made_for + ", whose blocks must all run at once, and the driver of " + real.name +
               " has no cooperative launch: update the NVIDIA driver";
    return {};
}

/// Why a launch asks for more than a block or the GPU has, empty when it fits. `per_multiprocessor`: blocks of this kernel that one
/// multiprocessor holds; `static_shared`: what the kernel declares beside the launch.
inline std::string launch_refusal(const char* entry, const kernel_launch& launch, u32_t per_multiprocessor, u64_t static_shared,
                                  const gpu_properties& real) {
    const std::string kernel = std::string("the kernel ") + entry;
    if (launch.shared_bytes + static_shared > real.shared_bytes)
        return kernel + " needs " + std::to_string(launch.shared_bytes + static_shared) + " bytes of shared memory, a block of " +
               real.name + " has at most " + std::to_string(real.shared_bytes) + ": use a smaller tile or ring";
    if (per_multiprocessor == 0)
        return kernel + " with " + std::to_string(launch.threads) + " threads and " + std::to_string(launch.shared_bytes) +
               " bytes of shared memory a block does not fit on a multiprocessor of " + real.name + ", which has " +
               std::to_string(real.registers) + " registers and holds " + std::to_string(real.threads) +
               " threads: use fewer threads or registers";
    const u64_t resident = u64_t{per_multiprocessor} * real.multiprocessors;
    if (launch.resident && launch.blocks > resident)
        return kernel + " has " + std::to_string(launch.blocks) + " blocks that wait for each other, " + real.name + " holds " +
               std::to_string(resident) + " of them at once (" + std::to_string(per_multiprocessor) + " on each of " +
               std::to_string(real.multiprocessors) + " multiprocessors): it would hang; launch no more than that";
    return {};
}

}  // namespace netra::inline v0::cuda
