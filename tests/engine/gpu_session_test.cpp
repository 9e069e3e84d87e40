// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The session of a GPU with the CPU in the GPU's place: the tokens of a CPU session, whatever a launch holds.
#include <netra/engine/gpu_session.hpp>
#include <netra/engine/model_file.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/refusal.hpp"

using namespace netra;

namespace {

/// Steps of a GPU, made on the CPU; counts launches and checks what a GPU could not do.
class cpu_steps final : public gpu_steps {
public:
    cpu_steps(loaded_model model, u32_t rows, u32_t steps)
        : model_(std::move(model)),
          lowered_(lower_checked(model_.contract(), {.workers = 1})),
          program_(view(lowered_), model_.bind(view(lowered_))),
          rows_(rows),
          steps_(steps) {}
    u64_t context() const override { return program_.context(); }
    u64_t vocab() const override { return program_.vocab(); }
    u32_t prompt_rows() const override { return rows_; }
    u32_t most_steps() const override { return steps_; }
    bool draws() const override { return draws_; }
    void read(std::span<const i32_t> tokens, u64_t position) override {
        begin(tokens.size(), position, usz{rows_} * steps_);
        CHECK(tokens.size() % rows_ == 0);
        for (usz i = 0; i < tokens.size(); i += rows_)
            program_.step({.tokens = tokens.subspan(i, rows_), .position = position + i, .choose = false});
    }
    i32_t read_last(std::span<const i32_t> tokens, u64_t position) override {
        begin(tokens.size(), position, rows_);
        const i32_t token = program_.step({.tokens = tokens, .position = position});
        keep();
        return token;
    }
    void decode(i32_t token, u64_t position, std::span<i32_t> chosen, bool keep_logits, const sampling_parameters& how = {}) override {
        begin(chosen.size(), position, steps_);
        REQUIRE((draws_ || how == sampling_parameters{}));
        for (i32_t& c : chosen) {
            c = program_.step({.tokens = {&token, 1}, .position = position++, .sampling = how});
            if (keep_logits) keep();
            token = c;
        }
        if (broken == broken_at::token) chosen.back() = static_cast<i32_t>(vocab());
    }
    std::span<const float> logits(u32_t step) override { return logits_.at(step); }

    enum class broken_at { nothing, launch, token } broken = broken_at::nothing;
    std::vector<usz> launches;
    bool draws_ = true;

private:
    void begin(usz tokens, u64_t position, usz most) {
        REQUIRE(tokens >= 1);
        REQUIRE(tokens <= most);
        REQUIRE(position + tokens <= context());
        if (broken == broken_at::launch) throw backend_error("the kernel stopped itself");
        launches.push_back(tokens);
        logits_.clear();
    }
    void keep() { logits_.emplace_back(program_.logits().begin(), program_.logits().end()); }

    loaded_model model_;
    dynamic_schedule lowered_;
    cpu_program program_;
    u32_t rows_;
    u32_t steps_;
    std::vector<std::vector<float>> logits_;
};

const test::synthetic_model& small_model() {
    static const auto models = test::golden_models();
    return models.front().second;
}
std::vector<u32_t> prompt_of(usz n) {
    std::vector<u32_t> ids;
    for (usz i = 0; i < n; ++i) ids.push_back(static_cast<u32_t>((7 * i + 3) % 50));
    return ids;
}

/// A CPU session and a GPU session of the same model.
struct pair {
    explicit pair(u32_t rows, u32_t steps, u32_t context = 128, std::vector<u32_t> end_tokens = {}, bool keep_logits = false) {
        small_model().write_directory(folder.path());
        const auto open = [&] {
            opened_model m = open_model(folder.path(), {.context = context});
            m.end_tokens = end_tokens;
            return m;
        };
        cpu = std::make_unique<session>(loaded_model(open()), lower_config{.workers = 1});
        auto made = std::make_unique<cpu_steps>(loaded_model(open()), rows, steps);
        fake = made.get();
        gpu = std::make_unique<gpu_session>(std::move(made), gpu_session_options{.end_tokens = end_tokens, .keep_logits = keep_logits});
    }
    test::temporary_directory folder;
    std::unique_ptr<session> cpu;
    cpu_steps* fake = nullptr;
    std::unique_ptr<gpu_session> gpu;
};

struct answer {
    std::vector<u32_t> ids;
    finish_reason finish;
    u64_t position;
    u64_t prompt_tokens;
    u64_t decode_tokens;
    friend bool operator==(const answer&, const answer&) = default;
};
template <class Session>
answer ask(Session& s, const std::vector<u32_t>& prompt, const generate_options& options) {
    auto g = s.generate(prompt, options);
    answer a{};
    for (const u32_t id : g) a.ids.push_back(id);
    CHECK_FALSE(g.next());
    return {a.ids, g.finish(), s.position(), g.stats().prompt_tokens, g.stats().decode_tokens};
}

}  // namespace

TEST_CASE("greedy tokens, positions and counts are a CPU session's for every size of prompt and launch") {
    for (const u32_t rows : {1U, 4U, 16U})
        for (const u32_t steps : {1U, 3U, 16U}) {
            pair p(rows, steps);
            for (const usz n : {1U, 3U, 4U, 5U, 16U, 17U, 33U, 70U})
                for (const u32_t max_tokens : {1U, 2U, 20U}) {
                    INFO("rows " << rows << " steps " << steps << " prompt " << n << " tokens " << max_tokens);
                    p.cpu->reset();
                    p.gpu->reset();
                    const answer expected = ask(*p.cpu, prompt_of(n), {.max_tokens = max_tokens});
                    CHECK(ask(*p.gpu, prompt_of(n), {.max_tokens = max_tokens}) == expected);
                    CHECK(expected.ids.size() == max_tokens);
                    // the sequence goes on
                    CHECK(ask(*p.gpu, {5, 6, 7}, {.max_tokens = 4}) == ask(*p.cpu, {5, 6, 7}, {.max_tokens = 4}));
                }
        }
}

TEST_CASE("a launch holds as many steps as are allowed and wanted") {
    pair p(4, 8);
    ask(*p.gpu, prompt_of(50), {.max_tokens = 20});
    CHECK(p.fake->launches == std::vector<usz>{32, 16, 2, 8, 8, 3});  // passes of 4 tokens, the last pass, 19 steps
    p.fake->launches.clear();
    p.gpu->reset();
    ask(*p.gpu, prompt_of(8), {.max_tokens = 3, .sampling = {.temperature = 1.0F}});
    CHECK(p.fake->launches == std::vector<usz>{4, 4, 2});
    p.fake->launches.clear();
    p.fake->draws_ = false;
    p.gpu->reset();
    ask(*p.gpu, prompt_of(8), {.max_tokens = 3, .sampling = {.temperature = 1.0F}});
    CHECK(p.fake->launches == std::vector<usz>{4, 4, 1, 1});
}

TEST_CASE("equal seeds draw equal tokens") {
    pair p(16, 16);
    for (const u64_t seed : {1U, 2U, 3U})
        for (const sampling_parameters& how : {sampling_parameters{.temperature = 1.0F, .seed = seed},
                                               sampling_parameters{.temperature = 0.7F, .top_k = 9, .top_p = 0.9F, .seed = seed}}) {
            p.cpu->reset();
            p.gpu->reset();
            const answer expected = ask(*p.cpu, prompt_of(21), {.max_tokens = 24, .sampling = how});
            for (const bool draws : {true, false}) {
                p.fake->draws_ = draws;
                p.gpu->reset();
                CHECK(ask(*p.gpu, prompt_of(21), {.max_tokens = 24, .sampling = how}) == expected);
            }
        }
}

TEST_CASE("an end token ends a generation in the middle of a launch, and the sequence goes on behind it") {
    pair open(16, 16);
    const std::vector<u32_t> greedy = ask(*open.cpu, prompt_of(20), {.max_tokens = 24, .ignore_eos = true}).ids;
    const usz distinct = [&] {
        usz i = 5;
        while (std::find(greedy.begin(), greedy.begin() + static_cast<std::ptrdiff_t>(i), greedy[i]) !=
               greedy.begin() + static_cast<std::ptrdiff_t>(i))
            REQUIRE(++i < greedy.size());
        return i;
    }();
    pair p(16, 16, 128, {greedy[distinct]});
    const answer expected = ask(*p.cpu, prompt_of(20), {.max_tokens = 24});
    CHECK(expected.finish == finish_reason::eos);
    CHECK(expected.ids.size() == distinct + 1);
    CHECK(ask(*p.gpu, prompt_of(20), {.max_tokens = 24}) == expected);
    CHECK(ask(*p.gpu, {1, 2}, {.max_tokens = 9}) == ask(*p.cpu, {1, 2}, {.max_tokens = 9}));
}

TEST_CASE("the context ends a generation where it ends a CPU session's") {
    for (const usz n : {5U, 23U, 24U}) {
        pair p(4, 16, 24);
        const answer expected = ask(*p.cpu, prompt_of(n), {.max_tokens = 100});
        CHECK(expected.finish == finish_reason::length);
        CHECK(ask(*p.gpu, prompt_of(n), {.max_tokens = 100}) == expected);
        CHECK(expected.position == 24);
    }
    pair p(4, 16, 24);
    CHECK_THROWS_WITH(p.gpu->generate(prompt_of(25)), test::containing("25 tokens, but only 24"));
    ask(*p.gpu, prompt_of(10), {.max_tokens = 1});
    CHECK_THROWS_WITH(p.gpu->generate(prompt_of(15)), test::containing("15 tokens, but only 14"));
    CHECK_THROWS_WITH(p.gpu->generate({}), test::containing("at least one"));
    CHECK_THROWS_WITH(p.gpu->generate(std::vector<u32_t>{1U << 30}), test::containing("1073741824"));
    CHECK_THROWS_WITH(p.gpu->generate(prompt_of(1), {.sampling = {.top_p = 0.0F}}), test::containing("top-p"));
    CHECK(p.fake->launches.size() == 2);
}

TEST_CASE("a stop ends it between two tokens, also within a launch") {
    pair p(4, 16);
    std::atomic<bool> stop{false};
    gpu_generation g = p.gpu->generate(prompt_of(9), {.max_tokens = 50, .stop = &stop});
    for (int i = 0; i < 5; ++i) CHECK(g.next());
    CHECK(p.gpu->position() == 9 + 4);
    stop = true;
    CHECK_FALSE(g.next());
    CHECK(g.finish() == finish_reason::stopped);
    CHECK(g.stats().decode_tokens == 4);
    // what the launch made beyond is forgotten
    const auto greedy = ask(*p.cpu, prompt_of(9), {.max_tokens = 5});
    CHECK(ask(*p.gpu, {3}, {.max_tokens = 6}) == ask(*p.cpu, {3}, {.max_tokens = 6}));
    gpu_generation never = p.gpu->generate({{1}}, {.stop = &stop});
    CHECK_FALSE(never.next());
    CHECK(greedy.position == 13);
}

TEST_CASE("logits are those of the token given last") {
    pair p(4, 8, 128, {}, true);
    generation c = p.cpu->generate(prompt_of(11), {.max_tokens = 20});
    gpu_generation g = p.gpu->generate(prompt_of(11), {.max_tokens = 20});
    usz compared = 0;
    while (c.next() && g.next()) {
        REQUIRE(p.gpu->logits().size() == p.cpu->logits().size());
        CHECK(std::memcmp(p.gpu->logits().data(), p.cpu->logits().data(), 4 * p.cpu->logits().size()) == 0);
        ++compared;
    }
    CHECK(compared == 20);
}

TEST_CASE("a launch that fails ends the generation and leaves the sequence as it was") {
    using broken_at = cpu_steps::broken_at;
    for (const broken_at kind : {broken_at::launch, broken_at::token}) {
        pair p(4, 4);
        gpu_generation g = p.gpu->generate(prompt_of(10), {.max_tokens = 20});
        for (int i = 0; i < 5; ++i) CHECK(g.next());
        p.fake->broken = kind;
        CHECK_THROWS_AS(g.next(), backend_error);
        CHECK_FALSE(g.next());
        CHECK(g.finish() == finish_reason::stopped);
        CHECK(p.gpu->position() == 14);
        p.fake->broken = broken_at::nothing;
        ask(*p.cpu, prompt_of(10), {.max_tokens = 5});
        CHECK(ask(*p.gpu, {3}, {.max_tokens = 6}) == ask(*p.cpu, {3}, {.max_tokens = 6}));
    }
    pair p(4, 4);
    p.fake->broken = broken_at::launch;
    gpu_generation g = p.gpu->generate(prompt_of(10), {.max_tokens = 20});
    CHECK_THROWS_AS(g.next(), backend_error);
    CHECK(p.gpu->position() == 0);
}
