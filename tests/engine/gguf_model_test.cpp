// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gguf_model.hpp>

#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama file_contract() {
    llama m{.hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 16, .intermediate = 96, .vocab = 48, .context = 40};
    m.rope.pairing = rope_pairing::adjacent;
    return m;
}
constexpr llama plain = file_contract();

/// The file of `plain` with `change(name, format, shape)` applied to every tensor; one that becomes nameless is left out.
template <class Change>
gguf_writer changed(Change change) {
    gguf_writer out = gguf_model_keys_of(plain, "llama");
    each_tensor(plain, weight_naming::gguf, f32, [&](std::string name, weight_format format, std::vector<u64_t> shape, std::vector<float> values) {
        change(name, format, shape);
        if (name.empty()) return;
        u64_t count = 1;
        for (const u64_t n : shape) count *= n;
        values.resize(count);
        out.tensor(name, format, shape, std::span<const float>(values));
    });
    return out;
}

void refused(const gguf_writer& file, std::initializer_list<std::string_view> parts, const open_options& options = {}) {
    const temporary_directory folder;
    file.write(folder / "m.gguf");
    check_refused([&] { open_gguf_model(folder / "m.gguf", options); }, parts);
}

}  // namespace

TEST_CASE("options say how the file is used, and nothing about the weights") {
    const temporary_directory folder;
    const std::string path = folder / "m.gguf";
    gguf_model(plain, "llama").write(path);
    CHECK(open_gguf_model(path, {}).contract == plain);
    llama m = plain;
    m.rows = 3;
    m.context = 17;
    m.kv = f16;
    CHECK(open_gguf_model(path, {.rows = 3, .context = 17, .kv = f16}).contract == m);
    m = plain;
    m.weights = bf16;
    CHECK(open_gguf_model(path, {.storage = weight_storage::as_bf16}).contract == m);
    refused(gguf_model(plain, "llama"), {"17 rows"}, {.rows = 17});
    refused(gguf_model(plain, "llama"), {"41", "40"}, {.context = 41});
}

TEST_CASE("missing, stray and misshapen tensors are named") {
    for (const char* gone : {"blk.1.attn_k.weight", "token_embd.weight", "output_norm.weight", "blk.0.ffn_norm.weight"})
        refused(changed([&](std::string& name, auto&, auto&) { name = name == gone ? "" : name; }), {gone});
    gguf_writer stray = gguf_model(plain, "llama");
    refused(stray.tensor("blk.0.attn_qkv.weight", f32, {1, 2}, std::vector<float>(2)), {"'blk.0.attn_qkv.weight' (f32 [1 x 2]", "none of the weights"});
    gguf_writer deep = gguf_model(plain, "llama");
    refused(deep.tensor("blk.2.attn_norm.weight", f32, {64}, std::vector<float>(64)), {"belongs to layer 2, but the model has 2 layers"});
    const auto turned = changed([](const std::string& name, auto&, std::vector<u64_t>& shape) {
        if (name == "blk.1.ffn_down.weight") shape = {96, 64};
    });
    refused(turned, {"'blk.1.ffn_down.weight' (f32 [96 x 64]", "[64 x 96] is expected"});
    const auto mixed = changed([](const std::string& name, weight_format& format, auto&) {
        if (name == "blk.1.attn_v.weight") format = q8_0;
    });
    refused(mixed, {"'blk.1.attn_v.weight' (q8_0", "'blk.0.attn_v.weight', which is f32", "--dtype f32"});
    const temporary_directory folder;
    mixed.write(folder / "m.gguf");
    CHECK(open_gguf_model(folder / "m.gguf", {.storage = weight_storage::as_f32}).contract == plain);
}

TEST_CASE("end tokens are read from both keys, once each, and lie in the vocabulary") {
    const temporary_directory folder;
    const auto ends = [&](gguf_writer file) {
        file.write(folder / "m.gguf");
        return open_gguf_model(folder / "m.gguf", {}).end_tokens;
    };
    CHECK(ends(gguf_model(plain, "llama")).empty());
    CHECK(ends(gguf_model(plain, "llama").key("tokenizer.ggml.eos_token_id", 9U).key("tokenizer.ggml.eot_token_id", 4U)) == std::vector<u32_t>{4, 9});
    CHECK(ends(gguf_model(plain, "llama").key("tokenizer.ggml.eos_token_id", 47U).key("tokenizer.ggml.eot_token_id", 47U)) == std::vector<u32_t>{47});
    refused(gguf_model(plain, "llama").key("tokenizer.ggml.eot_token_id", 48U), {"'tokenizer.ggml.eot_token_id' is 48, but the vocabulary has 48 tokens"});
}
