// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Random contracts of single operations, run by whatever runs their kernels and compared with their reference functions.
/// A launcher has: run<Out>(contract, outputs, inputs...), which leaves all ones where nothing is written.
#pragma once

#include <netra/codegen/kernel.hpp>
#include <netra/engine/relative_l2.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"

#include <cmath>
#include <cstring>
#include <vector>

namespace netra::test {

/// How many contracts of an operation, and how large: a share of what a GPU runs.
struct case_sizes {
    u32_t count = 1;
    u32_t divisor = 1;
    constexpr u32_t operator()(u32_t n) const { return n / divisor == 0 ? 1 : n / divisor; }
};

inline constexpr weight_format plain_formats[] = {f32, f16, bf16};
inline constexpr numerics wide_order{.order = reduction_order::lanes256};

/// Outputs whose bits differ, or that are not finite.
inline usz differing(const std::vector<float>& got, const std::vector<float>& expected) {
    if (got.size() != expected.size()) return got.size() + expected.size();
    usz n = 0;
    for (usz i = 0; i < expected.size(); ++i) n += std::isfinite(expected[i]) && f32_bits(got[i]) == f32_bits(expected[i]) ? 0U : 1U;
    return n;
}
inline std::vector<float> random_floats(dice& d, usz n, float size = 2.0F) {
    std::vector<float> v(n);
    for (float& x : v) x = size * (static_cast<float>(d.below(1U << 24)) / static_cast<float>(1U << 23) - 1.0F);
    return v;
}
/// `elements` of a plain format.
inline std::vector<u8_t> random_weights(dice& d, const weight_format& f, usz elements) {
    const u32_t size = bits_of(f.element) / 8;
    std::vector<u8_t> bytes(elements * size);
    for (usz i = 0; i < elements; ++i) {
        const float v = random_floats(d, 1, 1.0F)[0];
        const u32_t stored = f == f32 ? f32_bits(v) : f == f16 ? f32_to_f16(v) : f32_to_bf16(v);
        std::memcpy(bytes.data() + i * size, &stored, size);
    }
    return bytes;
}

template <class Launcher>
void check_linear(Launcher& on, dice& d, const case_sizes& sizes) {
    for (u32_t i = 0; i < sizes.count; ++i) {
        linear c{.rows = d.between(1, 16),
                 .out = d.between(1, sizes(300)),
                 .in = d.between(1, sizes(1500)),
                 .weight = plain_formats[i % 3],
                 .bias = d.percent(50),
                 .math = wide_order};
        if (d.percent(50)) c.in = (c.in + 7) / 8 * 8;
        if (d.percent(20)) c.rows = 1, c.out = d.between(sizes(1000), sizes(3000));
        INFO("rows " << c.rows << " out " << c.out << " in " << c.in << " weights " << name_of(c.weight) << " bias " << c.bias);
        const auto x = random_floats(d, usz{c.rows} * c.in);
        const auto w = random_weights(d, c.weight, usz{c.out} * c.in);
        const auto bias = random_floats(d, c.out);
        std::vector<float> expected(usz{c.rows} * c.out);
        reference(c, x.data(), w.data(), c.bias ? bias.data() : nullptr, expected.data());
        CHECK(differing(on.template run<float>(c, expected.size(), x, w, bias), expected) == 0);
    }
}

template <class Launcher>
void check_rms_norm(Launcher& on, dice& d, const case_sizes& sizes) {
    for (u32_t i = 0; i < sizes.count; ++i) {
        const u32_t width = i % 4 == 0 ? 256 * d.between(1, sizes(16)) : d.between(1, sizes(3000));
        const rms_norm c{.rows = d.between(1, 16),
                         .width = width,
                         .eps = 1e-5F,
                         .plus_one = d.percent(50),
                         .groups = d.between(1, 5),
                         .math = wide_order};
        INFO("rows " << c.rows << " width " << c.width << " groups " << c.groups << " plus_one " << c.plus_one);
        const auto x = random_floats(d, usz{c.rows} * c.groups * c.width);
        const auto w = random_floats(d, c.width);
        std::vector<float> expected(x.size());
        reference(c, x.data(), w.data(), expected.data());
        CHECK(differing(on.template run<float>(c, x.size(), x, w), expected) == 0);
    }
}

template <class Launcher>
void check_embedding(Launcher& on, dice& d, const case_sizes& sizes) {
    for (u32_t i = 0; i < sizes.count; ++i) {
        const embedding c{.rows = d.between(1, 16),
                          .vocab = d.between(1, sizes(500)),
                          .width = d.between(1, sizes(2000)),
                          .weight = plain_formats[i % 3]};
        INFO("rows " << c.rows << " vocab " << c.vocab << " width " << c.width << " weights " << name_of(c.weight));
        std::vector<i32_t> tokens(c.rows);
        for (i32_t& t : tokens) t = static_cast<i32_t>(d.below(c.vocab));
        const auto table = random_weights(d, c.weight, usz{c.vocab} * c.width);
        std::vector<float> expected(usz{c.rows} * c.width);
        reference(c, tokens.data(), table.data(), expected.data());
        CHECK(differing(on.template run<float>(c, expected.size(), tokens, table), expected) == 0);
    }
}

/// Small, large and extreme gates of every activation.
template <class Launcher>
void check_gated_mul(Launcher& on, dice& d, const case_sizes& sizes) {
    for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh})
        for (const float size : {0.01F, 3.0F, 30.0F, 1000.0F}) {
            const gated_mul c{.rows = d.between(1, 16), .width = d.between(1, sizes(3000)), .act = a};
            INFO("rows " << c.rows << " width " << c.width << " activation " << static_cast<int>(a) << " size " << size);
            const auto x = random_floats(d, usz{2} * c.rows * c.width, size);
            std::vector<float> expected(usz{c.rows} * c.width);
            reference(c, x.data(), expected.data());
            CHECK(relative_l2(on.template run<float>(c, expected.size(), x), expected) <= 1e-6);
        }
}

template <class Launcher>
void check_sampling(Launcher& on, dice& d, const case_sizes& sizes) {
    for (u32_t i = 0; i < sizes.count; ++i) {
        const sampling c{.vocab = i == 0 ? sizes(128256) : d.between(1, sizes(5000))};
        auto logits = random_floats(d, c.vocab, i % 3 == 0 ? 0.0F : 50.0F);  // size 0: zeros of both signs, all equal
        if (i % 3 == 1)
            for (float& l : logits) l = std::round(l);  // many equals
        if (i % 3 == 2)
            for (float& l : logits) l -= 100.0F;  // all negative
        INFO("vocab " << c.vocab << " kind " << i % 3);
        CHECK(on.template run<i32_t>(c, 1, logits).front() == argmax(logits.data(), c.vocab));
    }
}

}  // namespace netra::test
