// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What single keys mean; tests/tools/import_test.cpp has whole files.
#include <netra/engine/hf_config.hpp>

#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;
using nlohmann::json;

namespace {

json least(const char* type) {
    return {{"model_type", type},       {"hidden_size", 96},        {"num_hidden_layers", 4}, {"num_attention_heads", 6},
            {"num_key_value_heads", 2}, {"intermediate_size", 160}, {"vocab_size", 50}};
}
llama read(const json& config, const import_options& options = {}) { return read_hf_config(config, "config.json", options); }
llama with(const char* type, const json& more) {
    json config = least(type);
    config.update(more);
    return read(config);
}
void refused(const char* type, const json& more, std::initializer_list<std::string_view> parts) {
    check_refused([&] { with(type, more); }, parts);
}

}  // namespace

TEST_CASE("what a file does not say is what its model type means") {
    const llama expected{.hidden = 96,
                         .layers = 4,
                         .heads = 6,
                         .kv_heads = 2,
                         .head_dim = 16,
                         .intermediate = 160,
                         .vocab = 50,
                         .context = 2048,
                         .eps = 1e-6F};
    CHECK(read(least("llama")) == expected);

    llama mistral = expected;
    mistral.context = 131072;
    mistral.window = 4096;
    CHECK(read(least("mistral")) == mistral);

    llama qwen2 = expected;
    qwen2.context = 32768;
    qwen2.qkv_bias = true;
    CHECK(read(least("qwen2")) == qwen2);

    llama qwen3 = expected;
    qwen3.context = 32768;
    qwen3.qk_norm = true;
    qwen3.head_dim = 128;
    CHECK(read(least("qwen3")) == qwen3);
}

TEST_CASE("key-value heads that are absent or null") {
    json config = least("llama");
    config.erase("num_key_value_heads");
    CHECK(read(config).kv_heads == 6);
    config["num_key_value_heads"] = nullptr;
    CHECK(read(config).kv_heads == 6);
    json mistral = least("mistral");
    mistral.erase("num_key_value_heads");
    check_refused([&] { read(mistral); }, {"'num_attention_heads' is 6; it must be a multiple of num_key_value_heads, which is 8"});
}

TEST_CASE("biases go where the model type has them") {
    const llama a = with("llama", {{"attention_bias", true}});
    CHECK((a.qkv_bias && a.o_bias && !a.mlp_bias));
    const llama b = with("qwen3", {{"attention_bias", true}});
    CHECK((b.qkv_bias && b.o_bias));
    const llama c = with("qwen2", {{"attention_bias", false}});
    CHECK((c.qkv_bias && !c.o_bias));
    CHECK(with("llama", {{"mlp_bias", true}}).mlp_bias);
    refused("mistral", {{"attention_bias", true}}, {"config.json: key 'attention_bias' is true; netra does not support attention biases"});
}

TEST_CASE("activations") {
    CHECK(with("llama", {{"hidden_act", "swish"}}).act == activation::silu);
    CHECK(with("llama", {{"hidden_act", "gelu"}}).act == activation::gelu);
    for (const char* name : {"gelu_new", "gelu_pytorch_tanh", "gelu_fast"})
        CHECK(with("llama", {{"hidden_act", name}}).act == activation::gelu_tanh);
    for (const char* name : {"relu", "quick_gelu", "gelu_10", "", "SILU"})
        refused("llama", {{"hidden_act", name}}, {"key 'hidden_act' is \"" + std::string(name) + "\""});
}

TEST_CASE("rotary embedding of config.json") {
    const llama linear = with("llama", {{"rope_theta", 20000}, {"rope_scaling", {{"type", "linear"}, {"factor", 2.5}}}});
    CHECK(linear.rope == rope_frequencies{.theta = 20000, .scaling = rope_scaling::linear, .factor = 2.5F});
    const json scaled = {
        {"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 1}, {"high_freq_factor", 4}, {"original_max_position_embeddings", 1024},
        {"rope_theta", 5e5}};
    const rope_frequencies blended{.theta = 5e5F,
                                   .scaling = rope_scaling::llama3,
                                   .factor = 8,
                                   .low_frequency_factor = 1,
                                   .high_frequency_factor = 4,
                                   .original_context = 1024};
    CHECK(with("llama", {{"rope_scaling", scaled}}).rope == blended);
    CHECK(with("llama", {{"rope_parameters", scaled}}).rope == blended);
    CHECK(with("llama", {{"rope_parameters", scaled}, {"rope_scaling", nullptr}, {"rope_theta", 500000}}).rope == blended);
    CHECK(with("qwen3", {{"partial_rotary_factor", 0.25}}).rope.dims == 32);
    CHECK(with("qwen3", {{"head_dim", 100}, {"partial_rotary_factor", 0.58}}).rope.dims == 58);  // 57.99... in binary
    CHECK(with("qwen3", {{"partial_rotary_factor", 1.0}}).rope.dims == 0);
    for (const char* kind : {"dynamic", "yarn", "longrope", "proportional"}) {
        refused("llama", {{"rope_scaling", {{"rope_type", kind}, {"factor", 2}}}},
                {"key 'rope_scaling.rope_type' is \"" + std::string(kind) + "\"", "default, linear and llama3"});
    }
    refused("llama", {{"rope_parameters", scaled}, {"rope_theta", 1e4}},
            {"key 'rope_parameters.rope_theta' is 500000.0; the model's object has another value"});
    refused("llama", {{"partial_rotary_factor", 0.2}}, {"'partial_rotary_factor' is 0.2; its product with the head dimension 16"});
}

TEST_CASE("the window of qwen models begins where the file says") {
    const json on = {{"use_sliding_window", true}, {"sliding_window", 8}};
    const auto window = [&](const json& more) {
        json config = least("qwen2");
        config.update(on);
        config.update(more);
        const llama m = read(config);
        return std::pair{m.window, m.first_window_layer};
    };
    CHECK(window({{"max_window_layers", 2}}) == std::pair{8U, 2U});
    CHECK(window({{"max_window_layers", 0}}) == std::pair{8U, 0U});
    CHECK(window({{"max_window_layers", 4}}) == std::pair{0U, 0U});
    CHECK(window(json::object()) == std::pair{0U, 0U});
    CHECK(window({{"use_sliding_window", false}, {"max_window_layers", 0}}) == std::pair{0U, 0U});
    CHECK(window({{"sliding_window", nullptr}, {"max_window_layers", 0}}) == std::pair{0U, 0U});
    CHECK(window({{"layer_types", {"full_attention", "full_attention", "full_attention", "sliding_attention"}}}) == std::pair{8U, 3U});
    check_refused(
        [&] {
            window({{"layer_types", {"sliding_attention", "full_attention", "full_attention", "full_attention"}}});
        },
        {"key 'layer_types'", "only before all sliding"});
    CHECK(with("mistral", {{"sliding_window", nullptr}}).window == 0);
    refused("llama", {{"sliding_window", 8}}, {"key 'sliding_window' is 8; netra does not support a sliding window in this model type"});
}

TEST_CASE("options set what a file leaves open") {
    const llama m = read(least("llama"), {.rows = 4, .context = 100, .kv = dtype::f16, .weights = bf16, .pairing = rope_pairing::adjacent});
    CHECK((m.rows == 4 && m.context == 100 && m.kv == dtype::f16 && m.weights == llama_formats{bf16} &&
           m.rope.pairing == rope_pairing::adjacent));
    check_refused([] { read(least("llama"), {.context = 2049}); }, {"a context of 2049 is asked for, but max_position_embeddings is 2048"});
    check_refused([] { read(least("llama"), {.rows = 17}); }, {"config.json: ", "17"});
    llama_formats mixed{q4_1};
    mixed.embedding = q8_0;
    json tied = least("llama");
    tied["tie_word_embeddings"] = true;
    CHECK(read(tied, {.weights = mixed}).weights.head == q8_0);
    CHECK(read(least("llama"), {.weights = mixed}).weights.head == q4_1);
}

TEST_CASE("what netra does not know is refused") {
    refused("llama", {{"new_feature", true}}, {"config.json: key 'new_feature' is true; netra does not know this key of a llama model"});
    refused("gemma2", json::object(), {"key 'model_type' is \"gemma2\"; netra supports llama, mistral, qwen2 and qwen3"});
    refused("llama", {{"architectures", {"LlamaModel"}}},
            {"'architectures' is [\"LlamaModel\"]; [\"LlamaForCausalLM\"] is expected of a llama model"});
    check_refused([] { read(json::array()); }, {"config.json: not a JSON object"});
    check_refused([] { read({{"hidden_size", 96}}); }, {"key 'model_type' is missing"});
}
