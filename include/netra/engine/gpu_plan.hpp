// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a model becomes on the GPU that a machine has: the device's record, the plans for single tokens and for prompts, the memory they
/// take.
#pragma once

#include <netra/backends/cuda/device_check.hpp>
#include <netra/codegen/megakernel.hpp>
#include <netra/contracts/devices.hpp>
#include <netra/engine/stream_weights.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace netra::inline v0 {

/// @pre `name` is one of activation_parts_names
inline activation_parts activation_parts_of(std::string_view name) {
    return static_cast<activation_parts>(std::find(std::begin(activation_parts_names), std::end(activation_parts_names), name) -
                                         std::begin(activation_parts_names));
}

struct gpu_options {
    int device = 0;
    u32_t prompt_rows = max_rows;  ///< tokens of a pass over a prompt, at the most: fewer where that does not fit a block's shared memory
    u32_t steps = 16;              ///< of a launch, at the most
    bool keep_logits = false;      ///< of every step
    std::vector<stream_code> compiled{};  ///< megakernel<...>::code(): used for the plans that are theirs, kernels for others are written now
    stream_config stream{};
    u32_t patience_ms = 2000;                                                  ///< after which a kernel that waits gives up
    double limit_s = 120.0;                                                    ///< after which a launch that has not ended is an error
    u32_t workers = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);  ///< that pack weights
};

/// netra's record of a GPU, or one made of what the driver says.
inline device device_of(const cuda::gpu_properties& real) {
    const u32_t newest = cuda::newest_ptx(real.driver_version);
    device made{.name = "gpu",
                .isa = instruction_set::ptx,
                .workers = real.multiprocessors,
                .memory_bytes = real.memory_bytes,
                .shared_bytes = real.shared_bytes};
    made.gpu = {.code = sm_80,
                .capability = real.capability,
                .registers = real.registers,
                .threads = real.threads,
                .cache_bytes = real.cache_bytes};
    for (const target& t : ptx_targets)
        if (runs_on(t, real.capability) && (t.first_isa <= newest || newest == 0)) made.gpu.code = t;
    const auto same = [&](const device& d) {
        return d.gpu.capability == real.capability && d.workers == real.multiprocessors && d.shared_bytes <= real.shared_bytes &&
               d.gpu.code == made.gpu.code;
    };
    const device* known = nullptr;
    for (const device& d : gpu_devices)  // two that differ only in memory: the one whose memory is nearer
        if (same(d) &&
            (known == nullptr || std::max(d.memory_bytes, real.memory_bytes) - std::min(d.memory_bytes, real.memory_bytes) <
                                     std::max(known->memory_bytes, real.memory_bytes) - std::min(known->memory_bytes, real.memory_bytes)))
            known = &d;
    return known != nullptr ? *known : made;
}

/// Whether two plans read the same weight streams, parameters and caches.
constexpr bool share_memory(const stream_plan& a, const stream_plan& b) {
    for (usz o = 0; o < stream_ops; ++o)
        if (!(a.ops[o] == b.ops[o])) return false;
    llama m = a.model;
    m.rows = b.model.rows;
    return m == b.model && a.blocks == b.blocks && a.kv_splits == b.kv_splits && a.kv_row == b.kv_row &&
           a.split_positions == b.split_positions && a.config.kv_block == b.config.kv_block;
}

struct gpu_plans {
    stream_plan decode{};               ///< one token a step
    std::optional<stream_plan> prompt;  ///< the most tokens a step that fit; none when not even two do
    std::string why_fewer;              ///< why there are not as many as were asked for
    std::string why_rounded;            ///< why activations are rounded to bf16 where they would be f16
};

/// Whether one of the kernels multiplies bf16 weights as f16.
constexpr bool weights_change_format(const gpu_plans& p) { return weights_change_format(p.decode) || (p.prompt && weights_change_format(*p.prompt)); }
/// activation_bits of the less exact of both kernels.
constexpr u32_t least_activation_bits(const gpu_plans& p) {
    return p.prompt ? std::min(activation_bits(p.decode), activation_bits(*p.prompt)) : activation_bits(p.decode);
}

/// After `packer` has packed everything: where f16 does not hold a weight, activations are rounded to bf16 and weights stay it, unless f16 was
/// `asked` for. @throws model_error that names the weight then, and where matrices are kept as f16
inline void keep_from_f16(gpu_plans& plans, const stream_packer& packer, activation_parts asked) {
    const std::string why = packer.beyond_f16(weights_change_format(plans));
    if (why.empty()) return;
    if (plans.decode.model.weights.q == weight_format{f16}) throw model_error(why + "; keep matrices as bf16");
    if (asked == activation_parts::half) throw model_error(why + "; take other activations than half: high_low, single or automatic");
    plans.why_rounded = why;
    for (stream_plan* p : {&plans.decode, plans.prompt ? &*plans.prompt : nullptr}) {
        if (p == nullptr || !weights_change_format(*p)) continue;
        stream_config c = p->config;
        c.activations = activation_parts::single;
        *p = plan_stream(p->model, p->where, c);
    }
}

/// @throws model_error that says why the model has no persistent kernel there
inline gpu_plans plan_for(const llama& contract, dtype weights, const device& where, const gpu_options& options) {
    const auto plan = [&](u32_t rows, stream_plan& to) {
        const llama m = streamed(contract, rows, weights);
        if (const verdict v = check(m, where, options.stream); !v.ok()) return v;
        to = fitted_stream(m, where, options.stream);
        return check_layout(to);
    };
    if (options.steps == 0 || options.prompt_rows == 0 || options.prompt_rows > max_rows)
        throw model_error(fmt::format("{} steps of a launch and {} tokens of a pass; 1 or more steps and 1 to {} tokens are possible",
                                      options.steps, options.prompt_rows, max_rows));
    gpu_plans made;
    if (const verdict v = plan(1, made.decode); !v.ok()) throw model_error(sentence(v).d);
    for (u32_t rows = max_rows; rows > 1; rows /= 2) {
        if (rows > options.prompt_rows) continue;
        stream_plan p;
        const verdict v = plan(rows, p);
        if (v.ok() && share_memory(p, made.decode)) {
            made.prompt = p;
            break;
        }
        if (made.why_fewer.empty())
            made.why_fewer =
                fmt::format("{} tokens of a prompt at a time: {}", rows, v.ok() ? "another layout of the weights" : sentence(v).d);
    }
    return made;
}

/// Device memory of a session, in bytes.
struct gpu_memory_needs {
    u64_t weights = 0, embedding = 0, cache = 0, parameters = 0, angles = 0, words = 0, logits = 0, trace = 0;
    constexpr u64_t all() const { return weights + embedding + cache + parameters + angles + words + logits + trace; }
};
inline gpu_memory_needs memory_needs(const gpu_plans& plans, const gpu_options& options) {
    const stream_plan& p = plans.decode;
    const u64_t rows = plans.prompt ? plans.prompt->model.rows : 1;
    const u64_t steps = options.keep_logits ? options.steps : 1;
    return {.weights = p.blocks * stream_stride(p),
            .embedding = 2ULL * p.model.vocab * p.model.hidden,
            .cache = 2 * kv_bytes(p),
            .parameters = 4 * parameters_of(p).end,
            .angles = 4ULL * p.model.context * rotary_dims(angles(p.model)),
            .words = word_bytes * (words_of(p).end + (plans.prompt ? words_of(*plans.prompt).end : 0)),
            .logits = 4ULL * p.model.vocab * std::max(rows, steps),
            .trace = options.stream.trace ? sizeof(trace_record) * p.blocks * traced_tasks(p) * options.steps : 0};
}

/// Refuses what does not fit `free` bytes, with the largest parts.
inline void require_memory(const gpu_memory_needs& needs, u64_t free, u32_t context) {
    if (needs.all() <= free) return;
    const auto mb = [](u64_t bytes) { return (bytes + 999'999) / 1'000'000; };
    throw model_error(
        fmt::format("the model needs {} MB of GPU memory (weights {}, embedding {}, caches for {} tokens {}), of which {} MB are free; use "
                    "a shorter context, "
                    "a smaller model or --backend cpu",
                    mb(needs.all()), mb(needs.weights), mb(needs.embedding), context, mb(needs.cache), free / 1'000'000));
}

}  // namespace netra::inline v0
