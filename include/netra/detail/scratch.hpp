// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Arrays whose size is known only while a constexpr function runs.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

/// `n` value-initialised elements; may live inside a constant evaluation.
template <class T>
class scratch {
  public:
    constexpr explicit scratch(usz n) : data_(new T[n == 0 ? 1 : n]{}), size_(n) {}
    constexpr ~scratch() { delete[] data_; }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    constexpr T& operator[](usz i) { return data_[i]; }
    constexpr const T& operator[](usz i) const { return data_[i]; }
    constexpr usz size() const { return size_; }

  private:
    T* data_;
    usz size_;
};

/// A list that grows.
template <class T>
class growing {
  public:
    constexpr growing() : data_(new T[16]{}) {}
    constexpr ~growing() { delete[] data_; }
    growing(const growing&) = delete;
    growing& operator=(const growing&) = delete;
    constexpr void push_back(const T& value) {
        if (size_ == capacity_) {
            T* larger = new T[capacity_ * 2]{};
            for (usz i = 0; i < size_; ++i) larger[i] = data_[i];
            delete[] data_;
            data_ = larger;
            capacity_ *= 2;
        }
        data_[size_++] = value;
    }
    constexpr void clear() { size_ = 0; }
    constexpr T& operator[](usz i) { return data_[i]; }
    constexpr const T& operator[](usz i) const { return data_[i]; }
    constexpr const T* data() const { return data_; }
    constexpr usz size() const { return size_; }

  private:
    T* data_;
    usz size_ = 0;
    usz capacity_ = 16;
};

}  // namespace netra::inline v0::detail
