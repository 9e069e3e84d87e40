// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A vector of at most `N` elements that lives inside its object; structural, so it may be part of a template argument.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0 {

/// @pre `T` is default constructible; `push_back` beyond `N` is not a constant expression and traps at run time.
template <class T, usz N>
struct static_vector {
    T items[N]{};
    usz count = 0;

    constexpr void push_back(const T& v) {
        if (count == N) __builtin_trap();
        items[count++] = v;
    }
    constexpr T& operator[](usz i) { return items[i]; }
    constexpr const T& operator[](usz i) const { return items[i]; }
    constexpr const T* data() const { return items; }
    constexpr T* begin() { return items; }
    constexpr T* end() { return items + count; }
    constexpr const T* begin() const { return items; }
    constexpr const T* end() const { return items + count; }
    constexpr T& back() { return items[count - 1]; }
    constexpr const T& back() const { return items[count - 1]; }
    constexpr usz size() const { return count; }
    constexpr bool empty() const { return count == 0; }
    static constexpr usz capacity() { return N; }
    friend constexpr bool operator==(const static_vector&, const static_vector&) = default;
};

}  // namespace netra::inline v0
