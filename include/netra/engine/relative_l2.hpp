// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How far one vector of numbers is from another.
#pragma once

#include <netra/detail/config.hpp>

#include <cmath>
#include <span>

namespace netra::inline v0 {

/// |a - b| / |b|, summed in fp64; 1e30 where the sizes differ or the result is not a number. `b`: floats or doubles.
template <class Numbers>
double relative_l2(std::span<const float> a, const Numbers& b) {
    if (a.size() != b.size()) return 1e30;
    double difference = 0.0;
    double size = 0.0;
    for (usz i = 0; i < b.size(); ++i) {
        const double expected = static_cast<double>(b[i]);
        const double d = static_cast<double>(a[i]) - expected;
        difference += d * d;
        size += expected * expected;
    }
    const double ratio = std::sqrt(difference / size);
    return std::isfinite(ratio) ? ratio : 1e30;
}

}  // namespace netra::inline v0
