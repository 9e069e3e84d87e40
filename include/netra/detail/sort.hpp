// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Sorting and searching of arrays in constant evaluations and at run time.
#pragma once

#include <netra/detail/scratch.hpp>

namespace netra::inline v0::detail {

/// Merge sort from `data` with `spare` as room for as many elements; equal elements keep their order.
template <class T, class Less>
constexpr void sort(T* data, T* spare, usz n, Less less) {
    constexpr usz run = 12;
    for (usz begin = 0; begin < n; begin += run) {
        const usz end = begin + run < n ? begin + run : n;
        for (usz i = begin + 1; i < end; ++i) {
            const T value = data[i];
            usz at = i;
            for (; at > begin && less(value, data[at - 1]); --at) data[at] = data[at - 1];
            data[at] = value;
        }
    }
    for (usz width = run; width < n; width *= 2)
        for (usz begin = 0; begin + width < n; begin += 2 * width) {
            const usz middle = begin + width;
            const usz end = middle + width < n ? middle + width : n;
            if (!less(data[middle], data[middle - 1])) continue;
            for (usz i = begin; i < middle; ++i) spare[i] = data[i];
            usz left = begin;
            usz right = middle;
                for (usz at = begin; left < middle; ++at)
                data[at] = right < end && less(data[right], spare[left]) ? data[right++] : spare[left++];
        }
}

/// Sorts ascending and drops what occurs twice; returns how many are left.
template <class T>
constexpr usz sort_unique(T* data, usz n) {
    {
        scratch<T> spare(n);
        sort(data, &spare[0], n, [](const T& a, const T& b) { return a < b; });
    }
    usz kept = 0;
    for (usz i = 0; i < n; ++i)
        if (kept == 0 || data[kept - 1] != data[i]) data[kept++] = data[i];
    return kept;
}

/// The index of the first element of an ascending array that is not less than `value`; n when there is none.
template <class T>
constexpr usz first_not_less(const T* data, usz n, const T& value) {
    usz begin = 0;
    while (n != 0) {
        const usz half = n / 2;
        if (data[begin + half] < value) begin += half + 1, n -= half + 1;
        else n = half;
    }
    return begin;
}

}  // namespace netra::inline v0::detail
