// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/sample.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

namespace {
struct chooser {
    std::vector<u32_t> order;
    std::vector<double> weights;
    std::vector<u8_t> taken;

    i32_t fast(const std::vector<float>& logits, const sampling_parameters& p, u64_t position) {
        order.resize(logits.size());
        weights.resize(logits.size());
        return cpu::sample({.vocab = static_cast<u32_t>(logits.size())}, p, position, logits.data(), order, weights);
    }
    i32_t slow(const std::vector<float>& logits, const sampling_parameters& p, u64_t position) {
        taken.resize(logits.size());
        return reference(sampling{.vocab = static_cast<u32_t>(logits.size())}, p, position, logits.data(), taken.data());
    }
};
}  // namespace

TEST_CASE("sample chooses as the reference does") {
    random_source r;
    INFO(r.text());
    chooser choose;
    for (int i = 0; i < 4000; ++i) {
        std::vector<float> logits = r.normals(r.one_of({r.between(1, 20), r.between(1, 200)}));
        if (r.below(3) == 0)
            for (auto& v : logits) v = static_cast<float>(r.below(4));  // ties
        if (r.below(4) == 0) logits[r.below(static_cast<unsigned>(logits.size()))] = -INFINITY;
        const sampling_parameters p{.temperature = r.one_of({0.0F, 0.1F, 0.7F, 1.0F, 3.0F}), .top_k = r.one_of({0U, 1U, 5U, 1000U}),
                                    .top_p = r.one_of({1.0F, 0.9F, 0.5F, 1e-6F}), .seed = r.below(1000)};
        INFO("vocab " << logits.size() << " temperature " << p.temperature << " top_k " << p.top_k << " top_p " << p.top_p);
        REQUIRE(choose.fast(logits, p, static_cast<u64_t>(i)) == choose.slow(logits, p, static_cast<u64_t>(i)));
    }
}

TEST_CASE("a NaN is never chosen while there is a number, and all NaN ends") {
    chooser choose;
    for (const float temperature : {0.0F, 1.0F}) {
        CHECK(choose.fast({NAN, 1.0F, NAN, 2.0F}, {.temperature = temperature, .top_k = 1}, 0) == 3);
        CHECK(choose.fast(std::vector<float>(40, NAN), {.temperature = temperature}, 0) >= 0);
        CHECK(choose.fast(std::vector<float>(40, -INFINITY), {.temperature = temperature}, 0) >= 0);
    }
}

TEST_CASE("draws follow the distribution") {
    chooser choose;
    const std::vector<float> logits{std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)};
    const double expected[] = {0.5, 0.3, 0.15, 0.05};
    const int draws = 20000;
    double counts[4]{};
    for (int i = 0; i < draws; ++i) counts[choose.fast(logits, {.temperature = 1.0F, .seed = 42}, static_cast<u64_t>(i))] += 1.0;
    double chi2 = 0.0;
    for (int i = 0; i < 4; ++i) chi2 += std::pow(counts[i] - draws * expected[i], 2) / (draws * expected[i]);
    CHECK(chi2 < 16.3);  // 3 degrees of freedom, p = 0.001; the seed is fixed
}
