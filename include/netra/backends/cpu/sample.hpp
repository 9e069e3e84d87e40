// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The choice of a token, as sampling's reference makes it, without sorting the vocabulary.
#pragma once

#include <netra/backends/cpu/simd.hpp>
#include <netra/contracts/ops/sampling.hpp>

#include <algorithm>
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

/// `order` and `weights` are scratch of vocab elements each. A NaN counts as -inf.
inline i32_t sample(const netra::sampling& c, const sampling_parameters& p, u64_t position, const float* logits, std::span<u32_t> order, std::span<double> weights) {
    const i32_t best = argmax_of(logits, c.vocab);
    const float largest_logit = logits[best];
    if (p.temperature == 0.0F || largest_logit - largest_logit != 0.0F) return best;  // greedy, or nothing but infinities or NaN to weigh
    const u64_t candidates = p.top_k != 0 && p.top_k < c.vocab ? p.top_k : c.vocab;
    const auto logit = [&](u32_t i) { return logits[i] == logits[i] ? logits[i] : -__builtin_inff(); };
    const auto before = [&](u32_t a, u32_t b) { return logit(a) != logit(b) ? logit(a) > logit(b) : a < b; };
    const auto after = [&](u32_t a, u32_t b) { return before(b, a); };  // a heap keeps its largest in front
    for (u32_t i = 0; i < c.vocab; ++i) order[i] = i;
    if (candidates < c.vocab) std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(candidates), order.end(), before);
    const double top = static_cast<double>(logit(static_cast<u32_t>(best)));
    double all = 0.0;
    for (u64_t k = 0; k < candidates; ++k) {
        const double l = static_cast<double>(logit(order[k]));
        weights[order[k]] = l == top ? 1.0 : __builtin_exp((l - top) / static_cast<double>(p.temperature));
        all += weights[order[k]];
    }
    const auto heap = order.first(candidates);
    std::make_heap(heap.begin(), heap.end(), after);
    double kept = 0.0;
    u64_t count = 0;  // of the likeliest, which gather behind the heap
    for (; count < candidates && (count == 0 || kept < static_cast<double>(p.top_p) * all); ++count) {
        std::pop_heap(heap.begin(), heap.end() - static_cast<std::ptrdiff_t>(count), after);
        kept += weights[heap[candidates - 1 - count]];
        if (p.top_p == 1.0F && kept > uniform_at(p.seed, position) * all) return static_cast<i32_t>(heap[candidates - 1 - count]);
    }
    const double goal = uniform_at(p.seed, position) * kept;
    double running = 0.0;
    u32_t chosen = heap[candidates - 1];
    for (u64_t k = 0; k < count && running <= goal; ++k) {
        chosen = heap[candidates - 1 - k];
        running += weights[chosen];
    }
    return static_cast<i32_t>(chosen);
}

}  // namespace netra::inline v0::cpu::inline NETRA_CPU_TARGET
