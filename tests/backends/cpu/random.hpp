// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Seeded inputs for kernel tests, in memory of the exact size, and comparisons of bits.
#pragma once

#include <netra/backends/cpu/simd.hpp>
#include <netra/contracts/weights.hpp>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace netra::testing {

struct random_source {
    unsigned seed;
    std::mt19937 engine;

    explicit random_source(unsigned s = std::random_device{}()) : seed(s), engine(s) {}
    std::string text() const { return "seed " + std::to_string(seed); }
    unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(engine); }
    unsigned between(unsigned low, unsigned high) { return std::uniform_int_distribution<unsigned>(low, high)(engine); }
    float normal() { return std::normal_distribution<float>()(engine); }
    std::vector<float> normals(usz n) {
        std::vector<float> v(n);
        for (auto& x : v) x = normal();
        return v;
    }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[below(static_cast<unsigned>(values.size()))];
    }
};

inline constexpr float poison = __builtin_nanf("");

/// `n` bytes that end at the end of their allocation and start at an odd address, so that sanitizers see every step outside.
class exact_bytes {
  public:
    explicit exact_bytes(usz n) : data_(new u8_t[n + 1]), size_(n) {}
    u8_t* data() { return data_.get() + 1; }
    const u8_t* data() const { return data_.get() + 1; }
    usz size() const { return size_; }

  private:
    std::unique_ptr<u8_t[]> data_;
    usz size_;
};

/// Rows of `in` weights: every element and scale a finite number of ordinary size.
inline exact_bytes random_weights(random_source& r, const weight_format& f, u64_t in, u64_t rows) {
    exact_bytes w(static_cast<usz>(bytes_of(f, in * rows)));
    for (usz i = 0; i < w.size(); ++i) w.data()[i] = static_cast<u8_t>(r.below(256));
    const auto put = [&](usz at, u16_t v) {
        w.data()[at] = static_cast<u8_t>(v);
        w.data()[at + 1] = static_cast<u8_t>(v >> 8);
    };
    const usz block = static_cast<usz>(block_bytes(f));
    for (usz at = 0; at < w.size(); at += block) {
        if (f == weight_format{f32}) {
            const float v = r.normal();
            std::memcpy(w.data() + at, &v, 4);
        } else if (f == weight_format{bf16}) put(at, f32_to_bf16(r.normal()));
        else put(at, f32_to_f16(r.normal() * (f == weight_format{f16} ? 1.0F : 0.05F)));
        if (f == q4_1) put(at + 2, f32_to_f16(r.normal()));
    }
    return w;
}

inline const std::vector<weight_format>& all_formats() {
    static const std::vector<weight_format> formats{f32, f16, bf16, q8_0, q4_0, q4_1};
    return formats;
}

inline double relative_distance(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0.0;
    double size = 0.0;
    for (usz i = 0; i < a.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
        size += std::pow(static_cast<double>(b[i]), 2);
    }
    return size == 0.0 ? std::sqrt(difference) : std::sqrt(difference / size);
}

/// The same bits (poison included), or, where the target has no fused multiply-add, close and poisoned in the same places.
inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return false;
    if (cpu::fused) return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    std::vector<float> x;
    std::vector<float> y;
    for (usz i = 0; i < a.size(); ++i) {
        if (std::isnan(a[i]) != std::isnan(b[i])) return false;
        if (!std::isnan(a[i])) x.push_back(a[i]), y.push_back(b[i]);
    }
    return relative_distance(x, y) < 1e-5;
}

/// Where two vectors first differ, for messages.
inline usz first_difference(const std::vector<float>& a, const std::vector<float>& b) {
    usz i = 0;
    while (i < a.size() && i < b.size() && std::memcmp(&a[i], &b[i], 4) == 0) ++i;
    return i;
}

/// Units in the last place between two finite floats.
inline i64_t ulps(float a, float b) {
    const auto ordered = [](float v) {
        const i64_t bits = static_cast<i64_t>(f32_bits(v) & 0x7fffffffU);
        return std::signbit(v) ? -bits : bits;
    };
    const i64_t d = ordered(a) - ordered(b);
    return d < 0 ? -d : d;
}

}  // namespace netra::testing
