// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What `netra conformance` runs: models of random weights, and what is checked of each.
#pragma once

#include <netra/engine/gpu_plan.hpp>

#include <string>
#include <vector>

namespace netra::tool {

struct conformance_case {
    std::string name;
    llama model;
    u32_t positions = 40;     ///< at which logits are compared
    bool every_path = false;  ///< every number of rows, both ways to copy, every kind of activations
    bool launches = false;    ///< bits over launches, delays, the wrap of epochs, aborted launches
    bool loop = false;        ///< the long token loop
    bool contexts = false;    ///< lengths of the sequence up to 8191, and positions beyond 8192
    bool large = false;       ///< only on request
};

inline std::vector<conformance_case> conformance_cases() {
    const auto bf16_model = [](llama m) {
        m.weights = bf16;
        if (m.context == 2048) m.context = 512;
        return m;
    };
    std::vector<conformance_case> all;
    const auto add = [&](const char* name, llama m) -> conformance_case& {
        return all.emplace_back(conformance_case{name, bf16_model(m)});
    };

    add("tiny", {.hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 16, .intermediate = 97, .vocab = 81, .tied_head = true})
        .loop = true;
    const llama grouped{.hidden = 256, .layers = 4, .heads = 8, .kv_heads = 2, .head_dim = 32, .intermediate = 700, .vocab = 1000};
    conformance_case& first = add("grouped", grouped);
    first.every_path = first.launches = true;
    conformance_case& halves = add("grouped-f16", grouped);
    halves.model.weights = f16;
    halves.every_path = halves.launches = true;
    add("heads",
        {.hidden = 192, .layers = 3, .heads = 6, .kv_heads = 6, .head_dim = 32, .intermediate = 512, .vocab = 777, .tied_head = true});
    add("one-kv-head", {.hidden = 512, .layers = 2, .heads = 4, .kv_heads = 1, .head_dim = 256, .intermediate = 1024, .vocab = 500});
    add("qwen3", {.hidden = 256,
                  .layers = 3,
                  .heads = 4,
                  .kv_heads = 2,
                  .head_dim = 128,
                  .intermediate = 768,
                  .vocab = 1500,
                  .rope = {.theta = 1e6F},
                  .tied_head = true,
                  .qk_norm = true});
    add("qwen2", {.hidden = 384,
                  .layers = 3,
                  .heads = 6,
                  .kv_heads = 2,
                  .head_dim = 64,
                  .intermediate = 1000,
                  .vocab = 1200,
                  .rope = {.theta = 1e6F},
                  .qkv_bias = true});
    add("biases", {.hidden = 2312,
                   .layers = 1,
                   .heads = 6,
                   .kv_heads = 2,
                   .head_dim = 20,
                   .intermediate = 40,
                   .vocab = 70,
                   .qkv_bias = true,
                   .o_bias = true,
                   .mlp_bias = true,
                   .qk_norm = true});
    add("window", {.hidden = 256,
                   .layers = 4,
                   .heads = 4,
                   .kv_heads = 2,
                   .head_dim = 64,
                   .intermediate = 600,
                   .vocab = 900,
                   .window = 9,
                   .first_window_layer = 1});
    llama gemma{.hidden = 320,
                .layers = 2,
                .heads = 5,
                .kv_heads = 5,
                .head_dim = 64,
                .intermediate = 640,
                .vocab = 800,
                .rope = {.dims = 32},
                .act = activation::gelu_tanh,
                .tied_head = true,
                .norm_plus_one = true};
    gemma.rope.pairing = rope_pairing::adjacent;
    add("partial-rotary", gemma);
    add("smollm2-4-layers", {.hidden = 576,
                             .layers = 4,
                             .heads = 9,
                             .kv_heads = 3,
                             .head_dim = 64,
                             .intermediate = 1536,
                             .vocab = 4096,
                             .rope = {.theta = 1e5F},
                             .tied_head = true});
    add("llama-3.1-8b-1-layer", {.hidden = 4096,
                                 .layers = 1,
                                 .heads = 32,
                                 .kv_heads = 8,
                                 .head_dim = 128,
                                 .intermediate = 14336,
                                 .vocab = 640,
                                 .rope = {.theta = 5e5F}});
    llama scaled{.hidden = 256,
                 .layers = 2,
                 .heads = 4,
                 .kv_heads = 2,
                 .head_dim = 64,
                 .intermediate = 512,
                 .vocab = 600,
                 .context = 16384,
                 .rope = {.theta = 5e5F},
                 .tied_head = true};
    scaled.rope.scaling = rope_scaling::llama3;
    scaled.rope.factor = 8.0F;
    add("llama3-scaling", scaled).contexts = true;

    const auto large = [&](const char* name, llama m) {
        conformance_case& c = add(name, m);
        c.large = true;
        c.positions = 12;
    };
    large("smollm2-135m", {.hidden = 576,
                           .layers = 30,
                           .heads = 9,
                           .kv_heads = 3,
                           .head_dim = 64,
                           .intermediate = 1536,
                           .vocab = 49152,
                           .rope = {.theta = 1e5F},
                           .tied_head = true});
    large("qwen3-0.6b", {.hidden = 1024,
                         .layers = 28,
                         .heads = 16,
                         .kv_heads = 8,
                         .head_dim = 128,
                         .intermediate = 3072,
                         .vocab = 151936,
                         .eps = 1e-6F,
                         .rope = {.theta = 1e6F},
                         .tied_head = true,
                         .qk_norm = true});
    llama llama3{.hidden = 2048,
                 .layers = 16,
                 .heads = 32,
                 .kv_heads = 8,
                 .head_dim = 64,
                 .intermediate = 8192,
                 .vocab = 128256,
                 .rope = {.theta = 5e5F},
                 .tied_head = true};
    llama3.rope.scaling = rope_scaling::llama3;
    llama3.rope.factor = 32.0F;
    large("llama-3.2-1b", llama3);
    llama3.hidden = 4096, llama3.layers = 32, llama3.head_dim = 128, llama3.intermediate = 14336, llama3.tied_head = false;
    llama3.rope.factor = 8.0F;
    large("llama-3.1-8b", llama3);
    return all;
}

enum class conformance_check : u8_t { logits, greedy, draws, context, bits, delays, loop, wrap, relaunch };
inline constexpr const char* conformance_check_names[] = {"logits", "greedy", "draws", "context", "bits", "delays", "loop", "wrap", "relaunch"};
constexpr const char* name_of(conformance_check c) { return conformance_check_names[static_cast<usz>(c)]; }

/// One check of a model, and the kernels that it takes.
struct conformance_task {
    conformance_check check;
    gpu_options how;
    bool decode = true;  ///< of logits: also those of the kernel for single tokens
};

/// What is checked of a case on a GPU of `capability`. `base` says the device, workers, patience, and whether race checkers look on.
inline std::vector<conformance_task> tasks_of(const conformance_case& c, const gpu_options& base, u32_t capability) {
    std::vector<conformance_task> all;
    const auto with = [&](u32_t rows, stream_config stream = {}, u32_t steps = 16) {
        gpu_options o = base;
        o.prompt_rows = rows, o.stream = stream, o.steps = steps, o.keep_logits = true;
        o.stream.race_check = base.stream.race_check;
        return o;
    };
    all.push_back({conformance_check::logits, with(4)});
    all.push_back({conformance_check::logits, with(16), false});
    if (c.every_path) {
        all.push_back({conformance_check::logits, with(2), false});
        all.push_back({conformance_check::logits, with(8), false});
        all.push_back({conformance_check::logits, with(8, {.activations = activation_parts::high_low}), false});
        for (const u32_t rows : {4U, 16U}) all.push_back({conformance_check::logits, with(rows, {.activations = activation_parts::single}), rows == 4});
        all.push_back({conformance_check::logits, with(2, {.activations = activation_parts::half})});
        if (capability >= 90)  // otherwise that is how it copies anyway
            for (const u32_t rows : {2U, 4U, 8U, 16U})
                all.push_back({conformance_check::logits, with(rows, {.copies = copy_path::cp_async}), rows == 2});
    }
    all.push_back({conformance_check::greedy, with(4)});
    all.push_back({conformance_check::draws, with(1)});
    if (c.contexts) {
        all.push_back({conformance_check::context, with(4)});
        all.push_back({conformance_check::context, with(16)});
    }
    if (c.large) all.push_back({conformance_check::bits, with(16)});
    if (c.launches) {
        all.push_back({conformance_check::bits, with(16)});
        if (capability >= 90) all.push_back({conformance_check::bits, with(16, {.copies = copy_path::cp_async})});
        all.push_back({conformance_check::delays, with(16)});
        all.push_back({conformance_check::wrap, with(16)});
        all.push_back({conformance_check::relaunch, with(16)});
    }
    if (c.loop) all.push_back({conformance_check::loop, with(16, {}, 256)});
    return all;
}

}  // namespace netra::tool
