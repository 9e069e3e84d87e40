// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The checks of `netra conformance`, each of one model with one set of kernels.
#pragma once

#include "conformance_cases.hpp"
#include "conformance_report.hpp"
#include "conformance_subject.hpp"

namespace netra::tool {

struct conformance_limits {
    u32_t launches = 20;    ///< whose bits are compared
    u64_t tokens = 20000;   ///< of the long loop
    u32_t greedy = 64;      ///< tokens after each prompt
    u32_t longest = 10000;  ///< position of the context check, at the most
    u64_t seed = 1;
};

class conformance_checks {
public:
    conformance_checks(const conformance_subject& of, const conformance_limits& limits, u32_t positions, conformance_report& report);

    /// Adds results to the report; what is thrown is left to the caller.
    void run(const conformance_task& task);
    /// Greedy tokens after prompts.
    void greedy(const gpu_options& how, const std::vector<std::vector<u32_t>>& prompts);
    void bits(const gpu_options& how);

private:
    /// The logits of some launches, and what they chose.
    struct outcome {
        std::vector<float> logits;
        std::vector<i32_t> chosen;
        bool operator==(const outcome& other) const;
    };
    outcome launch_both(gpu_model& m) const;
    const outcome& expected(const gpu_options& how);
    void logits(const gpu_options& how, bool decode);
    void draws(const gpu_options& how);
    void context(const gpu_options& how);
    void delays(const gpu_options& how);
    void loop(const gpu_options& how);
    void wrap(const gpu_options& how);
    void relaunch(const gpu_options& how);
    std::unique_ptr<gpu_model> on_gpu(const gpu_options& how) const;
    session& cpu();
    double cache_rounding();
    std::vector<u32_t> some_tokens(usz count) const;

    const conformance_subject& of_;
    const conformance_limits& limits_;
    conformance_report& report_;
    u32_t vocab_;
    std::vector<u32_t> tokens_;
    logits_list of_cpu_;
    std::unique_ptr<session> cpu_;
    std::optional<double> cache_rounding_;
    std::optional<outcome> expected_;
    stream_config expected_with_{};
};

}  // namespace netra::tool
