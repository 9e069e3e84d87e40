// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// SmolLM2-135M-Instruct with its trained weights against Hugging Face's tokens and fp64 logits, at run time and as a compiled program.
#include <netra/engine/npy.hpp>
#include <netra/engine/relative_l2.hpp>
#include <netra/engine/session.hpp>
#include <netra/engine/text.hpp>
#include <netra/models/smollm2.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/golden.hpp"

using namespace netra;

namespace {

using decode = program<models::smollm2, host_cpu(), lower_config{.workers = 2}>;
static_assert(accepted<decode>);

const char* demo_file() {
    const char* path = std::getenv("NETRA_DEMO_GGUF");
    if (path == nullptr || !std::filesystem::exists(path)) {
        WARN("skipped: NETRA_DEMO_GGUF names no file; `make demo` fetches the demo's weights");
        return nullptr;
    }
    return path;
}

nlohmann::json read_golden() {
    std::ifstream file(test::golden_path("smollm2.json"));
    return nlohmann::json::parse(file);
}

std::vector<u32_t> greedy(session& s, const std::vector<u32_t>& prompt, usz tokens, std::vector<float>& logits) {
    s.reset();
    std::vector<u32_t> ids;
    generation g = s.generate(prompt, {.max_tokens = static_cast<u32_t>(tokens), .ignore_eos = true});
    for (const u32_t id : g) {
        if (ids.empty()) logits.assign(s.logits().begin(), s.logits().end());
        ids.push_back(id);
    }
    return ids;
}

}  // namespace

TEST_CASE("SmolLM2-135M gives Hugging Face's tokens, compiled in or opened at run time, with the same bits") {
    const char* path = demo_file();
    if (path == nullptr) return;
    const nlohmann::json golden = read_golden();
    session at_run_time(loaded_model(open_model(path, {})), {.workers = 1});
    session compiled_in(load<decode>(open_model(path, options_for<decode>)), compiled<decode>);
    const tokenizer tokens = open_tokenizer(compiled_in.model().opened());
    const usz most = test::slow_build ? 8 : 64;
    usz compared = 0;
    for (const auto& prompt : golden.at("prompts")) {
        INFO(prompt.at("name"));
        const auto ids = prompt.at("ids").get<std::vector<u32_t>>();
        if (test::slow_build && ids.size() > 40) continue;
        CHECK(tokens.encode(prompt.at("text").get<std::string>()) == ids);
        if (prompt.at("kind") == "chat" && prompt.at("messages").size() == 1)
            CHECK(encode_chat(tokens, prompt.at("messages")[0].at("content").get<std::string>()) == ids);
        auto expected = prompt.at("greedy").get<std::vector<u32_t>>();
        expected.resize(std::min(expected.size(), most));
        std::vector<float> logits;
        std::vector<float> same;
        CHECK(greedy(compiled_in, ids, expected.size(), logits) == expected);
        CHECK(greedy(at_run_time, ids, expected.size(), same) == expected);
        CHECK(std::memcmp(logits.data(), same.data(), 4 * logits.size()) == 0);
        compared += expected.size();
        for (const auto& [id, value] : prompt.at("logits").at("sample").get<std::vector<std::pair<usz, double>>>())
            CHECK(std::abs(static_cast<double>(logits.at(id)) - value) <= 1e-3);
        if (!prompt.at("logits").at("file").is_string()) continue;
        const npy_array reference = read_npy(test::golden_path(prompt.at("logits").at("file").get<std::string>()));
        const double distance = relative_l2(logits, reference.values);
        CHECK(distance <= 1e-5);
        std::printf("SmolLM2-135M: logits within %.2g of fp64 (relative L2)\n", distance);
    }
    CHECK(compared >= (test::slow_build ? 3 : 8) * most);
    std::printf("SmolLM2-135M: %zu tokens equal Hugging Face's\n", compared);
}

TEST_CASE("a program compiled for one model refuses the file of another, naming what differs") {
    const auto models = test::golden_models();
    const test::temporary_directory directory;
    models.front().second.write_directory(directory.path());
    CHECK_THROWS_WITH(load<decode>(open_model(directory.path())), netra::test::containing("hidden is") && netra::test::containing("compiled for 576"));
}
