// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The CUDA backend: opens a GPU, loads kernel images, owns device memory, launches and times.
#pragma once

#include <netra/backends/cuda/driver.hpp>
#include <netra/codegen/kernel_image.hpp>

#include <span>
#include <utility>
#include <vector>

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
        api_.check(api_.context_set(context_), "cuCtxSetCurrent");
    }
    ~gpu() { api_.context_release(id_); }
    gpu(const gpu&) = delete;
    gpu& operator=(const gpu&) = delete;

    const driver& api() const { return api_; }
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
    void synchronize() const { api_.check(api_.synchronize(), "cuCtxSynchronize"); }

  private:
    const driver& api_;
    device_id id_ = 0;
    context context_ = nullptr;
};

/// Device memory of one owner.
class buffer_memory {
  public:
    buffer_memory(const gpu& where, std::size_t bytes) : api_(&where.api()), bytes_(bytes) {
        if (bytes != 0) api_->check(api_->allocate(&at_, bytes), "cuMemAlloc");
    }
    ~buffer_memory() {
        if (at_ != 0) api_->release(at_);
    }
    buffer_memory(buffer_memory&& other) noexcept : api_(other.api_), at_(std::exchange(other.at_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
    buffer_memory& operator=(buffer_memory&&) = delete;

    device_memory at() const { return at_; }
    std::size_t bytes() const { return bytes_; }
    void fill(u8_t value) { api_->check(api_->fill(at_, value, bytes_), "cuMemsetD8"); }
    void write(std::span<const std::byte> from) {
        refuse_other_size(from.size());
        api_->check(api_->copy_to_device(at_, from.data(), bytes_), "cuMemcpyHtoD");
    }
    void read(std::span<std::byte> to) const {
        refuse_other_size(to.size());
        api_->check(api_->copy_to_host(to.data(), at_, bytes_), "cuMemcpyDtoH");
    }

  private:
    void refuse_other_size(std::size_t bytes) const {
        if (bytes != bytes_) throw backend_error("CUDA: a copy of " + std::to_string(bytes) + " bytes and device memory of " + std::to_string(bytes_));
    }

    const driver* api_;
    device_memory at_ = 0;
    std::size_t bytes_ = 0;
};

/// A kernel image on a GPU, ready to launch.
class loaded_kernel {
  public:
    /// @throws backend_error when the image is for another GPU or the driver refuses its text (with the driver's log)
    loaded_kernel(const gpu& where, const kernel_image& image) : api_(where.api()), launch_(image.launch) {
        const int capability = where.capability();
        const target& wanted = image.where;
        if (wanted.exact ? capability != wanted.capability : capability < wanted.capability)
            throw backend_error(std::string("CUDA: the kernel is for ") + wanted.name.d + ", " + where.name() + " has compute capability " +
                                std::to_string(capability / 10) + "." + std::to_string(capability % 10));
        std::string log(8192, '\0');
        int options[] = {static_cast<int>(jit_option::error_log), static_cast<int>(jit_option::error_log_bytes)};
        void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
        const result code = api_.module_load(&module_, image.text, 2, options, values);
        if (code != 0) api_.check(code, ("cuModuleLoadDataEx\n" + std::string(log.c_str()) + "\n").c_str());
        api_.check(api_.module_function(&function_, module_, image.entry.d), "cuModuleGetFunction");
    }
    ~loaded_kernel() { api_.module_unload(module_); }
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    /// Starts the kernel on the default stream; `arguments` are its pointers in order.
    void launch(std::span<const device_memory> arguments) const {
        std::vector<void*> values;
        for (const device_memory& a : arguments) values.push_back(const_cast<device_memory*>(&a));
        api_.check(api_.launch(function_, launch_.blocks, 1, 1, launch_.threads, 1, 1, launch_.shared_bytes, nullptr, values.data(), nullptr), "cuLaunchKernel");
    }

  private:
    const driver& api_;
    kernel_launch launch_;
    module_handle module_ = nullptr;
    function function_ = nullptr;
};

/// Milliseconds between two points of the default stream.
class stopwatch {
  public:
    explicit stopwatch(const gpu& where) : api_(where.api()) {
        api_.check(api_.event_create(&begin_, 0), "cuEventCreate");
        api_.check(api_.event_create(&end_, 0), "cuEventCreate");
    }
    ~stopwatch() { api_.event_destroy(begin_), api_.event_destroy(end_); }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;
    void start() { api_.check(api_.event_record(begin_, nullptr), "cuEventRecord"); }
    float stop() {
        float ms = 0.0F;
        api_.check(api_.event_record(end_, nullptr), "cuEventRecord");
        api_.check(api_.event_synchronize(end_), "cuEventSynchronize");
        api_.check(api_.event_elapsed(&ms, begin_, end_), "cuEventElapsedTime");
        return ms;
    }

  private:
    const driver& api_;
    event begin_ = nullptr;
    event end_ = nullptr;
};

}  // namespace netra::inline v0::cuda
