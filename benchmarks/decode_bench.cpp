// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Microseconds a token of the persistent kernel for models' shapes, and their share of what a plain read of memory reaches in the same run.
#include <netra/codegen/megakernel/kernel.hpp>
#include <netra/codegen/ptx/warp.hpp>
#include <netra/contracts/devices.hpp>
#include <netra/engine/gpu_kernel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace netra;

constexpr u32_t steps = 32;

struct shape {
    const char* name;
    llama model;
};
constexpr shape shapes[] = {
    {"SmolLM2-135M", {.hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .tied_head = true}},
    {"Qwen3-0.6B", {.hidden = 1024, .layers = 28, .heads = 16, .kv_heads = 8, .head_dim = 128, .intermediate = 3072, .vocab = 151936, .tied_head = true, .qk_norm = true}},
    {"Llama-3.2-1B", {.hidden = 2048, .layers = 16, .heads = 32, .kv_heads = 8, .head_dim = 64, .intermediate = 8192, .vocab = 128256, .tied_head = true}},
    {"Llama-3.1-8B", {.hidden = 4096, .layers = 32, .heads = 32, .kv_heads = 8, .head_dim = 128, .intermediate = 14336, .vocab = 128256}},
};

/// Reads `bytes` of memory with 16-byte loads, every thread its own.
struct read_kernel {
    u32_t blocks = 0;
    static constexpr name entry() { return "read"; }
    static constexpr ptx::parameter_list parameters() {
        auto made = ptx::pointers({"from", "to", "bytes"});
        return made;
    }
    constexpr kernel_launch launch() const { return {.blocks = blocks, .threads = 512}; }
    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const reg thread = as.b32(), block = as.b32(), index = as.b32(), all = as.b32();
        as(op::mov_u32, thread, thread_index);
        as(op::mov_u32, block, block_index);
        as(op::mad_lo_u32, index, block, 512U, thread);
        const reg from = pointer_to(as, "from", index, 16);
        const reg end = pointer_to(as, "from", index, 0);
        const reg bytes = as.b64();
        as(op::ld_param_u64, bytes, named_address{"bytes"});
        as(op::add_u64, end, end, bytes);
        as(op::mov_u32, all, 0U);
        const code_label again = as.new_label();
        const u64_t stride = u64_t{blocks} * 512 * 16;
        as.place(again);
        fragment<4> got[8];
        for (u32_t i = 0; i < 8; ++i) {
            got[i] = as.template fragment_of<4>(register_class::b32);
            as(op::ld_weights_v4_b32, got[i], at(from, i * stride));
        }
        for (auto& g : got)
            for (const reg& r : g.r) as(op::xor_b32, all, all, r);
        as(op::add_u64, from, from, 8 * stride);
        const reg more = as.predicate();
        as(op::setp_lt_u64, more, from, end);
        as.when(more, op::bra, again);
        const reg never = as.predicate();
        as(op::setp_eq_u32, never, all, 0x12345678U);
        as.when(never, op::st_global_b32, at(pointer_to(as, "to", index, 0)), all);
        as(op::ret);
    }
};

double read_bandwidth(const cuda::gpu& where) {
    const u32_t blocks = 4 * static_cast<u32_t>(where.get(cuda::attribute::multiprocessors));
    const read_kernel k{blocks};
    string_sink text;
    ptx::write_module(text, k, sm_80, ptx::requirements_of(k));
    const cuda::loaded_kernel code(where, kernel_image{.text = text.s.c_str(), .size = text.s.size(), .entry = "read", .where = sm_80, .launch = k.launch()});
    const u64_t round = u64_t{blocks} * 512 * 16 * 8;
    const u64_t bytes = (u64_t{8} << 30) / round * round;
    cuda::buffer_memory from(where, bytes);
    const cuda::buffer_memory to(where, 4096);
    from.fill(1);
    cuda::stopwatch watch(where);
    float best = 1e9F;
    for (int i = 0; i < 8; ++i) {
        watch.start();
        const cuda::device_memory arguments[] = {from.at(), to.at(), bytes};
        code.launch(arguments);
        best = std::min(best, watch.stop());
    }
    return static_cast<double>(bytes) / (static_cast<double>(best) / 1e3);
}

void measure(const cuda::gpu& where, const shape& s, u32_t rows, u32_t context, double ceiling) {
    llama m = s.model;
    m.rows = rows;
    m.context = 8192;
    m.weights = bf16;
    m.kv = bf16;
    const stream_plan plan = plan_stream(m, h200, {});
    gpu_kernel kernel(where, plan, steps);
    const u64_t stride = stream_stride(plan);
    cuda::buffer_memory weights(where, stride * plan.blocks);
    std::vector<u16_t> some(u64_t{32} << 20);
    u64_t seed = 1;
    for (auto& v : some) seed = seed * 6364136223846793005ULL + 1442695040888963407ULL, v = f32_to_bf16(static_cast<float>(static_cast<i32_t>(seed >> 40) - (1 << 23)) / (1 << 23) * 0.04F);
    for (u64_t at = 0; at < weights.bytes(); at += some.size() * 2)
        weights.write(std::as_bytes(std::span(some)).first(std::min<u64_t>(some.size() * 2, weights.bytes() - at)), at);
    cuda::buffer_memory cache(where, 2 * kv_bytes(plan));
    cache.fill(0);
    std::vector<float> ones(parameters_of(plan).end, 1.0F);
    cuda::buffer_memory parameters(where, ones.size() * 4);
    parameters.write(std::as_bytes(std::span(ones)));
    cuda::buffer_memory embedding(where, u64_t{m.vocab} * m.hidden * 2);
    for (u64_t at = 0; at < embedding.bytes(); at += some.size() * 2)
        embedding.write(std::as_bytes(std::span(some)).first(std::min<u64_t>(some.size() * 2, embedding.bytes() - at)), at);
    std::vector<float> turns(u64_t{m.context} * m.head_dim, 0.7F);
    cuda::buffer_memory angles_of(where, turns.size() * 4);
    angles_of.write(std::as_bytes(std::span(turns)));
    cuda::stall_watch watch(where);
    launch_arguments a;
    a.weights = weights.at(), a.cache = cache.at(), a.parameters = parameters.at(), a.embedding = embedding.at(), a.angles = angles_of.at(), a.stall = watch.at();
    std::vector<i32_t> tokens(rows);
    std::vector<float> times;
    const cuda::work_stream stream(where);
    for (int i = 0; i < 6; ++i) {
        for (u32_t t = 0; t < steps; ++t) {
            for (u32_t r = 0; r < rows; ++r) tokens[r] = rows == 1 && t != 0 ? -1 : static_cast<i32_t>(7 + r);
            kernel.order(t, {.position = context + t * rows, .live = rows, .head = 1}, tokens);
        }
        kernel.start(a, steps, stream);
        cuda::wait_within(where.api(), stream, cuda::seconds(20.0), "decode", &watch);
        times.push_back(kernel.last_ms());
    }
    std::sort(times.begin(), times.end());
    const double us = static_cast<double>(times[times.size() / 2]) * 1e3 / steps;
    const double bytes = static_cast<double>(weight_bytes(m));
    std::printf("%-14s rows %2u context %5u: %8.1f us a step (%.1f .. %.1f), %.3f TB/s = %.1f %% of the read ceiling, chosen %d %d\n", s.name, rows, context, us,
                static_cast<double>(times.front()) * 1e3 / steps, static_cast<double>(times.back()) * 1e3 / steps, bytes / us / 1e6, 100.0 * bytes / (us * 1e-6) / ceiling,
                kernel.chosen(0, 0), kernel.chosen(steps - 1, 0));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
    const cuda::gpu where;
    const double ceiling = read_bandwidth(where);
    std::printf("%s: plain read %.3f TB/s\n", where.name().c_str(), ceiling / 1e12);
    const std::string only = argc > 1 ? argv[1] : "";
    for (const shape& s : shapes) {
        if (std::string(s.name).find(only) == std::string::npos) continue;
        for (const u32_t rows : {1U, 2U, 4U, 8U, 16U}) measure(where, s, rows, 128, ceiling);
        measure(where, s, 1, 2048, ceiling);
        measure(where, s, 1, 7900, ceiling);
    }
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "decode_bench: %s\n", e.what());
    return 1;
}
