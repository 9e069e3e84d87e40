// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu/sample.hpp>

#include "backends/cpu/random.hpp"

using namespace netra;
using namespace netra::testing;

namespace {
struct chooser {
    std::vector<u32_t> order;

    i32_t fast(const std::vector<float>& logits, const sampling_parameters& p, u64_t position) {
        order.resize(logits.size());
        return cpu::sample({.vocab = static_cast<u32_t>(logits.size())}, p, position, logits.data(), order);
    }
    i32_t slow(const std::vector<float>& logits, const sampling_parameters& p, u64_t position) {
        return reference(sampling{.vocab = static_cast<u32_t>(logits.size())}, p, position, logits.data());
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

TEST_CASE("sample chooses as the reference does in vocabularies up to 2000, among ties and infinities, with extreme parameters") {
    random_source r;
    INFO(r.text());
    chooser choose;
    for (int i = 0; i < 250; ++i) {
        const u32_t vocab = r.one_of({r.between(1, 2000), 1U, 2U, 15U, 16U, 17U, 32U, r.between(500, 2000)});
        std::vector<float> logits = r.normals(vocab);
        const float spread = r.one_of({0.0F, 1.0F, 10.0F, 1e4F});
        for (auto& v : logits) v *= spread;
        const u32_t minus = r.one_of({0U, 0U, vocab / 2, vocab - 1});
        for (u32_t k = 0; k < minus; ++k) logits[r.below(vocab)] = -INFINITY;
        if (std::all_of(logits.begin(), logits.end(), [](float v) { return v == -INFINITY; })) logits[r.below(vocab)] = -3.0F;
        std::vector<float> given = logits;  // a NaN stands for -inf
        if (r.below(2) == 1)
            for (auto& v : given)
                if (v == -INFINITY && r.below(2) == 1) v = poison;
        const sampling_parameters p{.temperature = r.one_of({0.0F, 1e-30F, 1e-4F, 0.5F, 1.0F, 100.0F}), .top_k = r.one_of({0U, 1U, 2U, vocab - 1, vocab, vocab + 1, ~0U}),
                                    .top_p = r.one_of({1.0F, 0.999F, 0.5F, 1e-30F, 1e-3F}), .seed = ~u64_t{0} - r.below(1000)};
        const u64_t position = r.one_of({u64_t{0}, u64_t{r.below(5000)}, ~u64_t{0}});
        INFO("vocab " << vocab << " spread " << spread << " temperature " << p.temperature << " top_k " << p.top_k << " top_p " << p.top_p << " at " << position);
        const i32_t chosen = choose.fast(given, p, position);
        REQUIRE(chosen == choose.slow(logits, p, position));
        REQUIRE((chosen >= 0 && static_cast<u32_t>(chosen) < vocab));
        REQUIRE(logits[static_cast<usz>(chosen)] > -INFINITY);
        REQUIRE(choose.fast(given, p, position) == chosen);
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

TEST_CASE("infinite logits: the first of the largest, as the reference") {
    chooser choose;
    for (u64_t i = 0; i < 50; ++i) {
        const std::vector<float> two{1.0F, INFINITY, 0.0F, INFINITY};
        const std::vector<float> none(20, -INFINITY);
        for (const auto& logits : {two, none}) CHECK(choose.fast(logits, {.temperature = 1.0F, .seed = 3}, i) == argmax(logits.data(), logits.size()));
    }
}

TEST_CASE("vocabularies of real models: the tokens of the definition, and none of many equals is left out") {
    random_source r;
    INFO(r.text());
    chooser choose;
    std::vector<float> logits = r.normals(60000);
    for (auto& v : logits) v = 4.0F * std::round(v * 64.0F) / 64.0F;
    for (u64_t i = 0; i < 30; ++i) {
        const sampling_parameters p{.temperature = 1.0F, .top_k = 40, .seed = r.seed};
        std::vector<float> sorted = logits;
        std::nth_element(sorted.begin(), sorted.begin() + 39, sorted.end(), std::greater<>());
        const draw d = draw_at(p, i);
        i32_t best = -1;
        for (u32_t t = 0; t < logits.size(); ++t)
            if (logits[t] >= sorted[39] && (best < 0 || sampled::score(d, logits[t], t) > sampled::score(d, logits[static_cast<usz>(best)], static_cast<u32_t>(best))))
                best = static_cast<i32_t>(t);
        CHECK(choose.fast(logits, p, i) == best);
        CHECK(choose.fast(logits, {.temperature = 1.0F, .top_k = ~0U, .seed = r.seed}, i) == choose.fast(logits, {.temperature = 1.0F, .seed = r.seed}, i));
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

TEST_CASE("draws with temperature, top-k and top-p follow the distribution that is left, for several seeds") {
    chooser choose;
    const std::vector<float> logits{-1.0F, 2.0F, 0.5F, 1.0F, 0.0F, -3.0F, 1.5F, 0.25F};
    const std::vector<usz> by_weight{1, 6, 3, 2, 7, 4, 0, 5};
    struct cut {
        sampling_parameters parameters;
        usz left;
        double limit;  ///< of chi-square at p = 0.0001
    };
    for (const u64_t seed : {u64_t{1}, u64_t{7}, u64_t{12345}, ~u64_t{0}})
        for (const cut& c : {cut{{.temperature = 0.8F, .top_k = 5, .seed = seed}, 5, 23.5}, cut{{.temperature = 1.0F, .top_p = 0.7F, .seed = seed}, 3, 18.4},
                             cut{{.temperature = 2.0F, .seed = seed}, 8, 29.9}}) {
            INFO("seed " << seed << " left " << c.left);
            double sum = 0.0;
            const auto weight = [&](usz i) { return std::exp(static_cast<double>(logits[i]) / static_cast<double>(c.parameters.temperature)); };
            for (usz k = 0; k < c.left; ++k) sum += weight(by_weight[k]);
            std::vector<double> counts(logits.size());
            const int draws = 20000;
            for (int i = 0; i < draws; ++i) counts[static_cast<usz>(choose.fast(logits, c.parameters, static_cast<u64_t>(i)))] += 1.0;
            double chi2 = 0.0;
            for (usz k = 0; k < logits.size(); ++k) {
                const double expected = k < c.left ? draws * weight(by_weight[k]) / sum : 0.0;
                if (k < c.left) chi2 += std::pow(counts[by_weight[k]] - expected, 2) / expected;
                else CHECK(counts[by_weight[k]] == 0.0);
            }
            CHECK(chi2 < c.limit);
        }
}
