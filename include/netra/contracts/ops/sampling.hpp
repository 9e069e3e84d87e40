// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Chooses a token from logits: argmax, or a seeded draw after temperature, top-k and top-p. Nothing in a draw depends on the order in which
/// tokens are looked at, and everything is plain fp32 and integer arithmetic, so the same logits give the same token on every backend.
#pragma once

#include <netra/contracts/checks.hpp>
#include <netra/detail/bits.hpp>

namespace netra::inline v0 {

/// logits: [vocab] fp32; out: one i32. How to choose is an input of each step, not part of the contract.
struct sampling {
    u32_t vocab = 0;
    friend constexpr bool operator==(const sampling&, const sampling&) = default;
};

constexpr verdict check(const sampling& c) { return detail::checking{"sampling"}.size("vocab", c.vocab).result; }
constexpr u64_t bytes(const sampling& c) { return 4ULL * c.vocab + 4; }
constexpr u64_t flops(const sampling& c) { return c.vocab; }

/// temperature 0 is greedy, one below 2^-20 draws as 2^-20 does; top_k 0 and top_p 1 keep every token. The same seed and position give the same draw.
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

/// Greedy choice: the largest logit, the lowest id among equals.
constexpr i32_t argmax(const float* logits, u64_t n) {
    u64_t best = 0;
    for (u64_t i = 1; i < n; ++i)
        if (logits[i] > logits[best] || (logits[best] != logits[best] && logits[i] == logits[i])) best = i;
    return static_cast<i32_t>(best);
}

/// What a draw needs of its parameters and its position, ready for use.
struct draw {
    float scale = 0.0F;    ///< 1 / temperature; 0 is greedy
    u32_t top_k = 0;       ///< 0: all
    u32_t share = 0;       ///< top-p in units of 2^-32, rounded down but to 1; 0: all
    u32_t noise[2]{};      ///< 64 bits of seed and position
    friend constexpr bool operator==(const draw&, const draw&) = default;
};

/// 64 bits of a seed and a position: number `position` of the generator splitmix64.
constexpr u64_t random_bits_at(u64_t seed, u64_t position) {
    u64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
/// @pre check(p) accepts
constexpr draw draw_at(const sampling_parameters& p, u64_t position) {
    if (p.temperature == 0.0F) return {};
    const float lowest = 0x1p-20F;
    const u64_t bits = random_bits_at(p.seed, position);
    const u64_t share = p.top_p < 1.0F ? static_cast<u64_t>(p.top_p * 0x1p32F) : 0;
    return {.scale = 1.0F / (p.temperature < lowest ? lowest : p.temperature),
            .top_k = p.top_k,
            .share = static_cast<u32_t>(p.top_p < 1.0F && share == 0 ? 1 : share),
            .noise = {static_cast<u32_t>(bits), static_cast<u32_t>(bits >> 32)}};
}

namespace sampled {

inline constexpr float log2_e = 1.44269504F, ln_2 = 0.693147181F;
/// Added and subtracted again, it rounds a number below 2^22 to an integer, which its low bits then are.
inline constexpr float rounder = 0x1.8p23F;
inline constexpr u32_t half_root = 0x3f3504f3U;  ///< the bits of the square root of 1/2
/// 2 z^i / (2 i + 3), from the highest: log((1 + s) / (1 - s)) = 2 s + s z (...) with z = s^2.
inline constexpr float log_terms[] = {2.0F / 9, 2.0F / 7, 2.0F / 5, 2.0F / 3};
/// ln(2)^i / i!, from the highest.
inline constexpr float power_terms[] = {1.54035304e-4F, 1.33335581e-3F, 9.61812911e-3F, 5.55041087e-2F, 2.40226507e-1F, 6.93147181e-1F, 1.0F};
inline constexpr float least_power = -64.0F;
inline constexpr float least_noise = -4.0F, most_noise = 23.0F;  ///< bounds of gumbel()

/// A NaN counts as -inf, and -0 as 0.
constexpr float logit(float l) { return l == l ? l + 0.0F : -__builtin_inff(); }
/// Numbers in ascending order are integers in ascending order.
constexpr u32_t ordered(float l) {
    const u32_t bits = f32_bits(l);
    return bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U);
}

/// log(1 + t) for t from sqrt(1/2) - 1 to sqrt(2) - 1.
constexpr float log_beside_one(float t) {
    const float s = t / (t + 2.0F);
    const float z = s * s;
    float sum = log_terms[0];
    for (usz i = 1; i < 4; ++i) sum = sum * z + log_terms[i];
    return s * z * sum + (s + s);
}
/// x = 2^power (1 + t), with t as log_beside_one wants it. @pre x is a positive normal number
struct parted {
    float power = 0.0F, t = 0.0F;
};
constexpr parted part(float x) {
    const u32_t bits = f32_bits(x);
    const i32_t power = static_cast<i32_t>(bits - half_root) >> 23;
    return {static_cast<float>(power), f32_from_bits(bits - (static_cast<u32_t>(power) << 23)) - 1.0F};
}

constexpr u32_t mixed(u32_t h) {
    h = (h ^ (h >> 16)) * 0x85EBCA6BU;
    h = (h ^ (h >> 13)) * 0xC2B2AE35U;
    return h ^ (h >> 16);
}
/// 32 bits of a token's noise.
constexpr u32_t noise_bits(const draw& d, u32_t id) { return mixed(mixed(id ^ d.noise[0]) + d.noise[1]); }
/// -log(-log(1 - v)) for v = (bits + 1/2) / 2^32: a number of the Gumbel distribution.
constexpr float gumbel(u32_t bits) {
    const float v = (static_cast<float>(bits) + 0.5F) * 0x1p-32F;
    const float u = (static_cast<float>(~bits) + 0.5F) * 0x1p-32F;
    const bool near_one = bits < 0x40000000U;
    parted of = part(near_one ? 1.0F : u);
    if (near_one) of.t = -v;
    const parted outer = part(-(of.power * ln_2 + log_beside_one(of.t)));
    return -(outer.power * ln_2 + log_beside_one(outer.t));
}
constexpr float score(const draw& d, float logit, u32_t id) { return logit * d.scale + gumbel(noise_bits(d, id)); }

/// e^((logit - largest) / temperature) in units of 2^-35, rounded down; what is below is nothing.
constexpr u64_t mass(const draw& d, float logit, float largest) {
    float y = (logit - largest) * d.scale * log2_e;
    if (logit == largest) y = 0.0F;
    if (!(y > least_power)) y = least_power;
    const float shifted = y + rounder;
    const float rest = y - (shifted - rounder);
    float power = power_terms[0];
    for (usz i = 1; i < 7; ++i) power = power * rest + power_terms[i];
    return static_cast<u64_t>(power * f32_from_bits((f32_bits(shifted) - f32_bits(rounder) + 35 + 127) << 23));
}
/// The least mass that holds the draw's share of `all`.
constexpr u64_t share_of(const draw& d, u64_t all) {
    const u64_t low = (all & 0xffffffffU) * d.share + 0xffffffffU;
    return (all >> 32) * d.share + (low >> 32);
}

}  // namespace sampled

/// The promise. Kept are tokens whose logit is at least the top_k-th largest; of these, those whose logit is at least tau, the largest
/// one for which the mass of kept tokens from tau on is at least top_p of the mass of all that are kept; equals stay together. Of what is
/// left, the largest score, the lowest id among equals: each is chosen as often as its share of the mass says. Quadratic: an oracle.
constexpr i32_t reference(const sampling& c, const sampling_parameters& p, u64_t position, const float* logits) {
    if (p.temperature == 0.0F) return argmax(logits, c.vocab);
    const draw d = draw_at(p, position);
    const auto at = [&](u64_t i) { return sampled::logit(logits[i]); };
    float largest = at(0);
    for (u64_t i = 1; i < c.vocab; ++i) largest = at(i) > largest ? at(i) : largest;
    /// The largest logit from which on tokens that are at least `least` weigh at least `goal`.
    const auto cut = [&](float least, u64_t goal, auto&& weight) {
        float found = least;
        for (u64_t i = 0; i < c.vocab; ++i) {
            if (!(at(i) > found)) continue;
            u64_t sum = 0;
            for (u64_t j = 0; j < c.vocab; ++j)
                if (at(j) >= at(i)) sum += weight(at(j));
            if (sum >= goal) found = at(i);
        }
        return found;
    };
    float least = -__builtin_inff();
    if (d.top_k != 0) least = cut(least, d.top_k, [](float) { return u64_t{1}; });
    if (d.share != 0) {
        const auto weight = [&](float l) { return sampled::mass(d, l, largest); };
        u64_t all = 0;
        for (u64_t i = 0; i < c.vocab; ++i)
            if (at(i) >= least) all += weight(at(i));
        least = cut(least, sampled::share_of(d, all), weight);
    }
    u64_t best = 0;
    float most = -__builtin_inff();
    for (u64_t i = 0; i < c.vocab; ++i)
        if (at(i) >= least && sampled::score(d, at(i), static_cast<u32_t>(i)) > most) best = i, most = sampled::score(d, at(i), static_cast<u32_t>(i));
    return static_cast<i32_t>(best);
}

}  // namespace netra::inline v0
