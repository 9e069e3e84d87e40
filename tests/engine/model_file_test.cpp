// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/model_file.hpp>

#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama tiny{.hidden = 96, .layers = 2, .heads = 6, .kv_heads = 2, .head_dim = 16, .intermediate = 160, .vocab = 50, .context = 64};

const char* const config =
    R"({"model_type": "llama", "hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 2,
    "intermediate_size": 160, "vocab_size": 50, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "eos_token_id": 7 MORE})";

/// A directory with a model in it.
struct model_directory {
    temporary_directory folder;

    explicit model_directory(const safetensors_writer& weights, std::string more = "") {
        std::string text = config;
        text.replace(text.find(" MORE"), 5, more);
        write_file(folder / "config.json", text);
        weights.write(folder / "model.safetensors");
    }
    opened_model open(const open_options& options = {}) const { return open_model(folder.path(), options); }
};

/// The tensors of `tiny` with `change(name, format, shape, values)` applied to each; one that becomes nameless is left out.
template <class Change>
safetensors_writer changed(const llama& m, Change change) {
    safetensors_writer out;
    each_tensor(m, weight_naming::safetensors, f32,
                [&](std::string name, weight_format format, std::vector<u64_t> shape, std::vector<float> values) {
                    change(name, format, shape, values);
                    if (name.empty()) return;
                    u64_t count = 1;
                    for (const u64_t n : shape) count *= n;
                    values.resize(count);
                    out.tensor(name, format, shape, std::span<const float>(values));
                });
    return out;
}

void refused(const safetensors_writer& weights, std::initializer_list<std::string_view> parts, const std::string& more = "") {
    const model_directory model(weights, more);
    check_refused([&] { model.open(); }, parts);
}

}  // namespace

TEST_CASE("names carry their layer") {
    CHECK(tensor_name(weight_naming::gguf, weight_role::q, 13) == "blk.13.attn_q.weight");
    CHECK(tensor_name(weight_naming::safetensors, weight_role::down_bias, 0) == "model.layers.0.mlp.down_proj.bias");
    CHECK(tensor_name(weight_naming::safetensors, weight_role::head) == "lm_head.weight");
    CHECK(tensor_name(weight_naming::safetensors, weight_role::rope_factors).empty());
    for (const auto naming : {weight_naming::gguf, weight_naming::safetensors}) {
        for (const weight_names& w : weight_table) {
            for (const u32_t layer : {0U, 7U, 999U}) {
                const std::string name = tensor_name(naming, w.role, layer);
                if (name.empty()) continue;
                u32_t found = 0;
                const weight_names* back = detail::weight_called(naming, name, found);
                REQUIRE(back == &w);
                CHECK(found == (per_layer(w.role) ? layer : 0));
            }
        }
    }
    u32_t layer = 0;
    for (const char* name : {"blk..attn_q.weight.", "blk.01.attn_q.weight", "blk.-1.attn_q.weight", "blk.12345.attn_q.weight",
                             "blk.1.attn_q.weight.x", "blk.1x.attn_q.weight", "", "blk.", "blk..attn_q.weight"})
        CHECK(detail::weight_called(weight_naming::gguf, name, layer) == nullptr);
}

TEST_CASE("a directory becomes a contract with all its weights") {
    for (const weight_format stored : {weight_format{f32}, weight_format{f16}, weight_format{bf16}}) {
        llama m = tiny;
        m.weights = llama_formats{stored};
        const model_directory on_disk(safetensors_model(m, stored));
        opened_model model = on_disk.open();
        CHECK(model.contract == m);
        CHECK(model.naming == weight_naming::safetensors);
        CHECK(model.end_tokens == std::vector<u32_t>{7});
        CHECK(model.tokenizer.empty());
        CHECK(model.bound.size() == model.weights.size());
        const opened_model moved = std::move(model);
        for (const bound_weight& b : moved.bound) {
            CHECK(b.stored->name == tensor_name(weight_naming::safetensors, b.role, b.layer));
            std::vector<float> first(1);
            dequantize(*b.stored, 0, first);
            CHECK(first == std::vector<float>{model_values(b.stored->name, 1)});
        }
        m.weights = bf16;
        CHECK(on_disk.open({.storage = weight_storage::as_bf16}).contract == m);
        m.weights = f16;
        CHECK(on_disk.open({.storage = weight_storage::as_f16}).contract == m);
    }
}

TEST_CASE("every optional weight is found, and missed by name") {
    const std::string more = R"(, "attention_bias": true, "mlp_bias": true)";
    llama m = tiny;
    m.qkv_bias = m.o_bias = m.mlp_bias = true;
    CHECK(model_directory(safetensors_model(m), more).open().contract == m);
    for (const weight_role role : {weight_role::embedding, weight_role::q, weight_role::mlp_norm, weight_role::k_bias,
                                   weight_role::down_bias, weight_role::final_norm, weight_role::head}) {
        const std::string gone = tensor_name(weight_naming::safetensors, role, 1);
        refused(changed(m, [&](std::string& name, auto&...) { name = name == gone ? "" : name; }), {"no tensor '" + gone + "'"}, more);
    }
}

TEST_CASE("a tensor that the contract does not use is refused") {
    const std::vector<float> values(96);
    for (const char* name :
         {"model.layers.0.self_attn.q_proj.bias", "model.layers.1.mlp.up_proj.bias", "model.layers.0.self_attn.q_norm.weight"}) {
        safetensors_writer file = safetensors_model(tiny);
        refused(file.tensor(name, f32, {96}, values),
                {"tensor '" + std::string(name) + "'", "that the model's configuration has no use for"});
    }
    for (const char* name : {"lm_head.bias", "model.norm.bias", "model.layers.0.self_attn.qkv_proj.weight",
                             "layers.0.self_attn.q_proj.weight", "score.weight"}) {
        safetensors_writer file = safetensors_model(tiny);
        refused(file.tensor(name, f32, {96}, values),
                {"tensor '" + std::string(name) + "' (f32 [96]", "none of the weights that netra knows"});
    }
    safetensors_writer deeper = safetensors_model(tiny);
    refused(deeper.tensor("model.layers.2.input_layernorm.weight", f32, {96}, values), {"belongs to layer 2, but the model has 2 layers"});
    safetensors_writer buffers = safetensors_model(tiny);
    buffers.tensor("model.layers.0.self_attn.rotary_emb.inv_freq", f32, {8}, std::vector<float>(8));
    CHECK(model_directory(buffers).open().contract == tiny);
}

TEST_CASE("the head of a tied model may only repeat the embedding") {
    const std::string tied = R"(, "tie_word_embeddings": true)";
    llama m = tiny;
    m.tied_head = true;
    CHECK(model_directory(safetensors_model(m), tied).open().contract == m);
    const std::vector<float> embedding = model_values("model.embed_tokens.weight", 50 * 96);
    safetensors_writer same = safetensors_model(m);
    CHECK(model_directory(same.tensor("lm_head.weight", f32, {50, 96}, embedding), tied).open().contract == m);
    refused(safetensors_model(tiny), {"tensor 'lm_head.weight'", "differs from the embedding"}, tied);
    safetensors_writer rounded = safetensors_model(m);
    refused(rounded.tensor("lm_head.weight", bf16, {50, 96}, embedding), {"tensor 'lm_head.weight'", "differs from the embedding"}, tied);
}

TEST_CASE("shapes are compared with the contract's") {
    const auto reshaped = [](const std::string& which, const std::vector<u64_t>& to) {
        return changed(tiny, [&](const std::string& name, auto&, std::vector<u64_t>& shape, auto&) { shape = name == which ? to : shape; });
    };
    refused(reshaped("model.layers.1.self_attn.k_proj.weight", {96, 32}),
            {"'model.layers.1.self_attn.k_proj.weight' (f32 [96 x 32]", "[32 x 96] is expected"});
    refused(reshaped("model.embed_tokens.weight", {64, 96}), {"[64 x 96]", "[50 x 96] is expected"});
    refused(reshaped("model.norm.weight", {96, 1}), {"[96 x 1]", "[96] is expected"});
    refused(reshaped("model.layers.0.mlp.down_proj.weight", {96 * 160}), {"[96 x 160] is expected"});
}

TEST_CASE("one format for all layers, or a conversion") {
    const auto mixed = changed(tiny, [](const std::string& name, weight_format& format, auto&, auto&) {
        if (name == "model.layers.1.mlp.gate_proj.weight") format = f16;
    });
    refused(mixed, {"'model.layers.1.mlp.gate_proj.weight' (f16", "'model.layers.0.mlp.gate_proj.weight', which is f32",
                    "--dtype f32 or --dtype bf16"});
    CHECK(model_directory(mixed).open({.storage = weight_storage::as_f32}).contract == tiny);

    const model_directory plain(safetensors_model(tiny));
    const opened_model model = plain.open();
    llama other = tiny;
    other.weights.up = bf16;
    check_refused([&] { bind_weights(model.weights, other, model.naming); },
                  {"'model.layers.0.mlp.up_proj.weight'", "is stored as f32, but the contract says bf16"});
    CHECK(bind_weights(model.weights, other, model.naming, true).size() == model.bound.size());
    other = tiny;
    other.rope.scaling = rope_scaling::table;
    check_refused([&] { bind_weights(model.weights, other, model.naming); }, {"the contract needs rope_factors"});
}

TEST_CASE("shards are one model: nothing missing, nothing stray, nothing twice") {
    const auto shards_of = [](auto change) {
        std::vector<safetensors_writer> shards(3);
        usz i = 0;
        each_tensor(tiny, weight_naming::safetensors, f32, [&](std::string name, weight_format format, const auto& shape, const auto& values) {
            usz shard = i++ % 3;
            change(name, shard, format);
            if (!name.empty()) shards[shard].tensor(name, format, shape, std::span<const float>(values));
        });
        return shards;
    };
    const model_directory model{safetensors_writer()};
    const auto open = [&](auto change) {
        std::filesystem::remove(model.folder / "model.safetensors");
        write_sharded(model.folder.path(), shards_of(change));
        return model.open();
    };
    const opened_model opened = open([](auto&...) {});
    CHECK(opened.contract == tiny);
    CHECK(opened.bound.size() == 2 * 9 + 3);
    for (const bound_weight& b : opened.bound) {
        std::vector<float> stored(b.stored->elements());
        dequantize(*b.stored, 0, stored);
        CHECK(stored == model_values(b.stored->name, stored.size()));
    }
    check_refused([&] { open([](std::string& name, auto&...) { name = name == "model.layers.1.mlp.up_proj.weight" ? "" : name; }); },
                  {model.folder.path(), shard_name(0, 3) + " and 2 more: no tensor 'model.layers.1.mlp.up_proj.weight' among its 20 tensors"});
    std::vector<safetensors_writer> stray = shards_of([](auto&...) {});
    stray[2].tensor("lm_head.bias", f32, {50}, std::vector<float>(50));
    write_sharded(model.folder.path(), stray);
    check_refused([&] { model.open(); }, {shard_name(2, 3) + ": tensor 'lm_head.bias'", "none of the weights"});
    check_refused([&] { open([](const std::string& name, auto&, weight_format& format) { format = name == "model.layers.1.self_attn.o_proj.weight" ? bf16 : f32; }); },
                  {"-of-00003.safetensors: tensor 'model.layers.1.self_attn.o_proj.weight' (bf16", "--dtype"});
    open([](auto&...) {});
    std::filesystem::remove(model.folder / shard_name(1, 3));
    check_refused([&] { model.open(); }, {shard_name(1, 3)});
}

TEST_CASE("a GGUF file becomes a contract") {
    const temporary_directory folder;
    llama m = tiny;
    m.tied_head = true;
    m.rope.pairing = rope_pairing::adjacent;
    m.weights = q4_1;
    m.weights.embedding = m.weights.head = q8_0;
    const std::string path = folder / "m.gguf";
    gguf_model(m, "llama").key("tokenizer.ggml.eos_token_id", 2U).key("tokenizer.ggml.eot_token_id", 2U).write(path);
    const opened_model model = open_model(path);
    CHECK(model.contract == m);
    CHECK(model.naming == weight_naming::gguf);
    CHECK(model.tokenizer == path);
    CHECK(model.end_tokens == std::vector<u32_t>{2});
    CHECK(model.metadata.string("general.architecture") == "llama");
    CHECK(model.bound.size() == model.weights.size());

    gguf_model(m, "llama").key("tokenizer.ggml.eos_token_id", 50U).write(path);
    check_refused([&] { open_model(path); }, {"'tokenizer.ggml.eos_token_id' is 50, but the vocabulary has 50 tokens"});
    gguf_model(m, "llama").key("llama.vocab_size", 49U).write(path);
    check_refused([&] { open_model(path); }, {"'token_embd.weight' (q8_0 [50 x 96]", "[49 x 96] is expected"});
    gguf_model(m, "llama").tensor("output_norm.bias", f32, {96}, std::vector<float>(96)).write(path);
    check_refused([&] { open_model(path); }, {path, "'output_norm.bias'", "none of the weights"});
    gguf_writer quantized_norm = gguf_model_keys_of(m, "llama");
    each_tensor(m, weight_naming::gguf, q8_0, [&](const auto& name, const auto& format, const auto& shape, const auto& values) {
        quantized_norm.tensor(name, format, shape, std::span<const float>(values));
    });
    quantized_norm.write(path);
    check_refused([&] { open_model(path); }, {"is a vector, which must be f32, f16 or bf16"});
}

TEST_CASE("end tokens come from both configurations") {
    const model_directory model(safetensors_model(tiny));
    write_file(model.folder / "generation_config.json", std::string_view(R"({"eos_token_id": [9, 7, 3], "temperature": 0.6})"));
    write_file(model.folder / "tokenizer.json", std::string_view("{}"));
    CHECK(model.open().end_tokens == std::vector<u32_t>{3, 7, 9});
    CHECK(model.open().tokenizer == model.folder / "tokenizer.json");
    for (const std::string bad : {"50", "-1", "\"</s>\"", "[1, null]", "1.5"}) {
        write_file(model.folder / "generation_config.json", "{\"eos_token_id\": " + bad + "}");
        check_refused([&] { model.open(); }, {"generation_config.json: key 'eos_token_id' is ", "token ids from 0 to 49"});
    }
}

TEST_CASE("what is no model is refused by its path") {
    const temporary_directory folder;
    check_refused([&] { open_model(folder / "none"); }, {folder / "none", "no such file or directory"});
    check_refused([&] { open_model(""); }, {"no such file or directory"});
    check_refused([&] { open_model(folder.path()); }, {folder.path(), "no config.json in it"});
    write_file(folder / "notes.txt", std::string_view("not a model"));
    check_refused([&] { open_model(folder / "notes.txt"); }, {"notes.txt", "not a GGUF file"});
    write_file(folder / "empty.gguf", std::string_view(""));
    check_refused([&] { open_model(folder / "empty.gguf"); }, {"empty.gguf"});
    for (const char* part : {"model.safetensors", "config.json"}) {
        const temporary_directory other;
        write_file(other / part, std::string_view("{}"));
        check_refused([&] { open_model(other / part); }, {part, "a part of a model; name its directory"});
    }
    const model_directory model(safetensors_model(tiny));
    std::filesystem::remove(model.folder / "model.safetensors");
    check_refused([&] { model.open(); }, {model.folder.path(), "neither model.safetensors nor model.safetensors.index.json"});
    write_file(model.folder / "config.json", std::string_view("{\"model_type\": 1}"));
    check_refused([&] { model.open(); }, {"config.json: key 'model_type' is 1"});
}
