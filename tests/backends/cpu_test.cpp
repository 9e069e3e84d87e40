// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cpu.hpp>

#include <chrono>
#include <random>
#include <thread>

#include "backends/cpu/random.hpp"
#include "schedule/lowered.hpp"
#include "support/dice.hpp"

using namespace netra;
using namespace netra::testing;

namespace {

/// A lowered model with random weights for every weight buffer.
struct random_model {
    test::loose_schedule schedule;
    std::vector<std::vector<u8_t>> weights;
    std::vector<const void*> bound;

    random_model(const llama& m, const lower_config& config, unsigned seed) : schedule(test::lowered(m, config)), bound(schedule.buffers.size()) {
        for (usz i = 0; i < schedule.buffers.size(); ++i) {
            const buffer& b = schedule.buffers[i];
            if (b.kind != buffer_kind::weight) continue;
            random_source r(seed + 100 * b.role + b.layer);  // the same weight in every configuration
            const weight_format f = format_of(m, static_cast<weight_role>(b.role));
            const exact_bytes w = random_weights(r, f, b.row_bytes / block_bytes(f) * block_elements(f), b.rows);
            weights.emplace_back(w.data(), w.data() + w.size());
            bound[i] = weights.back().data();
        }
    }
};

/// 4 heads on 2 kv heads, a format of its own for every matrix, positions in three chunks.
constexpr llama mixed_model() {
    llama m{.hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 24, .intermediate = 96, .vocab = 70, .context = 300, .rows = 16,
            .norm_plus_one = true, .window = 150, .first_window_layer = 1, .kv = bf16};
    m.weights.embedding = q8_0;
    m.weights.q = q4_1;
    m.weights.k = q4_0;
    m.weights.v = q8_0;
    m.weights.o = f16;
    m.weights.gate = m.weights.up = q4_1;
    m.weights.down = q4_0;
    m.weights.head = bf16;
    m.rope.dims = 10;
    m.act = activation::gelu_tanh;
    return m;
}

/// Runs tasks after random delays.
struct delayed {
    cpu::executor& run;
    unsigned seed;

    void operator()(u32_t queue, const task& t) {
        std::minstd_rand random(seed + t.group * 131 + t.tile * 7);
        random.discard(3);
        if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
        run(queue, t);
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
        for (usz i = 0; i < configs.size(); i += 1 + r.below(test::slow_build ? 120 : 12)) {
            const std::vector<float> again = logits_of(m, configs[i], r.seed, tokens, m.rows);
            REQUIRE(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)) == 0);
            ++compared;
        }
    }
    CHECK(compared > (test::slow_build ? 10 : 100));
}

TEST_CASE("long contexts and a format for every matrix: workers, tiles, splits and rows of a step change no bit") {
    random_source r;
    INFO(r.text());
    const llama m = mixed_model();
    std::vector<i32_t> tokens(m.context);
    for (auto& t : tokens) t = static_cast<i32_t>(r.below(m.vocab));
    const std::vector<float> first = logits_of(m, {.workers = 1}, r.seed, tokens, 1);
    for (const float v : first) REQUIRE(std::isfinite(v));
    const auto configs = test::all_configs();
    for (u32_t i = 0; i < (test::slow_build ? 3U : 12U); ++i) {
        const lower_config& config = configs[r.below(static_cast<unsigned>(configs.size()))];
        const u32_t rows = r.between(1, m.rows);
        INFO("workers " << config.workers << " tiles of " << config.tile_outputs << " splits " << config.kv_splits << " rows " << rows);
        const std::vector<float> again = logits_of(m, config, r.seed, tokens, rows);
        REQUIRE(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("delays of any task change no bit") {
    random_source r;
    INFO(r.text());
    const llama m = mixed_model();
    std::vector<i32_t> tokens(2 * m.rows);
    for (auto& t : tokens) t = static_cast<i32_t>(r.below(m.vocab));
    const std::vector<float> expected = logits_of(m, {.workers = 1}, r.seed, tokens, m.rows);
    for (u32_t workers = 1; workers <= 7; ++workers) {
        const random_model model(m, {.workers = workers, .tile_outputs = 8, .kv_splits = r.between(1, 2), .per_head_waits = true}, r.seed);
        const schedule_view s = view(model.schedule);
        REQUIRE(check_schedule(s).ok());
        std::vector<u8_t> arena(s.arena_bytes);
        std::vector<std::vector<u8_t>> own;
        std::vector<u8_t*> at(s.buffer_count);
        const float* logits = nullptr;
        for (usz i = 0; i < s.buffer_count; ++i) {
            const buffer& b = s.buffers[i];
            if (b.kind == buffer_kind::activation) at[i] = arena.data() + b.arena;
            else if (b.kind == buffer_kind::weight) at[i] = const_cast<u8_t*>(static_cast<const u8_t*>(model.bound[i]));
            else at[i] = own.emplace_back(bytes(b)).data();
        }
        for (usz g = 0; g < s.group_count; ++g)
            if (s.op_of(s.groups[g]).kind == op_kind::sampling) logits = reinterpret_cast<const float*>(at[s.groups[g].accesses[0].buffer]);
        cpu::executor run(s, at);
        delayed slow{run, r.seed};
        cpu::team team(s);
        team.start(slow);
        for (usz from = 0; from < tokens.size(); from += m.rows) {
            const cpu::step_input input{.tokens = {tokens.data() + from, m.rows}, .position = from};
            run.begin_step(input);
            slow.seed += 1;
            team.step(slow);
        }
        INFO("workers " << workers);
        REQUIRE(std::memcmp(expected.data(), logits, expected.size() * sizeof(float)) == 0);
    }
}

TEST_CASE("a program that never steps ends, and one that steps many times draws the same tokens again") {
    const random_model model(test::grouped_model, {.workers = 3}, 1);
    { const cpu_program unused(view(model.schedule), model.bound); }
    std::vector<i32_t> chosen[2];
    for (auto& drawn : chosen) {
        cpu_program program(view(model.schedule), model.bound);
        i32_t token = 1;
        for (u64_t i = 0; i < 300; ++i) {
            token = program.step({.tokens = {&token, 1}, .position = i % program.context(), .sampling = {.temperature = 1.0F, .seed = i}});
            REQUIRE((token >= 0 && static_cast<u64_t>(token) < program.vocab()));
            drawn.push_back(token);
        }
    }
    CHECK(chosen[0] == chosen[1]);
    CHECK(std::count(chosen[0].begin(), chosen[0].end(), chosen[0][0]) < 300);
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
    random_model model(test::grouped_model, {.workers = 2}, 1);
    {
        cpu_program program(view(model.schedule), model.bound);
        const std::vector<i32_t> three{1, 2, 3}, one{1}, outside{11}, negative{-1};
        CHECK(program.max_rows() == 2);
        CHECK(program.context() == 6);
        CHECK(program.vocab() == 11);
        CHECK_THROWS_WITH(program.step({.tokens = {}, .position = 0}), test::containing("0 tokens") && test::containing("1 to 2"));
        CHECK_THROWS_WITH(program.step({.tokens = three, .position = 0}), test::containing("3 tokens") && test::containing("1 to 2"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = 6}), test::containing("positions 6") && test::containing("context of 6"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = ~u64_t{0}}), test::containing("context of 6"));
        CHECK_THROWS_WITH(program.step({.tokens = outside, .position = 0}), test::containing("token 11") && test::containing("vocabulary of 11"));
        CHECK_THROWS_WITH(program.step({.tokens = negative, .position = 0}), test::containing("token -1"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = 0, .sampling = {.temperature = poison}}), test::containing("temperature"));
        CHECK_THROWS_WITH(program.step({.tokens = one, .position = 0, .sampling = {.top_p = 0.0F}}), test::containing("top-p"));
        CHECK(program.step({.tokens = one, .position = 5}) >= 0);
    }
    std::vector<const void*> missing = model.bound;
    for (usz i = 0; i < missing.size(); ++i)
        if (model.schedule.buffers[i].name == name{"q[1]"}) missing[i] = nullptr;
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), missing), test::containing("weight q[1] is not bound"));
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), {}), test::containing("is not bound"));
    for (auto& b : model.schedule.buffers)
        if (b.name == name{"q[1]"}) b.kind = buffer_kind::input;
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), model.bound), test::containing("qkv[1] reads the input q[1]"));
    model.schedule.groups[3].waits.count = 0;
    CHECK_THROWS_WITH(cpu_program(view(model.schedule), model.bound), test::containing("schedule rejected ("));
}
