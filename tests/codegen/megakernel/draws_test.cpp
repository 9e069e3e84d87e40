// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Draws of the persistent kernel in the PTX interpreter: the tokens of the contract's reference on the kernel's own logits.
#include <netra/codegen/megakernel/draws.hpp>

#include "support/catch.hpp"
#include "support/stream_rig.hpp"

#include <cstdio>

using namespace netra;

namespace {

llama model_of(u32_t vocab) {
    return {.hidden = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16, .intermediate = 24, .vocab = vocab, .context = 64, .rows = 1,
            .weights = bf16, .kv = bf16};
}

/// A launch of as many steps as there are parameters; every step draws from its own logits what the reference draws from them.
std::vector<i32_t> compare(test::stream_rig& rig, const llama& m, const std::vector<sampling_parameters>& how, u32_t position = 0) {
    std::vector<step_order> orders;
    for (const sampling_parameters& p : how) {
        step_order o{.position = position + static_cast<u32_t>(orders.size())};
        order_draw(o, p);
        orders.push_back(o);
    }
    std::vector<i32_t> tokens(how.size(), -1);
    tokens[0] = 1;
    const test::stream_run run = rig.run(orders, tokens);
    REQUIRE(run.stall.state == stall_none);
    for (usz i = 0; i < how.size(); ++i) {
        INFO("step " << i << ", temperature " << how[i].temperature << ", top-k " << how[i].top_k << ", top-p " << how[i].top_p << ", seed " << how[i].seed);
        REQUIRE(run.chosen[i] == reference({m.vocab}, how[i], orders[i].position, run.logits.data() + i * m.vocab));
    }
    return run.chosen;
}

std::vector<sampling_parameters> parameters(test::dice& d, u32_t vocab, usz count) {
    constexpr float temperatures[] = {0.0F, 1.0F, 0.2F, 3.0F, 100.0F, 1e-4F};
    constexpr float shares[] = {1.0F, 0.9F, 0.5F, 0.99F, 1e-6F, 1.0F - 0x1p-24F};
    std::vector<sampling_parameters> all;
    for (usz i = 0; i < count; ++i) {
        const u32_t ks[] = {0, 1, 2, 5, 20, vocab - 1, vocab, ~0U};
        all.push_back({.temperature = temperatures[d.below(6)], .top_k = ks[d.below(8)], .top_p = shares[d.below(6)], .seed = d.below(1000)});
    }
    return all;
}

}  // namespace

TEST_CASE("the steps of a launch draw what the reference draws, whatever the number of blocks") {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("NETRA_SEED=%llu\n", static_cast<unsigned long long>(seed));
    test::dice d(seed);
    for (const auto& [vocab, blocks] : {std::pair{81U, 1U}, std::pair{81U, 3U}, std::pair{300U, 2U}, std::pair{523U, 20U}}) {
        if (test::slow_build && blocks > 3) continue;
        const llama m = model_of(vocab);
        const stream_plan plan = plan_stream(m, test::small_gpu(blocks), {.kv_block = 4});
        REQUIRE(draws(plan));
        INFO("NETRA_SEED=" << seed << ", vocabulary " << vocab << ", blocks " << blocks);
        test::stream_rig rig(plan, seed + blocks);
        compare(rig, m, parameters(d, vocab, blocks > 10 ? 4 : 16));
    }
}

TEST_CASE("copies by a warp and heaps in two halves: the kernels before sm_90") {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    test::dice d(seed);
    device where = a100;
    where.workers = 3;
    const llama m = model_of(170);
    const stream_plan plan = plan_stream(m, where, {.kv_block = 4});
    INFO("NETRA_SEED=" << seed);
    test::stream_rig rig(plan, seed);
    compare(rig, m, parameters(d, m.vocab, 20));
}

TEST_CASE("equal logits stay together, infinite ones and those that are no numbers end no step") {
    const llama m = model_of(90);
    const stream_plan plan = plan_stream(m, test::small_gpu(4), {.kv_block = 4});
    test::stream_rig rig(plan, 5);
    for (const float value : {0.0F, __builtin_inff(), __builtin_nanf("")}) {
        rig.set_final_norm(value);
        std::vector<sampling_parameters> all;
        for (const u32_t k : {0U, 3U}) all.push_back({.temperature = 1.0F, .top_k = k, .seed = k}), all.push_back({.temperature = 1.0F, .top_k = k, .top_p = 0.5F, .seed = k + 9});
        const std::vector<i32_t> chosen = compare(rig, m, all);
        for (const i32_t id : chosen) CHECK((id >= 0 && id < static_cast<i32_t>(m.vocab)));
        if (value == 0.0F) CHECK(std::count(chosen.begin(), chosen.end(), 0) < 4);  // all are equal, and all are kept
    }
}

TEST_CASE("the order in which warps run, the steps of a launch and the wrap of epochs change no draw") {
    const llama m = model_of(200);
    const stream_plan plan = plan_stream(m, test::small_gpu(5), {.kv_block = 4});
    const sampling_parameters how{.temperature = 1.5F, .top_k = 50, .top_p = 0.9F, .seed = 11};
    std::vector<i32_t> first;
    for (const u64_t order : {1ULL, 2ULL, 3ULL}) {
        test::stream_rig rig(plan, 70);
        rig.machine().set_seed(order);
        if (order == 2) rig.set_epoch(~u32_t{0} - 5);
        const std::vector<i32_t> run = compare(rig, m, std::vector<sampling_parameters>(9, how));
        if (first.empty()) first = run;
        CHECK(run == first);
        for (u32_t i = 1; order == 3 && i < 4; ++i) {
            step_order one{.position = 8 + i};
            order_draw(one, how);
            rig.run({one}, {-1});
        }
    }
    CHECK(std::count(first.begin(), first.end(), first[0]) < 9);
}

TEST_CASE("a launch of draws whose words never come ends and says so; the next one draws") {
    const llama m = model_of(90);
    const stream_plan plan = plan_stream(m, test::small_gpu(3), {.kv_block = 4});
    test::stream_rig rig(plan, 80);
    const sampling_parameters how{.temperature = 1.0F, .top_k = 5, .top_p = 0.5F, .seed = 2};
    step_order o{.position = 0};
    order_draw(o, how);
    const test::stream_run lost = rig.run({o}, {-1}, 1);  // no step before it has chosen a token
    CHECK(lost.stall.state == stall_found);
    rig.clear_stall();
    compare(rig, m, {how, how});
}

TEST_CASE("kernels of several rows, and of blocks without room for their logits, do not draw") {
    llama m = model_of(81);
    m.rows = 2;
    CHECK_FALSE(draws(plan_stream(m, test::small_gpu(3), {})));
    CHECK(words_of(plan_stream(m, test::small_gpu(3), {})).rounds == words_of(plan_stream(m, test::small_gpu(3), {})).end);
    m.rows = 1;
    m.vocab = 70000;
    const stream_plan plan = plan_stream(m, test::small_gpu(1), {});
    CHECK_FALSE(draws(plan));
    CHECK(check_layout(plan).ok());
    CHECK(draws(plan_stream(m, test::small_gpu(4), {})));
}
