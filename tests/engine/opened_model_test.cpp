// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/opened_model.hpp>

#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama tiny{.hidden = 32, .layers = 2, .heads = 2, .kv_heads = 1, .head_dim = 16, .intermediate = 64, .vocab = 8, .context = 24};

/// Tensors in memory; their data lives as long as this.
struct memory_files {
    std::vector<std::unique_ptr<test::blob>> data;
    weight_files files;

    void add(const std::string& name, const weight_format& format, const std::vector<u64_t>& shape, std::span<const float> values) {
        data.push_back(std::make_unique<test::blob>(encode(format, values)));
        files.add({.name = name, .format = format, .shape = shape, .data = data.back()->data(), .bytes = data.back()->size(), .offset = 0, .file = "m"});
    }
    explicit memory_files(const llama& m, weight_naming naming, const weight_format& vectors = f32) {
        each_tensor(m, naming, vectors, [&](const auto& name, const auto& format, const auto& shape, const auto& values) { add(name, format, shape, values); });
    }
};

}  // namespace

TEST_CASE("every weight of the contract is bound once, in the order of roles and layers") {
    for (const auto naming : {weight_naming::safetensors, weight_naming::gguf}) {
        llama m = tiny;
        m.qk_norm = m.qkv_bias = true;
        const memory_files on_disk(m, naming);
        const auto bound = bind_weights(on_disk.files, m, naming);
        REQUIRE(bound.size() == on_disk.files.size());
        for (usz i = 0; i < bound.size(); ++i) {
            CHECK(bound[i].stored->name == tensor_name(naming, bound[i].role, bound[i].layer));
            if (i == 0) continue;
            const auto rank = [](const bound_weight& b) { return std::pair(b.role, b.layer); };
            CHECK(rank(bound[i - 1]) < rank(bound[i]));
        }
    }
}

TEST_CASE("formats are read from the tensors, the head's of a tied model from the embedding") {
    llama m = tiny;
    m.weights.q = q8_0;
    m.weights.down = q4_1;
    m.weights.embedding = f16;
    CHECK(weight_formats_of(memory_files(m, weight_naming::gguf).files, m, weight_naming::gguf) == m.weights);
    m.tied_head = true;
    m.weights.head = m.weights.embedding;
    CHECK(weight_formats_of(memory_files(m, weight_naming::gguf).files, m, weight_naming::gguf) == m.weights);
}

TEST_CASE("vectors may be f32, f16 or bf16, and nothing else") {
    for (const weight_format good : {weight_format{f32}, weight_format{f16}, weight_format{bf16}})
        CHECK(bind_weights(memory_files(tiny, weight_naming::gguf, good).files, tiny, weight_naming::gguf).size() == 2 * 9 + 3);
    for (const weight_format bad : {q8_0, q4_0, q4_1})
        for (const bool convert : {false, true})
            check_refused([&] { bind_weights(memory_files(tiny, weight_naming::gguf, bad).files, tiny, weight_naming::gguf, convert); },
                          {"'blk.0.attn_norm.weight'", "is a vector, which must be f32, f16 or bf16"});
}

TEST_CASE("buffers that follow from the configuration are skipped in safetensors only") {
    const std::vector<float> values(8);
    memory_files directory(tiny, weight_naming::safetensors);
    directory.add("model.layers.1.self_attn.rotary_emb.inv_freq", f32, {8}, values);
    CHECK(bind_weights(directory.files, tiny, weight_naming::safetensors).size() == directory.files.size() - 1);
    memory_files gguf(tiny, weight_naming::gguf);
    gguf.add("rotary_emb.inv_freq", f32, {8}, values);
    check_refused([&] { bind_weights(gguf.files, tiny, weight_naming::gguf); }, {"'rotary_emb.inv_freq'", "none of the weights"});
}

TEST_CASE("a weight that the contract has no use for names its role") {
    memory_files files(tiny, weight_naming::gguf);
    files.add("blk.1.attn_q_norm.weight", f32, {16}, std::vector<float>(16));
    check_refused([&] { bind_weights(files.files, tiny, weight_naming::gguf); }, {"m: tensor 'blk.1.attn_q_norm.weight'", "(q_norm)", "has no use for"});
    memory_files factors(tiny, weight_naming::gguf);
    factors.add("rope_freqs.weight", f32, {8}, std::vector<float>(8));
    check_refused([&] { bind_weights(factors.files, tiny, weight_naming::gguf); }, {"(rope_factors)"});
}
