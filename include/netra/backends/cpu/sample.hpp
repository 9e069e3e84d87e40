// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The choice of a token, as sampling's reference makes it, without sorting the vocabulary.
#pragma once

#include <netra/backends/cpu/simd.hpp>
#include <netra/contracts/ops/sampling.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET {

/// The largest logit, the lowest id among equals; NaN is never larger.
inline i32_t argmax_of(const float* logits, u64_t n) {
    u64_t from = 0;
    f32x16 top = splat(-__builtin_inff());
    for (; from + 16 <= n; from += 16) top = max(load(logits + from), top);
    float most = n >= 16 ? largest(top) : -__builtin_inff();
    for (; from < n; ++from)
        if (logits[from] > most) most = logits[from];
    for (u64_t i = 0; i < n; ++i)
        if (logits[i] == most) return static_cast<i32_t>(i);
    return 0;  // nothing but NaN
}

/// The largest logit from which on tokens that are at least `least` weigh at least `goal`; `least` where all of them do not. Only those
/// around the goal are sorted. `order` is scratch of n elements.
template <class Weight, class Goal>
float least_kept(const float* logits, u64_t n, float least, std::span<u32_t> order, Weight&& weight, Goal&& goal_of) {
    constexpr u32_t shift = 21;
    std::array<u64_t, (1U << (32 - shift))> heaps{};  // by sign, exponent and two bits more
    u64_t all = 0;
    for (u64_t i = 0; i < n; ++i) {
        const float l = sampled::logit(logits[i]);
        if (!(l >= least)) continue;
        const u64_t w = weight(l);
        heaps[sampled::ordered(l) >> shift] += w;
        all += w;
    }
    u64_t goal = goal_of(all);
    if (all < goal) return least;
    usz heap = heaps.size() - 1;
    for (; heaps[heap] < goal; --heap) goal -= heaps[heap];
    usz count = 0;
    for (u64_t i = 0; i < n; ++i) {
        const float l = sampled::logit(logits[i]);
        if (l >= least && sampled::ordered(l) >> shift == heap) order[count++] = static_cast<u32_t>(i);
    }
    const auto l = [&](u32_t i) { return sampled::logit(logits[i]); };
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), [&](u32_t a, u32_t b) { return l(a) > l(b); });
    usz i = 0;
    for (u64_t sum = 0; (sum += weight(l(order[i]))) < goal;) ++i;
    return l(order[i]);
}

/// `order` is scratch of vocab elements. A NaN counts as -inf.
inline i32_t sample(const netra::sampling& c, const sampling_parameters& p, u64_t position, const float* logits, std::span<u32_t> order) {
    const i32_t first = argmax_of(logits, c.vocab);
    const float largest_logit = sampled::logit(logits[first]);
    if (p.temperature == 0.0F || largest_logit - largest_logit != 0.0F) return first;  // greedy, or infinities alone
    const draw d = draw_at(p, position);
    float least = -__builtin_inff();
    if (d.top_k != 0 && d.top_k < c.vocab)
        least = least_kept(logits, c.vocab, least, order, [](float) { return u64_t{1}; }, [&](u64_t) { return u64_t{d.top_k}; });
    if (d.share != 0)
        least = least_kept(logits, c.vocab, least, order, [&](float l) { return sampled::mass(d, l, largest_logit); },
                           [&](u64_t all) { return sampled::share_of(d, all); });
    i32_t best = first;
    float most = sampled::score(d, largest_logit, static_cast<u32_t>(first));
    for (u64_t from = 0; from < c.vocab; from += 16) {
        const u64_t n = std::min<u64_t>(16, c.vocab - from);
        float near[16];
        u32_t bits[16];
        float top = -__builtin_inff();
        for (u64_t i = 0; i < 16; ++i) near[i] = i < n ? logits[from + i] : -__builtin_inff();
        for (u64_t i = 0; i < 16; ++i) near[i] = near[i] >= least ? near[i] + 0.0F : -__builtin_inff();
        for (u64_t i = 0; i < 16; ++i) top = near[i] > top ? near[i] : top;
        const float needed = most - top * d.scale - __builtin_fabsf(most) * 0x1p-22F - 0.01F;  // of noise, which exceeds x less often than e^-x
        if (needed > sampled::most_noise) continue;
        for (u64_t i = 0; i < 16; ++i) bits[i] = sampled::noise_bits(d, static_cast<u32_t>(from + i));
        const u32_t enough = needed > 0.5F ? static_cast<u32_t>(__builtin_expf(-needed) * 0x1p32F) + 64 : ~0U;
        for (u64_t i = 0; i < n; ++i) {
            if (bits[i] > enough) continue;
            const i32_t id = static_cast<i32_t>(from + i);
            const float score = near[i] * d.scale + sampled::gumbel(bits[i]);
            if (score > most || (score == most && id < best)) most = score, best = id;
        }
    }
    return best;
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
