// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Memory of a GPU, and memory of the host that a GPU copies from and to without the CPU's help.
#pragma once

#include <netra/backends/cuda/gpu.hpp>

#include <span>
#include <utility>

namespace netra::inline v0::cuda {

namespace detail {
/// Refuses a range that does not lie in memory of `bytes`.
inline void require_range(std::size_t offset, std::size_t size, std::size_t bytes) {
    if (offset > bytes || size > bytes - offset)
        throw backend_error("CUDA: a copy of " + std::to_string(size) + " bytes at byte " + std::to_string(offset) +
                            " of device memory of " + std::to_string(bytes));
}
}  // namespace detail

/// Device memory of one owner.
class buffer_memory {
public:
    /// @throws backend_error that says how much is free when there is too little
    buffer_memory(const gpu& where, std::size_t bytes) : api_(&where.api()), bytes_(bytes) {
        if (bytes == 0) return;
        const result code = api_->allocate(&at_, bytes);
        if (code == 2)
            api_->fail(code,
                       "cuMemAlloc of " + std::to_string(bytes) + " bytes, of which " + std::to_string(where.free_memory()) + " are free,");
        api_->check(code, "cuMemAlloc");
    }
    ~buffer_memory() {
        if (at_ != 0 && api_->may_release()) api_->release(at_);
    }
    buffer_memory(buffer_memory&& other) noexcept
        : api_(other.api_), at_(std::exchange(other.at_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
    buffer_memory& operator=(buffer_memory&&) = delete;

    device_memory at() const { return at_; }
    /// The address of a byte of it.
    device_memory at(std::size_t offset) const {
        detail::require_range(offset, 0, bytes_);
        return at_ + offset;
    }
    std::size_t bytes() const { return bytes_; }

    void fill(u8_t value) {
        if (bytes_ != 0) api_->check(api_->fill(at_, value, bytes_), "cuMemsetD8");
    }
    void fill_async(u8_t value, stream on) {
        if (bytes_ != 0) api_->check(api_->fill_async(at_, value, bytes_, on), "cuMemsetD8Async");
    }
    /// All of it.
    void write(std::span<const std::byte> from) {
        refuse_other_size(from.size());
        write(from, 0);
    }
    void read(std::span<std::byte> to) const {
        refuse_other_size(to.size());
        read(to, 0);
    }
    /// A part, from byte `offset` on.
    void write(std::span<const std::byte> from, std::size_t offset) {
        detail::require_range(offset, from.size(), bytes_);
        if (!from.empty()) api_->check(api_->copy_to_device(at_ + offset, from.data(), from.size()), "cuMemcpyHtoD");
    }
    void read(std::span<std::byte> to, std::size_t offset) const {
        detail::require_range(offset, to.size(), bytes_);
        if (!to.empty()) api_->check(api_->copy_to_host(to.data(), at_ + offset, to.size()), "cuMemcpyDtoH");
    }
    /// In the order of a stream; the host's memory stays as it is until then, and is best a pinned_memory.
    void write_async(std::span<const std::byte> from, std::size_t offset, stream on) {
        detail::require_range(offset, from.size(), bytes_);
        if (!from.empty()) api_->check(api_->copy_to_device_async(at_ + offset, from.data(), from.size(), on), "cuMemcpyHtoDAsync");
    }
    void read_async(std::span<std::byte> to, std::size_t offset, stream on) const {
        detail::require_range(offset, to.size(), bytes_);
        if (!to.empty()) api_->check(api_->copy_to_host_async(to.data(), at_ + offset, to.size(), on), "cuMemcpyDtoHAsync");
    }

private:
    void refuse_other_size(std::size_t bytes) const {
        if (bytes != bytes_)
            throw backend_error("CUDA: a copy of " + std::to_string(bytes) + " bytes and device memory of " + std::to_string(bytes_));
    }

    const driver* api_;
    device_memory at_ = 0;
    std::size_t bytes_ = 0;
};

/// Host memory that never moves: copies from it run at the full speed of the bus, and kernels can reach it at at().
class pinned_memory {
public:
    pinned_memory(const gpu& where, std::size_t bytes) : api_(&where.api()), bytes_(bytes) {
        if (bytes != 0) api_->check(api_->host_allocate(&data_, bytes, host_memory_mapped), "cuMemHostAlloc");
    }
    ~pinned_memory() {
        if (data_ != nullptr && api_->may_release()) api_->host_release(data_);
    }
    pinned_memory(pinned_memory&& other) noexcept
        : api_(other.api_), data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    pinned_memory& operator=(pinned_memory&&) = delete;

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }
    /// Its address on the GPU.
    device_memory at() const {
        device_memory address = 0;
        if (bytes_ != 0) api_->check(api_->host_address(&address, data_, 0), "cuMemHostGetDevicePointer");
        return address;
    }

private:
    const driver* api_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace netra::inline v0::cuda
