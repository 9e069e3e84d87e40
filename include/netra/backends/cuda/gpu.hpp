// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// One GPU: its primary context, what it has, and whether a program that was made for a device record may run on it.
#pragma once

#include <netra/backends/cuda/device_check.hpp>
#include <netra/backends/cuda/driver.hpp>

#include <cstdlib>

namespace netra::inline v0::cuda {

/// One GPU with its primary context, current on the thread that made it.
class gpu {
public:
    /// @throws backend_error when there is no driver or no such GPU
    explicit gpu(int index = 0) : api_(driver::get()) {
        int count = 0;
        api_.check(api_.device_count(&count), "cuDeviceGetCount");
        if (index < 0 || index >= count)
            throw backend_error("CUDA: there is no GPU " + std::to_string(index) + "; the driver sees " + std::to_string(count));
        api_.check(api_.device_get(&id_, index), "cuDeviceGet");
        api_.check(api_.context_retain(&context_, id_), "cuDevicePrimaryCtxRetain");
        make_current();
    }
    ~gpu() {
        if (api_.may_release()) api_.context_release(id_);
    }
    gpu(const gpu&) = delete;
    gpu& operator=(const gpu&) = delete;

    const driver& api() const { return api_; }
    /// For further threads that use this GPU.
    void make_current() const { api_.check(api_.context_set(context_), "cuCtxSetCurrent"); }
    void synchronize() const { api_.check(api_.synchronize(), "cuCtxSynchronize"); }

    std::string name() const {
        char text[128]{};
        api_.check(api_.device_name(text, sizeof text - 1, id_), "cuDeviceGetName");
        return text;
    }
    int get(attribute what) const {
        int value = 0;
        api_.check(api_.device_attribute(&value, static_cast<int>(what), id_), "cuDeviceGetAttribute");
        return value;
    }
    /// 90: compute capability 9.0.
    int capability() const { return 10 * get(attribute::capability_major) + get(attribute::capability_minor); }
    std::size_t free_memory() const {
        std::size_t free = 0;
        std::size_t total = 0;
        api_.check(api_.memory_info(&free, &total), "cuMemGetInfo");
        return free;
    }

    gpu_properties properties() const {
        const auto count = [this](attribute what) { return static_cast<u32_t>(get(what)); };
        std::size_t memory = 0;
        int version = 0;
        int mps = 0;
        api_.check(api_.device_total_memory(&memory, id_), "cuDeviceTotalMem");
        api_.check(api_.driver_version(&version), "cuDriverGetVersion");
        if (api_.device_attribute(&mps, static_cast<int>(attribute::mps_enabled), id_) != 0)
            mps = 0;  // drivers before CUDA 12.1 do not know it
        const char* percentage = std::getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
        return {.name = name(),
                .capability = static_cast<u32_t>(capability()),
                .multiprocessors = count(attribute::multiprocessors),
                .registers = count(attribute::registers_per_multiprocessor),
                .threads = count(attribute::threads_per_multiprocessor),
                .shared_bytes = count(attribute::max_shared_per_block_optin),
                .memory_bytes = memory,
                .cache_bytes = count(attribute::cache_bytes),
                .driver_version = static_cast<u32_t>(version),
                .cooperative = get(attribute::cooperative_launch) != 0,
                .mps = mps != 0,
                .mps_percentage = percentage == nullptr ? "" : percentage};
    }

    /// @throws backend_error that names the record's value, this GPU's and what to do, when a program for that device cannot run here
    void refuse_other_than(const device& record) const {
        if (const std::string why = device_refusal(record, properties()); !why.empty()) throw backend_error("CUDA: " + why);
    }

private:
    const driver& api_;
    device_id id_ = 0;
    context context_ = nullptr;
};

}  // namespace netra::inline v0::cuda
