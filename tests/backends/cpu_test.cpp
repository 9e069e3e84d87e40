// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu.hpp>

#include "backends/cpu/random.hpp"
#include "schedule/lowered.hpp"

using namespace netra;
using namespace netra::testing;

namespace {

/// A lowered model with random weights for every weight buffer.
struct random_model {
    test::loose_schedule schedule;
    std::vector<std::vector<float>> weights;
    std::vector<const void*> bound;

    random_model(const llama& m, const lower_config& config, unsigned seed) : schedule(test::lowered(m, config)), bound(schedule.buffers.size()) {
        for (usz i = 0; i < schedule.buffers.size(); ++i) {
            const buffer& b = schedule.buffers[i];
            if (b.kind != buffer_kind::weight) continue;
            random_source r(seed + 100 * b.role + b.layer);  // the same weight in every configuration
            weights.push_back(r.normals(static_cast<usz>(bytes(b) / sizeof(float))));
            for (auto& w : weights.back()) w *= 0.3F;
            bound[i] = weights.back().data();
        }
    }
};

std::vector<float> logits_of(const llama& m, const lower_config& config, unsigned seed, const std::vector<i32_t>& tokens, u32_t rows) {
    const random_model model(m, config, seed);
    cpu_program program(view(model.schedule), model.bound);
    std::vector<float> all;
    for (usz from = 0; from < tokens.size(); from += rows) {
        const usz n = std::min<usz>(rows, tokens.size() - from);
        const i32_t chosen = program.step({.tokens = {tokens.data() + from, n}, .position = from});
        REQUIRE(chosen == argmax(program.logits().data(), program.logits().size()));
    }
    all.assign(program.logits().begin(), program.logits().end());
    return all;
}

}  // namespace

TEST_CASE("every configuration of small models with everything in them gives the same finite bits") {
    random_source r;
    INFO(r.text());
    usz compared = 0;
    for (const llama& m : {test::grouped_model, test::odd_model}) {
        std::vector<i32_t> tokens(m.context);
        for (auto& t : tokens) t = static_cast<i32_t>(r.below(m.vocab));
        const std::vector<float> first = logits_of(m, {.workers = 1}, r.seed, tokens, 1);
        for (const float v : first) REQUIRE(std::isfinite(v));
        const auto configs = test::all_configs();
        for (usz i = 0; i < configs.size(); i += 1 + r.below(12)) {
            const std::vector<float> again = logits_of(m, configs[i], r.seed, tokens, m.rows);
            REQUIRE(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)) == 0);
            ++compared;
        }
    }
    CHECK(compared > 100);
}

TEST_CASE("a step that chooses nothing leaves the last choice's logits") {
    const random_model model(test::grouped_model, {.workers = 2}, 1);
    cpu_program program(view(model.schedule), model.bound);
    const std::vector<i32_t> one{1};
    program.step({.tokens = one, .position = 0});
    const std::vector<float> before(program.logits().begin(), program.logits().end());
    CHECK(program.step({.tokens = one, .position = 1, .choose = false}) == -1);
    CHECK(std::equal(before.begin(), before.end(), program.logits().begin()));
}

TEST_CASE("what cannot run is refused before anything runs, with names and numbers") {
    using Catch::Matchers::Contains;
    random_model model(test::grouped_model, {.workers = 2}, 1);
    {
        cpu_program program(view(model.schedule), model.bound);
        const std::vector<i32_t> three{1, 2, 3}, one{1}, outside{11}, negative{-1};
        CHECK(program.max_rows() == 2);
        CHECK(program.context() == 6);
        CHECK(program.vocab() == 11);
        CHECK_THROWS_WITH(program.step({.tokens = {}, .position = 0}), Contains("0 tokens") && Contains("1 to 2"));
        CHECK_THROWS_WITH(program.step({.tokens = three, .position = 0}), Contains("3 tokens") && Contains("1 to 2"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = 6}), Contains("positions 6") && Contains("context of 6"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = ~u64_t{0}}), Contains("context of 6"));
        CHECK_THROWS_WITH(program.step({.tokens = outside, .position = 0}), Contains("token 11") && Contains("vocabulary of 11"));
        CHECK_THROWS_WITH(program.step({.tokens = negative, .position = 0}), Contains("token -1"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = 0, .sampling = {.temperature = poison}}), Contains("temperature"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = 0, .sampling = {.top_p = 0.0F}}), Contains("top-p"));
        CHECK(program.step({.tokens = one, .position = 5}) >= 0);
    }
    std::vector<const void*> missing = model.bound;
    for (usz i = 0; i < missing.size(); ++i)
        if (model.schedule.buffers[i].name == name{"q[1]"}) missing[i] = nullptr;
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), missing), Contains("weight q[1] is not bound"));
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), {}), Contains("is not bound"));
    model.schedule.groups[3].waits.count = 0;
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), model.bound), Contains("schedule rejected ("));
}
