// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// SmolLM2-135M on the CPU backend: decode and prompt, as stored (Q4_1) and as bf16, beside the machine's read bandwidth in the same run.
/// Every case first compares its tokens with the golden ones. NETRA_DEMO_GGUF names the weights, NETRA_THREADS the threads (2).
#include <netra/engine/model_file.hpp>
#include <netra/engine/session.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sys/mman.h>

using namespace netra;

namespace {

u32_t threads() {
    const char* text = std::getenv("NETRA_THREADS");
    return text == nullptr ? 2 : static_cast<u32_t>(std::max(1, std::atoi(text)));
}

/// Bytes per second that all threads together read from memory, the best of several passes over 512 MiB.
double read_bandwidth() {
    constexpr usz size = usz{512} << 20;
    static double best = 0.0;
    if (best != 0.0) return best;
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0.0;
    float* const data = static_cast<float*>(memory);
    for (usz i = 0; i < size / sizeof(float); i += 1024) data[i] = 1.0F;
    for (int pass = 0; pass < 8; ++pass) {
        const auto started = std::chrono::steady_clock::now();
        std::vector<std::thread> team;
        for (u32_t t = 0; t < threads(); ++t)
            team.emplace_back([=] {
                const usz part = size / sizeof(float) / threads() / 64 * 64;
                cpu::f32x16 sums[4] = {cpu::splat(0.0F), cpu::splat(0.0F), cpu::splat(0.0F), cpu::splat(0.0F)};
                for (const float* p = data + t * part; p != data + (t + 1) * part; p += 64)
                    for (usz i = 0; i < 4; ++i) {
                        __builtin_prefetch(p + 16 * i + cpu::prefetch_bytes / sizeof(float));
                        sums[i] = sums[i] + cpu::load(p + 16 * i);
                    }
                benchmark::DoNotOptimize(cpu::total(sums[0] + sums[1] + sums[2] + sums[3]));
            });
        for (auto& t : team) t.join();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        best = std::max(best, static_cast<double>(size) / took.count());
    }
    ::munmap(memory, size);
    return best;
}

struct golden_case {
    std::vector<u32_t> prompt;
    std::vector<u32_t> greedy;
};
golden_case read_golden(const char* name) {
    const char* source = std::getenv("NETRA_SOURCE_DIR");
    const std::string path = std::string(source == nullptr ? "." : source) + "/tests/golden/smollm2.json";
    std::ifstream file(path);
    if (!file) throw model_error(path + " is not there; run in the source folder, or let NETRA_SOURCE_DIR name it");
    const auto golden = nlohmann::json::parse(file);
    if (std::string(name) == "prompt_512") return {golden.at(name).at("ids"), golden.at(name).at("greedy")};
    for (const auto& p : golden.at("prompts"))
        if (p.at("name") == name) return {p.at("ids"), p.at("greedy")};
    throw model_error(std::string("no golden prompt ") + name);
}

std::vector<u32_t> greedy(session& s, const golden_case& c, usz tokens, generation_stats& stats) {
    s.reset();
    generation g = s.generate(c.prompt, {.max_tokens = static_cast<u32_t>(tokens), .ignore_eos = true});
    std::vector<u32_t> ids;
    for (const u32_t id : g) ids.push_back(id);
    stats = g.stats();
    return ids;
}

/// Decodes `tokens` after a golden prompt; the figures of the case are the best iteration's.
void run(benchmark::State& state, weight_storage storage, const char* name, usz tokens) {
    const char* path = std::getenv("NETRA_DEMO_GGUF");
    if (path == nullptr) return state.SkipWithError("NETRA_DEMO_GGUF names no file; `make demo` fetches it");
    try {
        const golden_case c = read_golden(name);
        const auto started = std::chrono::steady_clock::now();
        session s(loaded_model(open_model(path, {.context = 1024, .storage = storage})), {.workers = threads()});
        const std::chrono::duration<double> load = std::chrono::steady_clock::now() - started;
        generation_stats stats;
        const std::vector<u32_t> first = greedy(s, c, c.greedy.size(), stats);
        state.counters["load_to_first_token_s"] = load.count() + stats.prompt_s;
        // note: bf16 rounds the weights, so its tokens may part from the golden ones; its own first run is then what later ones must repeat
        if (storage == weight_storage::as_stored && first != c.greedy) return state.SkipWithError("tokens differ from the golden ones");
        double decode = 0.0;
        double prompt = 0.0;
        for (auto _ : state) {
            const std::vector<u32_t> ids = greedy(s, c, tokens, stats);
            if (!std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(first.size(), ids.size())), ids.begin()))
                return state.SkipWithError("tokens differ from the first run's");
            decode = std::max(decode, static_cast<double>(stats.decode_tokens) / std::max(stats.decode_s, 1e-9));
            prompt = std::max(prompt, static_cast<double>(stats.prompt_tokens) / std::max(stats.prompt_s, 1e-9));
        }
        state.counters["prompt_tokens_per_s"] = prompt;
        if (tokens < 2) return;
        const double bytes_per_s = decode * static_cast<double>(weight_bytes(s.model().contract()));
        state.counters["decode_tokens_per_s"] = decode;
        state.counters["weights_GB_per_s"] = bytes_per_s / 1e9;
        state.counters["read_GB_per_s"] = read_bandwidth() / 1e9;
        state.counters["share_of_read_bandwidth"] = bytes_per_s / read_bandwidth();
    } catch (const std::exception& e) {
        state.SkipWithError(e.what());
    }
}

}  // namespace

BENCHMARK_CAPTURE(run, decode_q4_1, weight_storage::as_stored, "gravity", 64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(run, decode_bf16, weight_storage::as_bf16, "gravity", 64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(run, prompt_512_q4_1, weight_storage::as_stored, "prompt_512", 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(run, decode_q4_1_at_512, weight_storage::as_stored, "prompt_512", 64)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_MAIN();
