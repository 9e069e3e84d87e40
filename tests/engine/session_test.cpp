// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whole models against Hugging Face's tokens and fp64 logits, and against themselves: no configuration changes a bit.
#include <netra/engine/model_file.hpp>
#include <netra/engine/relative_l2.hpp>
#include <netra/engine/session.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"

#include <random>

using namespace netra;

namespace {

struct answer {
    std::vector<u32_t> tokens;
    std::vector<float> logits;  ///< after the prompt
    finish_reason finish = finish_reason::none;
    friend bool operator==(const answer& a, const answer& b) {
        return a.tokens == b.tokens && a.logits.size() == b.logits.size() && std::memcmp(a.logits.data(), b.logits.data(), 4 * a.logits.size()) == 0;
    }
};

answer ask(session& s, const std::vector<u32_t>& prompt, generate_options options) {
    s.reset();
    options.ignore_eos = true;
    answer a;
    generation g = s.generate(prompt, options);
    for (const u32_t id : g) {
        if (a.tokens.empty()) a.logits.assign(s.logits().begin(), s.logits().end());
        a.tokens.push_back(id);
    }
    a.finish = g.finish();
    return a;
}

answer ask_once(const std::string& path, const lower_config& config, const open_options& open, const std::vector<u32_t>& prompt, u32_t tokens) {
    session s(loaded_model(open_model(path, open)), config);
    return ask(s, prompt, {.max_tokens = tokens});
}

/// Every way to lower that the bits must not depend on.
std::vector<lower_config> configurations() {
    std::vector<lower_config> all;
    for (const u32_t workers : {1U, 2U, 3U, 7U}) all.push_back({.workers = workers});
    all.push_back({.workers = 3, .tile_outputs = 8, .kv_splits = 3, .assignment = queue_assignment::round_robin});
    all.push_back({.workers = 2, .kv_splits = 1, .heads_per_tile = 1, .fuse_norm = false, .fuse_qkv = false, .fuse_gate_up = false, .fuse_residual = false});
    all.push_back({.workers = 2, .tile_outputs = 8, .kv_splits = 1, .per_head_waits = true});
    all.push_back({.workers = 4, .tile_outputs = 40, .kv_splits = 2, .fuse_norm = false, .fuse_residual = false, .per_head_waits = true});
    return all;
}

}  // namespace

TEST_CASE("small models give Hugging Face's tokens and the logits of an fp64 reference") {
    const auto models = test::golden_models();
    REQUIRE(models.size() >= 12);
    usz tokens = 0;
    double worst = 0.0;
    for (const auto& [name, model] : models) {
        INFO(name);
        const test::temporary_directory directory;
        model.write_directory(directory.path());
        session s(loaded_model(open_model(directory.path(), {})), {.workers = 2});
        for (const auto& prompt : model.golden().at("prompts")) {
            const auto expected = prompt.at("greedy").get<std::vector<u32_t>>();
            const answer a = ask(s, prompt.at("ids").get<std::vector<u32_t>>(), {.max_tokens = static_cast<u32_t>(expected.size())});
            CHECK(a.tokens == expected);
            const double distance = relative_l2(a.logits, prompt.at("logits").get<std::vector<double>>());
            CHECK(distance <= 1e-5);
            worst = std::max(worst, distance);
            tokens += expected.size();
        }
    }
    std::printf("%zu models, %zu tokens equal; logits within %.2g of fp64 (relative L2)\n", models.size(), tokens, worst);
}

TEST_CASE("no number of workers and no configuration changes a bit") {
    usz runs = 0;
    usz turn = 0;
    for (const auto& [name, model] : test::golden_models()) {
        if (test::slow_build && ++turn % 3 != 0) continue;
        const test::temporary_directory directory;
        model.write_directory(directory.path());
        const auto prompt = model.golden().at("prompts").back().at("ids").get<std::vector<u32_t>>();
        const answer first = ask_once(directory.path(), {.workers = 1}, {}, prompt, 8);
        for (const auto& config : configurations()) {
            INFO(name << ", " << config.workers << " workers, tile " << config.tile_outputs << ", splits " << config.kv_splits);
            CHECK(ask_once(directory.path(), config, {}, prompt, 8) == first);
            ++runs;
        }
        // rows of a step, and the context, change nothing either
        for (const u32_t rows : {1U, 3U, 7U}) CHECK(ask_once(directory.path(), {.workers = 2}, {.rows = rows, .context = 120}, prompt, 8) == first);
        CHECK(ask_once(directory.path(), {.workers = 7}, {}, prompt, 8) == ask_once(directory.path(), {.workers = 7}, {}, prompt, 8));
    }
    std::printf("%zu configurations gave the same bits\n", runs);
}

TEST_CASE("quantized weights as stored give the bits of their dequantized values") {
    usz compared = 0;
    usz turn = 0;
    for (const auto& [name, model] : test::golden_models()) {
        if (test::slow_build && ++turn % 3 != 0) continue;
        if (!model.not_in_gguf().empty()) continue;
        const auto prompt = model.golden().at("prompts").back().at("ids").get<std::vector<u32_t>>();
        for (const test::gguf_formats formats : {test::gguf_formats(q4_1, q8_0), test::gguf_formats(q4_0), test::gguf_formats(q8_0), test::gguf_formats(bf16), test::gguf_formats(f16)}) {
            INFO(name << " as " << name_of(formats.matrices));
            const test::temporary_directory directory;
            model.write_gguf(directory / "model.gguf", formats);
            const answer stored = ask_once(directory / "model.gguf", {.workers = 2}, {}, prompt, 8);
            CHECK(stored == ask_once(directory / "model.gguf", {.workers = 3}, {.storage = weight_storage::as_f32}, prompt, 8));
            // the same weights in Hugging Face's order of rows: another sum of products, but the same model
            model.stored_as(formats).write_directory(directory.path());
            const answer safetensors = ask_once(directory.path(), {.workers = 2}, {}, prompt, 8);
            CHECK(relative_l2(stored.logits, safetensors.logits) <= 2e-5);
            ++compared;
        }
    }
    CHECK(compared >= (test::slow_build ? 15 : 50));
}

TEST_CASE("bf16 weights are no further from fp64 than Hugging Face's own bf16") {
    usz compared = 0;
    for (const auto& [name, model] : test::golden_models()) {
        for (const auto& prompt : model.golden().at("prompts")) {
            if (!prompt.contains("hf_bf16_relative_l2")) continue;
            const test::temporary_directory directory;
            model.write_directory(directory.path());
            const answer a = ask_once(directory.path(), {.workers = 2}, {}, prompt.at("ids").get<std::vector<u32_t>>(), 1);
            CHECK(relative_l2(a.logits, prompt.at("logits").get<std::vector<double>>()) <= prompt.at("hf_bf16_relative_l2").get<double>());
            ++compared;
        }
    }
    CHECK(compared >= 3);
}

TEST_CASE("a generation ends at the end token, at the limit, at the end of the context or when stopped") {
    const auto models = test::golden_models();
    const auto& model = models.front().second;
    const test::temporary_directory directory;
    model.write_directory(directory.path());
    const auto& golden = model.golden().at("prompts").back();
    const auto prompt = golden.at("ids").get<std::vector<u32_t>>();
    const auto greedy = golden.at("greedy").get<std::vector<u32_t>>();

    opened_model opened = open_model(directory.path(), {.context = static_cast<u32_t>(prompt.size()) + 4});
    opened.end_tokens = {greedy[2]};
    session s(loaded_model(std::move(opened)), {.workers = 2});
    const usz first_end = static_cast<usz>(std::find(greedy.begin(), greedy.end(), greedy[2]) - greedy.begin());
    generation g = s.generate(prompt, {.max_tokens = 100});
    std::vector<u32_t> ids;
    for (const u32_t id : g) ids.push_back(id);
    CHECK(ids == std::vector<u32_t>(greedy.begin(), greedy.begin() + static_cast<std::ptrdiff_t>(first_end) + 1));
    CHECK(g.finish() == finish_reason::eos);
    CHECK_FALSE(g.next());

    answer a = ask(s, prompt, {.max_tokens = 2});
    CHECK(a.tokens.size() == 2);
    CHECK(a.finish == finish_reason::length);
    a = ask(s, prompt, {.max_tokens = 100});
    CHECK(a.tokens == std::vector<u32_t>(greedy.begin(), greedy.begin() + 5));  // four positions after the prompt, and a token that needs none
    CHECK(a.finish == finish_reason::length);

    const std::atomic<bool> stop{true};
    s.reset();
    generation stopped = s.generate(prompt, {.stop = &stop});
    CHECK_FALSE(stopped.next());
    CHECK(stopped.finish() == finish_reason::stopped);
}

TEST_CASE("what does not fit is refused before the first token") {
    const auto models = test::golden_models();
    const test::temporary_directory directory;
    models.front().second.write_directory(directory.path());
    session s(loaded_model(open_model(directory.path(), {.context = 8})), {.workers = 1});
    CHECK_THROWS_WITH(s.generate({}), netra::test::containing("at least one"));
    const std::vector<u32_t> nine(9, 1);
    CHECK_THROWS_WITH(s.generate(nine), netra::test::containing("9 tokens, but only 8"));
    const std::vector<u32_t> outside{1, 1U << 30};
    CHECK_THROWS_WITH(s.generate(outside), netra::test::containing("1073741824"));
    const std::vector<u32_t> one{1};
    CHECK_THROWS_WITH(s.generate(one, {.sampling = {.temperature = -1.0F}}), netra::test::containing("temperature"));
    CHECK_THROWS_WITH(session(loaded_model(open_model(directory.path(), {})), lower_config{.workers = 0}), netra::test::containing("workers is 0"));
    CHECK_THROWS_WITH(session(loaded_model(open_model(directory.path(), {})), lower_config{.workers = 300}), netra::test::containing("300 workers"));
}

TEST_CASE("a seed gives the same text again, another seed another") {
    const auto models = test::golden_models();
    const test::temporary_directory directory;
    models.front().second.write_directory(directory.path());
    const auto sampled = [&](u64_t seed, u32_t workers) {
        session s(loaded_model(open_model(directory.path(), {})), {.workers = workers});
        return ask(s, {1, 2, 3}, {.max_tokens = 32, .sampling = {.temperature = 1.0F, .top_k = 50, .top_p = 0.95F, .seed = seed}}).tokens;
    };
    CHECK(sampled(7, 1) == sampled(7, 3));
    CHECK(sampled(7, 1) != sampled(8, 1));
}
