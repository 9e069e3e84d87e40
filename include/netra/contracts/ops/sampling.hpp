// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Chooses a token from logits: argmax, or a seeded draw after temperature, top-k and top-p.
#pragma once

#include <netra/contracts/checks.hpp>

namespace netra::inline v0 {

/// logits: [vocab] fp32; out: one i32. How to choose is an input of each step, not part of the contract.
struct sampling {
    u32_t vocab = 0;
    friend constexpr bool operator==(const sampling&, const sampling&) = default;
};

constexpr verdict check(const sampling& c) { return detail::checking{"sampling"}.size("vocab", c.vocab).result; }
constexpr u64_t bytes(const sampling& c) { return 4ULL * c.vocab + 4; }
constexpr u64_t flops(const sampling& c) { return c.vocab; }

/// temperature 0 is greedy; top_k 0 and top_p 1 keep every token. The same seed and position give the same draw.
struct sampling_parameters {
    float temperature = 0.0F;
    u32_t top_k = 0;
    float top_p = 1.0F;
    u64_t seed = 0;
    friend constexpr bool operator==(const sampling_parameters&, const sampling_parameters&) = default;
};

constexpr verdict check(const sampling_parameters& p) {
    return detail::checking{"sampling"}
        .parameter("temperature (0 to 100)", p.temperature >= 0.0F && p.temperature <= 100.0F)
        .parameter("top-p (above 0, at most 1)", p.top_p > 0.0F && p.top_p <= 1.0F)
        .result;
}

/// A number in [0, 1) from a seed and a position (splitmix64, upper 53 bits).
constexpr double uniform_at(u64_t seed, u64_t position) {
    u64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// Greedy choice: the largest logit, the lowest id among equals.
constexpr i32_t argmax(const float* logits, u64_t n) {
    u64_t best = 0;
    for (u64_t i = 1; i < n; ++i)
        if (logits[i] > logits[best]) best = i;
    return static_cast<i32_t>(best);
}

/// The promise: candidates in descending order of logit (ascending id among equals), at most top_k; weights exp((l - max) / temperature)
/// in fp64; the shortest prefix that holds top_p of their sum; the first candidate whose running sum exceeds u times the prefix's sum.
/// `taken` is scratch of vocab bytes. Quadratic: an oracle.
inline i32_t reference(const sampling& c, const sampling_parameters& p, u64_t position, const float* logits, u8_t* taken) {
    if (p.temperature == 0.0F) return argmax(logits, c.vocab);
    const u64_t candidates = p.top_k != 0 && p.top_k < c.vocab ? p.top_k : c.vocab;
    const double top = static_cast<double>(logits[argmax(logits, c.vocab)]);
    const auto weight = [&](u64_t i) { return __builtin_exp((static_cast<double>(logits[i]) - top) / static_cast<double>(p.temperature)); };
    const auto next = [&] {
        u64_t best = c.vocab;
        for (u64_t i = 0; i < c.vocab; ++i)
            if (taken[i] == 0 && (best == c.vocab || logits[i] > logits[best])) best = i;
        taken[best] = 1;
        return best;
    };
    const auto clear = [&] {
        for (u64_t i = 0; i < c.vocab; ++i) taken[i] = 0;
    };
    clear();
    double all = 0.0;
    for (u64_t k = 0; k < candidates; ++k) all += weight(next());
    clear();
    double kept = 0.0;
    u64_t count = 0;
    while (count < candidates && (count == 0 || kept < static_cast<double>(p.top_p) * all)) kept += weight(next()), ++count;
    clear();
    const double goal = uniform_at(p.seed, position) * kept;
    double running = 0.0;
    u64_t chosen = 0;
    for (u64_t k = 0; k < count; ++k) {
        chosen = next();
        running += weight(chosen);
        if (running > goal) break;
    }
    return static_cast<i32_t>(chosen);
}

}  // namespace netra::inline v0
