// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Microseconds a token of the persistent kernel for models' shapes with random weights, and the weights' bytes a second as a share of what a
/// plain read of memory reaches in the same run. Each kernel's logits are first compared with the CPU backend's on the same weights,
/// and nothing is timed that is wrong.
///   decode_bench [--json FILE] [--commit ID] [--rows N,...] [--contexts N,...] [--activations KIND,...]
///                [--temperature T] [--top-k K] [--top-p P] [--trace FOLDER] [NAME ...]
#include <netra/engine/gpu_model.hpp>
#include <netra/engine/random_model.hpp>
#include <netra/engine/relative_l2.hpp>
#include <netra/engine/session.hpp>
#include <netra/engine/trace_svg.hpp>

#include "read_kernel.hpp"

#include <CLI/CLI.hpp>

#include <fstream>

namespace {

using namespace netra;

constexpr u32_t steps = 32;
constexpr u32_t checked_tokens = 4;
constexpr int repeats = 7;

struct shape {
    const char* name;
    llama model;
};
constexpr shape shapes[] = {
    {"SmolLM2-135M",
     {.hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .rope = {.theta = 1e5F}, .tied_head = true}},
    {"Qwen3-0.6B",
     {.hidden = 1024, .layers = 28, .heads = 16, .kv_heads = 8, .head_dim = 128, .intermediate = 3072, .vocab = 151936, .eps = 1e-6F, .rope = {.theta = 1e6F},
      .tied_head = true, .qk_norm = true}},
    {"Llama-3.2-1B",
     {.hidden = 2048, .layers = 16, .heads = 32, .kv_heads = 8, .head_dim = 64, .intermediate = 8192, .vocab = 128256, .rope = {.theta = 5e5F}, .tied_head = true}},
    {"Llama-3.1-8B",
     {.hidden = 4096, .layers = 32, .heads = 32, .kv_heads = 8, .head_dim = 128, .intermediate = 14336, .vocab = 128256, .rope = {.theta = 5e5F}}},
};

const u32_t host_workers = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);

constexpr u32_t checked_token(u32_t i) { return 1000 * i + 7; }
std::vector<std::vector<float>> logits_of_cpu(const random_model& model) {
    session cpu(loaded_model(model.open()), lower_config{.workers = host_workers});
    std::vector<std::vector<float>> all;
    for (u32_t i = 0; i < checked_tokens; ++i) {
        const std::vector<u32_t> one{checked_token(i)};
        cpu.generate(one).next();
        all.emplace_back(cpu.logits().begin(), cpu.logits().end());
    }
    return all;
}
/// The largest relative L2 of the first tokens' logits to the CPU's on the same weights.
double distance_to_cpu(gpu_model& gpu, bool prompt, const std::vector<std::vector<float>>& cpu) {
    const u32_t rows = gpu.kernel(prompt).rows();
    const u32_t live = std::min(rows, checked_tokens);
    std::vector<step_order> orders;
    std::vector<i32_t> tokens;
    for (u32_t first = 0; first < checked_tokens; first += live) {
        orders.push_back({.position = first, .live = live});
        for (u32_t r = 0; r < rows; ++r) tokens.push_back(static_cast<i32_t>(checked_token(first + r % live)));
    }
    gpu.run(prompt, orders, tokens, true);
    double worst = 0.0;
    for (u32_t i = 0; i < checked_tokens; ++i) worst = std::max(worst, relative_l2(gpu.logits(i / live, i % live), cpu[i]));
    return worst;
}

struct timing {
    double median_us = 0.0, least_us = 0.0, most_us = 0.0;
};
/// A step at `position` that chooses as `how` says, from launches of many steps; the first launches warm up.
timing time_steps(gpu_model& gpu, bool prompt, u32_t position, const sampling_parameters& how) {
    gpu_kernel& kernel = gpu.kernel(prompt);
    const u32_t rows = kernel.rows();
    std::vector<step_order> orders;
    std::vector<i32_t> tokens(usz{steps} * rows, 7);
    for (u32_t s = 0; s < steps; ++s) {
        order_draw(orders.emplace_back(step_order{.position = position + s * rows, .live = rows}), how);
        if (rows == 1 && s != 0) tokens[s] = -1;
    }
    std::vector<double> us;
    for (int i = 0; i < repeats + 2; ++i) {
        gpu.run(prompt, orders, tokens, false);
        if (i >= 2) us.push_back(static_cast<double>(kernel.last_ms()) * 1e3 / steps);
    }
    std::sort(us.begin(), us.end());
    return {us[us.size() / 2], us.front(), us.back()};
}

struct wanted {
    std::vector<u32_t> rows{1};
    std::vector<u32_t> contexts{128};
    std::vector<std::string> activations{activation_parts_names[0]};
    sampling_parameters draw{};
    std::string trace;
    u32_t kilobytes_in_flight = stream_config{}.bytes_in_flight / 1024;
};

/// One kernel of a shape: the check, then every context asked for. Adds what a results file keeps to `cases`.
void measure(const shape& s, const random_model& model, const std::vector<std::vector<float>>& of_cpu, u32_t rows, activation_parts activations,
             const wanted& w, double ceiling, nlohmann::json& cases) {
    gpu_options options{.prompt_rows = rows, .steps = steps, .keep_logits = true};
    options.stream.trace = !w.trace.empty();
    options.stream.bytes_in_flight = w.kilobytes_in_flight * 1024;
    options.stream.activations = activations;
    gpu_model gpu(model.open(), bf16, options);
    const bool prompt = rows != 1;
    const auto bytes = static_cast<double>(weight_bytes(gpu.plans().decode.model));
    const u32_t bits = activation_bits(gpu.kernel(prompt).plan());
    const double distance = distance_to_cpu(gpu, prompt, of_cpu);
    const double most = bits >= 16 ? 1e-2 : bits == 11 ? 2e-2 : 5e-2;
    if (!(distance <= most)) throw model_error(fmt::format("{}, {} rows: logits are {:.1e} from the CPU's, at most {:.0e} is right; nothing is timed", s.name, rows, distance, most));
    for (const u32_t context : w.contexts) {
        const timing t = time_steps(gpu, prompt, context, w.draw);
        const double share = bytes / (t.median_us * 1e-6) / ceiling;
        std::printf("%-13s rows %2u, activations of %2u bits, context %5u: %8.1f us a step (%.1f to %.1f), %.3f TB/s of weights = %.1f %% of the read ceiling; "
                    "logits within %.1e of the CPU's\n",
                    s.name, rows, bits, context, t.median_us, t.least_us, t.most_us, bytes / t.median_us / 1e6, 100.0 * share, distance);
        std::fflush(stdout);
        cases.push_back({{"model", s.name}, {"rows", rows}, {"activation_bits", bits}, {"temperature", w.draw.temperature}, {"context", context}, {"us", t.median_us}, {"us_least", t.least_us},
                         {"us_most", t.most_us}, {"weight_bytes", bytes}, {"share_of_read_ceiling", share}, {"relative_l2_to_cpu", distance}});
    }
    if (w.trace.empty()) return;
    const auto spans = gpu.trace();
    std::ofstream(w.trace + "/" + s.name + ".trace.json") << chrome_trace(spans);
    std::ofstream(w.trace + "/" + s.name + ".svg") << timeline_svg(spans, {.title = s.name});
}

void measure(const shape& s, const wanted& w, double ceiling, nlohmann::json& cases) {
    llama m = s.model;
    m.context = 8192;
    m.rows = 1;
    m.weights = bf16;
    m.kv = bf16;
    const random_model model(m, 1, host_workers);
    const auto of_cpu = logits_of_cpu(model);
    for (const u32_t rows : w.rows)
        for (const std::string& name : w.activations) measure(s, model, of_cpu, rows, activation_parts_of(name), w, ceiling, cases);
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("Microseconds a token of the persistent kernel for models' shapes with random weights.");
    wanted w;
    std::string json, commit;
    std::vector<std::string> names;
    app.add_option("--rows", w.rows, "tokens of a step, as 1,4,16")->delimiter(',');
    app.add_option("--contexts", w.contexts, "positions before the first token, as 128,2048")->delimiter(',');
    app.add_option("--activations", w.activations, "how activations are multiplied")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(activation_parts_names), std::end(activation_parts_names))));
    app.add_option("--temperature", w.draw.temperature, "tokens are drawn, not the likeliest; with one row only");
    app.add_option("--top-k", w.draw.top_k, "of a draw");
    app.add_option("--top-p", w.draw.top_p, "of a draw");
    app.add_option("--trace", w.trace, "an existing folder for a Chrome trace and an SVG of each shape; stamps cost about 2 %");
    app.add_option("--in-flight", w.kilobytes_in_flight, "kilobytes of a block's weight stream that are under way")->check(CLI::Range(1U, 1024U));
    app.add_option("--json", json, "where the results go");
    app.add_option("--commit", commit, "noted in the results");
    app.add_option("NAME", names, "shapes to measure; all when none is given");
    CLI11_PARSE(app, argc, argv);
    const cuda::gpu where;
    const double ceiling = benchmarks::read_bandwidth(where);
    std::printf("%s: a plain read gets %.3f TB/s\n", where.name().c_str(), ceiling / 1e12);
    nlohmann::json result{{"benchmark", "benchmarks/decode_bench"}, {"device", where.name()}, {"driver_version", where.properties().driver_version},
                          {"clock_khz", where.get(cuda::attribute::clock_khz)}, {"commit", commit}, {"read_GB_per_s", ceiling / 1e9},
                          {"correct", "logits of the first tokens against the CPU backend on the same weights, as relative L2"}, {"cases", nlohmann::json::array()}};
    for (const shape& s : shapes)
        if (names.empty() || std::find(names.begin(), names.end(), s.name) != names.end()) measure(s, w, ceiling, result["cases"]);
    if (!json.empty()) std::ofstream(json) << result.dump(1) << '\n';
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "decode_bench: %s\n", e.what());
    return 1;
}
