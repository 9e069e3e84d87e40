// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Whole models on a GPU beside the CPU backend on the same 16-bit weights and bf16 caches: logits, greedy tokens, draws, and that nothing
// about a launch changes a bit. NETRA_DEMO_GGUF names the demo's weights for the last case; NETRA_GPU_TOKENS says how many of its tokens.
#include <netra/engine/any_session.hpp>
#include <netra/engine/model_file.hpp>
#include <netra/engine/relative_l2.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/gpu.hpp"

using namespace netra;

namespace {

/// The most that relative L2 of logits to the CPU's may be. `cache_rounding` is how far the CPU's logits with bf16 caches are from those
/// with f32 caches, at the most: where a cached value lies next to the middle between two bf16 values, the last bits of its fp32 sum decide
/// to which it is rounded, and that then feeds on. docs/conformance.md says what was measured.
constexpr double tolerance_of(u32_t activation_bits, double cache_rounding) {
    return activation_bits >= 16 ? std::max(1e-3, 2 * cache_rounding) : std::max(5e-3, 3 * cache_rounding);
}
/// Greedy tokens may part only where the CPU's two largest logits are as near as this, in parts of the root mean square of all logits.
constexpr double margin_of(double tolerance) { return 6.0 * tolerance; }
/// The same for SmolLM2, as a difference of logits. Its largest is around 20; 0.0143 is the most that was seen in four runs of it.
constexpr double smollm2_margin = 0.05;

struct reply {
    std::vector<u32_t> ids;
    std::vector<std::vector<float>> logits;  ///< before each of them
};
template <class Session>
reply ask(Session& s, const std::vector<u32_t>& prompt, generate_options options) {
    options.ignore_eos = true;
    s.reset();
    auto g = s.generate(prompt, options);
    reply r;
    while (const auto id = g.next()) {
        r.ids.push_back(*id);
        r.logits.emplace_back(s.logits().begin(), s.logits().end());
    }
    return r;
}
bool same_bits(const reply& a, const reply& b) {
    if (a.ids != b.ids || a.logits.size() != b.logits.size()) return false;
    for (usz i = 0; i < a.logits.size(); ++i)
        if (std::memcmp(a.logits[i].data(), b.logits[i].data(), 4 * a.logits[i].size()) != 0) return false;
    return true;
}
double root_mean_square(const std::vector<float>& v) {
    double sum = 0.0;
    for (const float x : v) sum += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(sum / static_cast<double>(v.size()));
}

/// Compares up to the first token that differs; that step's margin must be small: below `margin_allowed`, or margin_of of the tolerance. Returns the steps compared.
usz compare(const reply& gpu, const reply& cpu, double tolerance, double& worst, const std::string& what, std::optional<double> margin_allowed = {}) {
    REQUIRE(gpu.ids.size() == cpu.ids.size());
    for (usz i = 0; i < cpu.ids.size(); ++i) {
        worst = std::max(worst, relative_l2(gpu.logits[i], cpu.logits[i]));
        if (gpu.ids[i] == cpu.ids[i]) continue;
        const double margin = static_cast<double>(cpu.logits[i][cpu.ids[i]]) - static_cast<double>(cpu.logits[i][gpu.ids[i]]);
        const double allowed = margin_allowed.value_or(margin_of(tolerance) * root_mean_square(cpu.logits[i]));
        std::printf("%s: parts at step %zu with a margin of %.3g (allowed %.3g)\n", what.c_str(), i, margin, allowed);
        CHECK(margin <= allowed);
        return i + 1;
    }
    return cpu.ids.size();
}

/// A model file opened for both backends.
struct both {
    both(const std::string& path, weight_storage storage, u32_t context, const gpu_options& options)
        : cpu(loaded_model(open_model(path, {.context = context, .kv = bf16, .storage = storage})),
              {.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 16U)}),
          exact(loaded_model(open_model(path, {.context = context, .kv = f32, .storage = storage})),
                {.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 16U)}),
          gpu(make(open_model(path, {.context = context, .storage = storage}), options), {.keep_logits = options.keep_logits}) {}
    gpu_model& model() { return *made; }
    u32_t bits() const { return least_activation_bits(made->plans()); }

    double cache_rounding(const std::vector<u32_t>& prompt, const reply& of_cpu) {
        double worst = 0.0;
        std::vector<u32_t> next = prompt;
        exact.reset();
        for (usz i = 0; i < of_cpu.ids.size(); ++i) {
            exact.generate(next, {.max_tokens = 1, .ignore_eos = true}).next();
            worst = std::max(worst, relative_l2(exact.logits(), of_cpu.logits[i]));
            next.assign(1, of_cpu.ids[i]);
        }
        return worst;
    }

    std::unique_ptr<gpu_model> make(const opened_model& opened, const gpu_options& options) {
        auto m = std::make_unique<gpu_model>(opened, streamed_weights(opened.contract), options);
        made = m.get();
        return m;
    }
    gpu_model* made = nullptr;
    session cpu;
    session exact;  ///< with f32 caches
    gpu_session gpu;
};

}  // namespace

TEST_CASE("small models give the CPU's logits and greedy tokens", "[models]") {
    if (test::open_gpu() == nullptr) return;
    usz compared = 0;
    for (const auto& [name, model] : test::golden_models()) {
        if (const char* only = std::getenv("NETRA_GPU_MODEL"); only != nullptr && name.find(only) == std::string::npos) continue;
        const test::temporary_directory directory;
        model.write_directory(directory.path());
        const weight_storage storage = model.format() == weight_format{f16} ? weight_storage::as_f16 : weight_storage::as_bf16;
        for (const u32_t prompt_rows : {4U, 16U}) {
            INFO(name << ", prompts " << prompt_rows << " tokens at a time");
            both b(directory.path(), storage, 256, {.prompt_rows = prompt_rows, .keep_logits = true});
            double worst = 0.0;
            double rounding = 0.0;
            usz steps = 0;
            for (const auto& prompt : model.golden().at("prompts")) {
                const auto ids = prompt.at("ids").get<std::vector<u32_t>>();
                const reply of_cpu = ask(b.cpu, ids, {.max_tokens = 32});
                rounding = std::max(rounding, b.cache_rounding(ids, of_cpu));
                steps += compare(ask(b.gpu, ids, {.max_tokens = 32}), of_cpu, tolerance_of(b.bits(), rounding), worst, name);
            }
            const double tolerance = tolerance_of(b.bits(), rounding);
            std::printf("%-32s prompts %2u at a time, %2u bits: relative L2 %.2e over %zu steps (at most %.2e)\n", name.c_str(),
                        b.model().prompt_rows(), b.bits(), worst, steps, tolerance);
            CHECK(worst <= tolerance);
            compared += steps;
        }
    }
    CHECK(compared > 0);
}

TEST_CASE("how many steps a launch has, and that it is one of many, changes no bit", "[bits]") {
    if (test::open_gpu() == nullptr) return;
    const auto models = test::golden_models();
    const auto& model = std::find_if(models.begin(), models.end(), [](const auto& m) { return m.first == "llama_bf16"; })->second;
    const test::temporary_directory directory;
    model.write_directory(directory.path());
    const auto prompt = model.golden().at("prompts").back().at("ids").get<std::vector<u32_t>>();
    both one(directory.path(), weight_storage::as_bf16, 512, {.steps = 1, .keep_logits = true});
    const reply expected = ask(one.gpu, prompt, {.max_tokens = 40});
    for (const u32_t steps : {2U, 7U, 32U}) {
        both many(directory.path(), weight_storage::as_bf16, 512, {.steps = steps, .keep_logits = true});
        CHECK(same_bits(ask(many.gpu, prompt, {.max_tokens = 40}), expected));
    }
    both checked(directory.path(), weight_storage::as_bf16, 512, {.steps = 7, .keep_logits = true, .stream = {.race_check = true}});
    CHECK(same_bits(ask(checked.gpu, prompt, {.max_tokens = 40}), expected));
    usz equal = 0;
    for (int i = 0; i < 50; ++i) equal += same_bits(ask(one.gpu, prompt, {.max_tokens = 40}), expected) ? 1U : 0U;
    CHECK(equal == 50);

    // epochs wrap in the middle of a launch
    for (const bool prompts : {false, true}) one.model().kernel(prompts).set_epoch(~u32_t{0} - 5);
    CHECK(same_bits(ask(one.gpu, prompt, {.max_tokens = 40}), expected));

    // a sequence in two generations is the sequence
    one.gpu.reset();
    generate_options options{.max_tokens = 3, .ignore_eos = true};
    for ([[maybe_unused]] const u32_t id : one.gpu.generate(std::vector<u32_t>(prompt.begin(), prompt.begin() + 16), options)) {
    }
    one.gpu.reset();
    for ([[maybe_unused]] const u32_t id : one.gpu.generate(prompt, {.max_tokens = 1, .ignore_eos = true})) {
    }
    CHECK(std::memcmp(one.gpu.logits().data(), expected.logits[0].data(), 4 * expected.logits[0].size()) == 0);
}

TEST_CASE("draws are those of the CPU's function on the GPU's logits, however many steps a launch has", "[draws]") {
    if (test::open_gpu() == nullptr) return;
    const auto models = test::golden_models();
    const test::temporary_directory directory;
    models.front().second.write_directory(directory.path());
    both many(directory.path(), weight_storage::as_bf16, 256, {.keep_logits = true});
    both one(directory.path(), weight_storage::as_bf16, 256, {.steps = 1, .keep_logits = true});
    REQUIRE(many.gpu.steps().draws());
    const sampling choice{static_cast<u32_t>(many.gpu.steps().vocab())};
    std::vector<u32_t> order(choice.vocab);
    for (const sampling_parameters how : {sampling_parameters{.temperature = 1.0F, .seed = 3},
                                          sampling_parameters{.temperature = 0.8F, .top_k = 20, .top_p = 0.9F, .seed = 4},
                                          sampling_parameters{.temperature = 5.0F, .top_k = 50, .seed = 5},
                                          sampling_parameters{.temperature = 1.2F, .top_p = 0.7F, .seed = ~u64_t{0}},
                                          sampling_parameters{.temperature = 2.0F, .top_k = 1, .seed = 6}}) {
        INFO("temperature " << how.temperature << ", top-k " << how.top_k << ", top-p " << how.top_p);
        const std::vector<u32_t> prompt{1, 2, 3, 4, 5};
        const reply r = ask(many.gpu, prompt, {.max_tokens = 100, .sampling = how});
        REQUIRE(r.ids.size() == 100);
        usz equal = 0;
        for (usz i = 0; i < r.ids.size(); ++i)
            equal += static_cast<i32_t>(r.ids[i]) == cpu::sample(choice, how, prompt.size() - 1 + i, r.logits[i].data(), order) ? 1U : 0U;
        CHECK(equal == 100);
        CHECK(same_bits(ask(one.gpu, prompt, {.max_tokens = 100, .sampling = how}), r));
        CHECK(same_bits(ask(many.gpu, prompt, {.max_tokens = 100, .sampling = how}), r));
    }
    // after draws, greedy choices are what they were
    const reply greedy = ask(one.gpu, {1, 2, 3}, {.max_tokens = 20});
    CHECK(same_bits(ask(many.gpu, {1, 2, 3}, {.max_tokens = 20}), greedy));
    // a kernel of several tokens a step says that it does not draw
    step_order o{};
    order_draw(o, {.temperature = 1.0F});
    const std::vector<i32_t> tokens(many.model().kernel(true).rows());
    CHECK_THROWS_AS(many.model().run(true, {&o, 1}, tokens, false), model_error);
}

TEST_CASE("auto takes the GPU, and says which", "[auto]") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    const auto models = test::golden_models();
    const test::temporary_directory directory;
    models.front().second.write_directory(directory.path());
    any_session any(open_model(directory.path()), {});
    CHECK(any.backend() == std::string("cuda"));
    CHECK(any.device() == where->name());
    CHECK(any.note() == "weights stored as f32 are bf16 on the GPU");
    usz tokens = 0;
    for ([[maybe_unused]] const u32_t id : any.generate(std::vector<u32_t>{1, 2, 3}, {.max_tokens = 20, .ignore_eos = true})) ++tokens;
    CHECK(tokens == 20);
}

TEST_CASE("SmolLM2 gives the CPU's greedy tokens on the same weights", "[smollm2]") {
    if (test::open_gpu() == nullptr) return;
    const char* path = std::getenv("NETRA_DEMO_GGUF");
    if (path == nullptr || *path == '\0') {
        std::printf("NETRA_DEMO_GGUF names no file: its case is left out\n");
        return;
    }
    const auto count = static_cast<u32_t>(test::from_environment("NETRA_GPU_TOKENS", 256));
    std::ifstream file(test::golden_path("smollm2.json"));
    const nlohmann::json golden = nlohmann::json::parse(file);
    for (const weight_storage storage : {weight_storage::as_bf16, weight_storage::as_f16}) {
        both b(path, storage, 1024, {.keep_logits = true});
        both fewer(path, storage, 1024, {.prompt_rows = 4, .keep_logits = true});
        std::vector<reply> of_cpu;
        double rounding = 0.0;  // of one prompt alone it is mostly chance
        for (const auto& prompt : golden.at("prompts")) {
            const auto ids = prompt.at("ids").get<std::vector<u32_t>>();
            of_cpu.push_back(ask(b.cpu, ids, {.max_tokens = count}));
            rounding = std::max(rounding, b.cache_rounding(ids, of_cpu.back()));
        }
        for (usz i = 0; i < of_cpu.size(); ++i) {
            const auto& prompt = golden.at("prompts").at(i);
            const auto ids = prompt.at("ids").get<std::vector<u32_t>>();
            for (both* with : {&b, &fewer}) {
                const std::string name = prompt.at("name").get<std::string>() + (storage == weight_storage::as_f16 ? ", f16" : ", bf16");
                INFO(name << ", prompts " << with->model().prompt_rows() << " tokens at a time");
                double worst = 0.0;
                const auto started = std::chrono::steady_clock::now();
                const reply gpu = ask(with->gpu, ids, {.max_tokens = count});
                const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
                const double tolerance = tolerance_of(with->bits(), rounding);
                const usz steps = compare(gpu, of_cpu[i], tolerance, worst, name, smollm2_margin);
                std::printf(
                    "SmolLM2, %-20s prompts %2u at a time: %3zu of %u steps compared, %s, relative L2 %.2e (at most %.2e), GPU %.2f s\n",
                    name.c_str(), with->model().prompt_rows(), steps, count, gpu.ids == of_cpu[i].ids ? "all tokens equal" : "tokens part",
                    worst, tolerance, took.count());
                std::fflush(stdout);
                CHECK(worst <= tolerance);
            }
        }
    }
}
