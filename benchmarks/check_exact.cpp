// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The exact checker on lowerings of real models: time, tasks and memory. Every case is one that it accepts.
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/schedule/checks/exact.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocated = 0;
std::size_t most_allocated = 0;
constexpr std::size_t header = 32;
}  // namespace

// note: not inlined, or g++ takes the shifted pointer for one that malloc never gave
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
    void* const memory = std::malloc(bytes + header);
    if (memory == nullptr) throw std::bad_alloc();
    *static_cast<std::size_t*>(memory) = bytes;
    allocated += bytes;
    most_allocated = std::max(most_allocated, allocated);
    return static_cast<char*>(memory) + header;
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
    if (memory == nullptr) return;
    void* const start = static_cast<char*>(memory) - header;
    allocated -= *static_cast<std::size_t*>(start);
    std::free(start);
}
void operator delete[](void* memory, std::size_t) noexcept { operator delete[](memory); }

using namespace netra;

namespace {

constexpr llama model(u32_t layers, u32_t rows) {
    return {.hidden = 4096,
            .layers = layers,
            .heads = 32,
            .kv_heads = 8,
            .head_dim = 128,
            .intermediate = 14336,
            .vocab = 128256,
            .context = 4096,
            .rows = rows,
            .weights = q8_0};
}

void check(benchmark::State& state, const expanded_view& v) {
    const std::size_t before = allocated;
    most_allocated = allocated;
    for (auto _ : state)
        if (const exact_result r = check_exact(v); !r.ok()) return state.SkipWithError(sentence(r.found).d);
    state.counters["tasks"] = static_cast<double>(v.task_count);
    state.counters["waits"] = static_cast<double>(v.wait_count);
    state.counters["accesses"] = static_cast<double>(v.access_count);
    state.counters["memory"] = benchmark::Counter(static_cast<double>(most_allocated - before), benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
}

/// Layers, rows of a step, outputs of a projection's tile.
void lowering(benchmark::State& state, lower_config config) {
    config.workers = 132;
    config.tile_outputs = static_cast<u32_t>(state.range(2));
    dynamic_schedule s;
    lower(model(static_cast<u32_t>(state.range(0)), static_cast<u32_t>(state.range(1))), host_cpu(132), config, s);
    plan_memory(s);
    const expanded_schedule made(view(s));
    check(state, made.view());
}
BENCHMARK_CAPTURE(lowering, fused, lower_config{})->Args({40, 1, 0})->Args({40, 1, 64})->Args({40, 1, 8})->Args({40, 16, 64})->Args({40, 16, 8})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lowering, split, lower_config{.fuse_norm = false, .fuse_qkv = false, .fuse_gate_up = false, .fuse_residual = false})
    ->Args({40, 1, 0})
    ->Args({40, 1, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lowering, round_robin, lower_config{.per_head_waits = true, .assignment = queue_assignment::round_robin})
    ->Args({40, 1, 0})
    ->Args({40, 1, 8})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
