// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The verdict on a persistent kernel's exchange, by the compiler and at run time.
#include <netra/schedule/check_stream.hpp>

#include "schedule/streamed.hpp"
#include "support/catch.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama llama_1b{.hidden = 2048, .layers = 16, .heads = 32, .kv_heads = 8, .head_dim = 64, .intermediate = 8192, .vocab = 128256, .context = 8192,
                         .rows = 1, .tied_head = true, .weights = bf16, .kv = bf16};
constexpr llama smollm2{.hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .context = 8192,
                        .rows = 16, .tied_head = true, .weights = bf16, .kv = bf16};
static_assert(check_stream(plan_stream(llama_1b, gpu_of(132), {})).ok());
static_assert(check_stream(plan_stream(smollm2, gpu_of(132), {})).ok());
static_assert(check_stream(plan_stream(smollm2, gpu_of(1), {.kv_splits = 32})).ok());

/// Rows that blocks choose which have no share of the embedding.
constexpr llama narrow{.hidden = 8, .layers = 1, .heads = 1, .kv_heads = 1, .head_dim = 8, .intermediate = 8, .vocab = 16, .context = 16,
                       .rows = 16, .weights = bf16, .kv = bf16};
static_assert(check_stream(plan_stream(narrow, gpu_of(132), {})).why == reason::data_race);
static_assert(check_stream(plan_stream(narrow, gpu_of(8), {})).ok());

}  // namespace

TEST_CASE("two layers stand for all, any number of active splits for those that are checked") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    u64_t refused = 0;
    for (u64_t i = 0; i < (slow_build ? 30U : 200U); ++i) {
        dice d((seed << 32) + i);
        stream_plan p = random_plan(d);
        p.model.layers = d.between(1, 5);
        INFO("NETRA_FUZZ_SEED=" << seed << ", plan " << i);
        const bool ok = check_stream(p).ok();
        refused += !ok;
        REQUIRE(ok == choices_end(p));
        REQUIRE(check_stream(p, p.model.layers).ok() == ok);
        for (u32_t active = 1; ok && active <= p.kv_splits; ++active) REQUIRE(detail::check_order(p, detail::checked_scope(2, active, true)).ok());
        for (u32_t headless = 0; ok && headless < 16; ++headless) {
            const u32_t draws = d.below(16), rounds = d.between(1, 5);
            for (const bool own : {false, true})
                REQUIRE(streamed(p, {.steps = 4, .headless = headless, .draws = draws, .rounds = rounds, .own_queues = own}).check().ok());
        }
        for (const u32_t rounds : {1U, 2U, draw_rounds}) REQUIRE((!ok || detail::check_draws(p, rounds).ok()));
    }
    CHECK(refused < 60);
}

TEST_CASE("layers of which the first group does not wait for all before it are not apart") {
    loose_schedule s = streamed(plan_stream(llama_1b, gpu_of(132), {}), {.layers = 2});
    CHECK(detail::layers_apart(view(s), group_order(view(s)).view()));
    for (auto& g : s.groups)
        if (std::string(g.name.d) == "qkv[1]") g.words = {};
    CHECK_FALSE(detail::layers_apart(view(s), group_order(view(s)).view()));
}
