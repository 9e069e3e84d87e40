// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Microseconds of the linear kernels of models' shapes on a GPU, and their bytes a second as a share of what the driver's own copy on the
/// device reads and writes in the same run. Each case first compares outputs with the reference, bit for bit.
#include <netra/backends/cuda.hpp>
#include <netra/codegen/kernel.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using namespace netra;

constexpr numerics wide{.order = reduction_order::lanes256};
constexpr linear q_proj_8b{.rows = 1, .out = 4096, .in = 4096, .weight = bf16, .math = wide};
constexpr linear gate_up_8b{.rows = 1, .out = 28672, .in = 4096, .weight = bf16, .math = wide};
constexpr linear down_8b{.rows = 1, .out = 4096, .in = 14336, .weight = bf16, .math = wide};
constexpr linear head_1b{.rows = 1, .out = 128256, .in = 2048, .weight = bf16, .math = wide};
constexpr linear gate_up_8b_of_4{.rows = 4, .out = 28672, .in = 4096, .weight = bf16, .math = wide};

constexpr u64_t flush_bytes = u64_t{256} << 20;

/// Bytes that the best of a few copies of 1 GiB on the device reads and writes in a second.
double copy_bandwidth(const cuda::gpu& where) {
    constexpr u64_t size = u64_t{1} << 30;
    const cuda::buffer_memory from(where, size);
    const cuda::buffer_memory to(where, size);
    cuda::stopwatch watch(where);
    float best = 1e9F;
    for (int i = 0; i < 10; ++i) {
        watch.start();
        where.api().check(where.api().copy_on_device(to.at(), from.at(), size), "cuMemcpyDtoD");
        best = std::min(best, watch.stop());
    }
    return 2.0 * static_cast<double>(size) / (static_cast<double>(best) / 1e3);
}

template <class T>
cuda::buffer_memory upload(const cuda::gpu& where, const std::vector<T>& from) {
    cuda::buffer_memory made(where, from.size() * sizeof(T));
    made.write(std::as_bytes(std::span(from)));
    return made;
}

template <const linear& C>
void run(benchmark::State& state) {
    try {
        const cuda::gpu where;
        const cuda::loaded_kernel kernel(where, netra::kernel<C, sm_90a>::image());
        std::vector<float> x(u64_t{C.rows} * C.in);
        std::vector<u16_t> w(u64_t{C.out} * C.in);
        for (usz i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 1001) / 500.0F - 1.0F;
        for (usz i = 0; i < w.size(); ++i) w[i] = f32_to_bf16(static_cast<float>(i * 7919 % 2003) / 1000.0F - 1.0F);
        const cuda::buffer_memory on_x = upload(where, x);
        const cuda::buffer_memory on_w = upload(where, w);
        cuda::buffer_memory on_y(where, u64_t{C.rows} * C.out * 4);
        cuda::buffer_memory flush(where, flush_bytes);
        on_y.fill(0xff);
        const cuda::device_memory arguments[] = {on_x.at(), on_w.at(), 0, on_y.at()};
        kernel.launch(arguments);
        std::vector<float> got(u64_t{C.rows} * C.out);
        on_y.read(std::as_writable_bytes(std::span(got)));
        constexpr linear one{.rows = 1, .out = 1, .in = C.in, .weight = C.weight, .math = C.math};
        for (u64_t o = 0; o < C.out; o += 97)
            for (u64_t r = 0; r < C.rows; ++r) {
                float expected = 0.0F;
                reference(one, x.data() + r * C.in, reinterpret_cast<const u8_t*>(w.data() + o * C.in), nullptr, &expected);
                if (f32_bits(expected) != f32_bits(got[r * C.out + o])) return state.SkipWithError("an output differs from the reference");
            }
        cuda::stopwatch watch(where);
        float best = 1e9F;
        for (auto _ : state) {
            flush.fill(0);  // what the second-level cache held is gone
            watch.start();
            kernel.launch(arguments);
            const float ms = watch.stop();
            best = std::min(best, ms);
            state.SetIterationTime(static_cast<double>(ms) / 1e3);
        }
        const double bytes_per_s = static_cast<double>(netra::bytes(C)) / (static_cast<double>(best) / 1e3);
        const double copied = copy_bandwidth(where);
        state.counters["us"] = static_cast<double>(best) * 1e3;
        state.counters["GB_per_s"] = bytes_per_s / 1e9;
        state.counters["copy_GB_per_s"] = copied / 1e9;
        state.counters["share_of_copy"] = bytes_per_s / copied;
    } catch (const std::exception& e) {
        state.SkipWithError(e.what());
    }
}

}  // namespace

BENCHMARK(run<q_proj_8b>)->Name("q_proj_8b")->UseManualTime();
BENCHMARK(run<gate_up_8b>)->Name("gate_up_8b")->UseManualTime();
BENCHMARK(run<down_8b>)->Name("down_8b")->UseManualTime();
BENCHMARK(run<head_1b>)->Name("head_1b")->UseManualTime();
BENCHMARK(run<gate_up_8b_of_4>)->Name("gate_up_8b_of_4")->UseManualTime();
BENCHMARK_MAIN();
