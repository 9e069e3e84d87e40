// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A file mapped into memory, read-only.
#pragma once

#include <netra/engine/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace netra::inline v0 {

/// What to ask of the kernel for a mapping: start reading it, or have all of it in memory before returning.
enum class file_advice : u8_t { will_need, populate };

/// The bytes of a regular file; moving keeps their address. A file that another program shortens meanwhile ends the process (SIGBUS).
class mapped_file {
  public:
    mapped_file() = default;

    explicit mapped_file(std::string path) : path_(std::move(path)) {
        // note: non-blocking, so that opening a pipe by mistake does not hang
        const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0) fail("cannot open", errno);
        struct ::stat status {};
        if (::fstat(descriptor, &status) != 0) fail("cannot examine", errno, descriptor);
        if (S_ISDIR(status.st_mode)) fail("cannot read", EISDIR, descriptor);
        if (!S_ISREG(status.st_mode)) {
            ::close(descriptor);
            throw model_error(path_ + ": not a regular file; give the path of a file on a disk");
        }
        size_ = static_cast<usz>(status.st_size);
        if (size_ != 0) {
            void* at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
            if (at == MAP_FAILED) fail("cannot map", errno, descriptor);  // NOLINT: the macro casts
            data_ = static_cast<const std::byte*>(at);
        }
        ::close(descriptor);
    }

    mapped_file(mapped_file&& other) noexcept
        : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

    mapped_file& operator=(mapped_file&& other) noexcept {
        mapped_file taken(std::move(other));
        std::swap(path_, taken.path_);
        std::swap(data_, taken.data_);
        std::swap(size_, taken.size_);
        return *this;
    }

    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;

    ~mapped_file() {
        if (data_ != nullptr) ::munmap(address(), size_);
    }

    const std::string& path() const { return path_; }
    const std::byte* data() const { return data_; }
    usz size() const { return size_; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }

    /// Speeds up later reads; a kernel that does not know the advice changes nothing but the speed.
    void advise(file_advice what) const {
        if (data_ == nullptr) return;
        ::madvise(address(), size_, MADV_WILLNEED);
        if (what != file_advice::populate) return;
#ifdef MADV_POPULATE_READ
        if (::madvise(address(), size_, MADV_POPULATE_READ) == 0) return;
#endif
        constexpr usz smallest_page = 4096;
        for (usz i = 0; i < size_; i += smallest_page) static_cast<void>(*static_cast<const volatile std::byte*>(data_ + i));
    }

  private:
    void* address() const { return const_cast<std::byte*>(data_); }  // NOLINT: madvise and munmap take a plain pointer

    [[noreturn]] void fail(const char* what, int error, int descriptor = -1) const {
        if (descriptor >= 0) ::close(descriptor);
        throw model_error(path_ + ": " + what + " the file: " + std::generic_category().message(error));
    }

    std::string path_;
    const std::byte* data_ = nullptr;
    usz size_ = 0;
};

}  // namespace netra::inline v0
