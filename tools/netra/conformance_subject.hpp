// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// One model on the CPU backend and on a GPU, with the same 16-bit weights and bf16 caches, and how far apart their logits are.
#pragma once

#include <netra/engine/gpu_model.hpp>
#include <netra/engine/random_model.hpp>
#include <netra/engine/relative_l2.hpp>

#include <cmath>
#include <functional>

namespace netra::tool {

using logits_list = std::vector<std::vector<float>>;

inline u32_t largest_of(std::span<const float> v) { return static_cast<u32_t>(std::max_element(v.begin(), v.end()) - v.begin()); }

/// How far a GPU's logits are from the CPU's, and where the greedy choices part.
struct comparison {
    usz positions = 0;
    usz parted = 0;
    double worst = 0.0;      ///< relative L2
    double margin = 0.0;     ///< the largest of those parted: what the CPU's logits of both choices differ by / root mean square of all
    bool own_choice = true;  ///< what the kernel chose is the largest of its own logits

    void add(std::span<const float> gpu, i32_t chosen, std::span<const float> cpu) {
        ++positions;
        worst = std::max(worst, relative_l2(gpu, cpu));
        own_choice = own_choice && chosen >= 0 && static_cast<usz>(chosen) < gpu.size() && static_cast<u32_t>(chosen) == largest_of(gpu);
        const u32_t best = largest_of(cpu);
        if (chosen < 0 || static_cast<usz>(chosen) >= cpu.size() || static_cast<u32_t>(chosen) == best) return;
        double squares = 0.0;
        for (const float v : cpu) squares += static_cast<double>(v) * static_cast<double>(v);
        ++parted;
        margin = std::max(margin, (static_cast<double>(cpu[best]) - static_cast<double>(cpu[static_cast<usz>(chosen)])) /
                                      std::sqrt(squares / static_cast<double>(cpu.size())));
    }
};

/// The most that a comparison may find.
struct conformance_bounds {
    double distance;
    double margin;  ///< two logits may change places where each is off by three times what is usual
};
/// `cache_rounding`: how far the CPU's logits with bf16 caches are from those with f32 caches, at the most. Where a cached value lies next
/// to the middle between two bf16 values, the last bits of its fp32 sum decide to which it is rounded, and that then feeds on:
/// docs/conformance.md says how far. Two backends that round other values up are as far apart as two roundings are, 1.4 times this where
/// they have nothing in common.
constexpr conformance_bounds bounds_of(u32_t activation_bits, double cache_rounding) {
    const double distance = activation_bits >= 16   ? std::max(1e-3, 2 * cache_rounding)
                            : activation_bits == 11 ? std::max(5e-3, 3 * cache_rounding)
                                                    : std::max(2e-2, 6 * cache_rounding);
    return {distance, 6.0 * distance};
}

/// A model that is opened again for each backend that takes it.
struct conformance_subject {
    std::string name;
    dtype weights = bf16;
    std::function<opened_model(dtype kv)> open;  ///< with all matrices in `weights`
    u32_t workers = 1;

    std::unique_ptr<session> on_cpu(dtype kv = bf16) const {
        return std::make_unique<session>(loaded_model(open(kv)), lower_config{.workers = workers});
    }
};

/// The CPU's logits after each token of a sequence.
inline logits_list logits_after_each(session& s, std::span<const u32_t> tokens) {
    logits_list all;
    s.reset();
    for (const u32_t token : tokens) {
        s.generate({&token, 1}).next();
        all.emplace_back(s.logits().begin(), s.logits().end());
    }
    return all;
}

/// Runs tokens in passes of a kernel's rows from position 0, with logits after each; `each(index, chosen, logits)`.
template <class Each>
void run_with_logits(gpu_model& m, bool prompt, std::span<const u32_t> tokens, const Each& each) {
    const gpu_kernel& k = m.kernel(prompt);
    const u32_t rows = k.rows();
    const u32_t steps = std::max(1U, std::max(m.prompt_rows(), m.most_steps()) / rows);  // whose logits have room
    for (usz from = 0; from < tokens.size();) {
        const usz first = from;
        std::vector<step_order> orders;
        std::vector<i32_t> ids;
        for (; orders.size() < steps && from < tokens.size(); from += rows) {
            const auto live = static_cast<u32_t>(std::min<usz>(rows, tokens.size() - from));
            orders.push_back({.position = static_cast<u32_t>(from), .live = live});
            for (u32_t r = 0; r < rows; ++r) ids.push_back(r < live ? static_cast<i32_t>(tokens[from + r]) : 0);
        }
        m.run(prompt, orders, ids, true);
        for (u32_t s = 0; s < orders.size(); ++s)
            for (u32_t r = 0; r < orders[s].live; ++r) each(first + usz{s} * rows + r, k.chosen(s, r), m.logits(s, r));
    }
}

/// Reads tokens without logits, as a session reads prompts.
inline void read_tokens(gpu_model& m, std::span<const u32_t> tokens, u64_t position) {
    std::vector<i32_t> ids(tokens.begin(), tokens.end());
    const usz most = usz{m.prompt_rows()} * m.most_steps();
    for (usz i = 0; i < ids.size(); i += most) m.read(std::span(ids).subspan(i, std::min(most, ids.size() - i)), position + i);
}

}  // namespace netra::tool
