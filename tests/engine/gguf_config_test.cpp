// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gguf_config.hpp>

#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama tiny{.hidden = 96,
                     .layers = 2,
                     .heads = 6,
                     .kv_heads = 2,
                     .head_dim = 24,
                     .intermediate = 160,
                     .vocab = 50,
                     .context = 64,
                     .rope = {.theta = 20000.0F, .pairing = rope_pairing::adjacent}};

llama read(const gguf_writer& file, const import_options& options = {}) {
    const auto content = file.content();
    const gguf_file opened = parse_gguf(content, "m.gguf");
    return read_gguf_config(opened.metadata, opened.weights, options);
}
/// `tiny` with one more key.
template <class T>
llama with(const char* key, const T& value) {
    return read(gguf_model(tiny, "llama").key(key, value));
}
template <class T>
void refused(const char* key, const T& value, std::initializer_list<std::string_view> parts) {
    check_refused([&] { with(key, value); }, parts);
}
/// The keys of a model without one, and its embedding.
gguf_writer without(std::string_view left_out) {
    gguf_writer out;
    const std::pair<const char*, u32_t> keys[] = {
        {"embedding_length", 96}, {"block_count", 2}, {"feed_forward_length", 160}, {"attention.head_count", 6}, {"context_length", 64}};
    out.key("general.architecture", "llama");
    for (const auto& [key, value] : keys)
        if (key != left_out) out.key("llama." + std::string(key), value);
    if (left_out != "attention.layer_norm_rms_epsilon") out.key("llama.attention.layer_norm_rms_epsilon", 1e-5F);
    if (left_out != "token_embd.weight") out.tensor("token_embd.weight", f32, {50, 96}, std::vector<float>(50 * 96));
    return out;
}

}  // namespace

TEST_CASE("each architecture gives its contract") {
    CHECK(read(gguf_model(tiny, "llama")) == tiny);

    llama qwen2 = tiny;
    qwen2.rope.pairing = rope_pairing::halves;
    qwen2.qkv_bias = true;
    CHECK(read(gguf_model(qwen2, "qwen2")) == qwen2);

    llama qwen3 = tiny;
    qwen3.rope.pairing = rope_pairing::halves;
    qwen3.qk_norm = true;
    CHECK(read(gguf_model(qwen3, "qwen3")) == qwen3);
}

TEST_CASE("tensors tell of biases, a tied head and rope factors") {
    llama m = tiny;
    m.qkv_bias = m.o_bias = m.mlp_bias = m.tied_head = true;
    m.rope.scaling = rope_scaling::table;
    CHECK(read(gguf_model(m, "llama")) == m);
}

TEST_CASE("absent keys mean what such files mean by it") {
    const llama m = read(without(""));
    CHECK((m.kv_heads == 6 && m.head_dim == 16 && m.vocab == 50 && m.rope.theta == 10000.0F && m.rope.dims == 0 && m.tied_head));
    for (const char* key : {"embedding_length", "block_count", "feed_forward_length", "attention.head_count", "context_length",
                            "attention.layer_norm_rms_epsilon"}) {
        check_refused([&] { read(without(key)); }, {"m.gguf", "'llama." + std::string(key) + "'", "missing"});
    }
    check_refused([] { read(without("token_embd.weight")); }, {"no tensor 'token_embd.weight'"});
}

TEST_CASE("keys and values of a head have one length, given or derived") {
    gguf_writer keys = without("");
    CHECK(read(keys.key("llama.attention.key_length", 32U).key("llama.attention.value_length", 32U)).head_dim == 32);
    gguf_writer uneven = without("");
    check_refused([&] { read(uneven.key("llama.attention.key_length", 32U).key("llama.attention.value_length", 16U)); },
                  {"'llama.attention.value_length' is 16", "the length of a key, which is 32"});
    gguf_writer derived = without("");
    check_refused([&] { read(derived.key("llama.attention.value_length", 32U)); }, {"'llama.attention.value_length' is 32", "which is 16"});
    gguf_writer heads = without("attention.head_count");
    check_refused([&] { read(heads.key("llama.attention.head_count", 7U)); }, {"'llama.embedding_length' is 96", "a multiple of attention.head_count = 7"});
    gguf_writer seven = without("attention.head_count");
    const llama m = read(seven.key("llama.attention.head_count", 7U).key("llama.attention.key_length", 8U));
    CHECK((m.heads == 7 && m.kv_heads == 7 && m.head_dim == 8));
    gguf_writer wide = without("");
    check_refused([&] { read(wide.key("llama.attention.key_length", 1025U)); }, {"'llama.attention.key_length' is 1025", "from 1 to 1024"});
}

TEST_CASE("rotary embedding of GGUF keys") {
    CHECK(with("llama.rope.dimension_count", 24U).rope.dims == 0);
    CHECK(with("llama.rope.dimension_count", 12U).rope.dims == 12);
    CHECK(with("llama.rope.scaling.type", "none").rope == tiny.rope);
    const llama linear = read(gguf_model(tiny, "llama").key("llama.rope.scaling.type", "linear").key("llama.rope.scaling.factor", 4.0F));
    CHECK((linear.rope.scaling == rope_scaling::linear && linear.rope.factor == 4.0F));
    CHECK(with("llama.rope.scaling.factor", 4.0F).rope == linear.rope);
    CHECK(with("llama.rope.scaling.factor", 1.0F).rope.scaling == rope_scaling::none);
    refused("llama.rope.scaling.type", "yarn",
            {"m.gguf: key 'llama.rope.scaling.type' is 'yarn' (offset ", "netra supports none and linear"});
    refused("llama.rope.scaling.type", "linear", {"'llama.rope.scaling.factor'", "missing"});
    refused("llama.rope.dimension_count", 26U, {"'llama.rope.dimension_count' is 26", "from 1 to 24"});
    refused("llama.rope.dimension_count", 7U, {"m.gguf: rope: dims is 7"});
    llama table = tiny;
    table.rope.scaling = rope_scaling::table;
    check_refused([&] { read(gguf_model(table, "llama").key("llama.rope.scaling.factor", 4.0F)); },
                  {"'llama.rope.scaling.factor' is 4", "rope_freqs.weight is there too"});
}

TEST_CASE("features that netra lacks are refused by name, their neutral values are not") {
    const std::pair<const char*, float> neutral[] = {
        {"llama.logit_scale", 1},        {"llama.residual_scale", 1},          {"llama.embedding_scale", 1},
        {"llama.attention.scale", 0},    {"llama.final_logit_softcapping", 0}, {"llama.attn_logit_softcapping", 0},
        {"llama.attention.clamp_kqv", 0}};
    for (const auto& [key, value] : neutral) {
        CHECK(with(key, value) == tiny);
        refused(key, 0.5F, {"m.gguf: key '" + std::string(key) + "' is 0.5", "netra supports only"});
        refused(key, __builtin_nanf(""), {key});
        refused(key, "text", {key});
    }
    CHECK(with("llama.expert_count", 0U) == tiny);
    refused("llama.expert_count", 8U, {"key 'llama.expert_count' is 8", "netra supports only 0"});
    CHECK(with("llama.attention.causal", true) == tiny);
    refused("llama.attention.causal", false, {"'llama.attention.causal' is false"});
    refused("llama.new_feature", 1U, {"key 'llama.new_feature' is 1", "netra does not know this key"});
    CHECK(with("qwen2.new_feature", 1U) == tiny);
    CHECK(with("llama.attention.sliding_window", 8U).window == 8);
    CHECK(with("llama.attention.sliding_window", 0U).window == 0);
    llama qwen2 = tiny;
    qwen2.qkv_bias = true;
    check_refused([&] { read(gguf_model(qwen2, "qwen2").key("qwen2.attention.sliding_window", 8U)); },
                  {"'qwen2.attention.sliding_window' is 8", "which layers"});
    for (const char* architecture : {"gemma2", "qwen3moe", "phi3"}) {
        check_refused([&] { read(gguf_model(tiny, architecture)); },
                      {"key 'general.architecture' is '" + std::string(architecture) + "'", "llama, qwen2 and qwen3"});
    }
    check_refused([] { read(gguf_writer()); }, {"general.architecture", "missing"});
}

TEST_CASE("numbers are checked for type and range") {
    const auto changed = [](auto change, const char* architecture = "llama") {
        llama m = tiny;
        change(m);
        gguf_writer file = gguf_model_keys_of(m, architecture);
        file.tensor("token_embd.weight", f32, {50, 96}, std::vector<float>(50 * 96));
        return read(file);
    };
    check_refused([&] { changed([](llama& m) { m.layers = 0; }); }, {"'llama.block_count' is 0", "from 1 to 1000"});
    check_refused([&] { changed([](llama& m) { m.hidden = 0xffffffffU; }); }, {"'llama.embedding_length' is 4294967295"});
    check_refused([&] { changed([](llama& m) { m.kv_heads = 4; }); }, {"heads"});
    check_refused([&] { changed([](llama& m) { m.eps = -1.0F; }); }, {"'llama.attention.layer_norm_rms_epsilon' is -1"});
    check_refused([&] { changed([](llama& m) { m.rope.theta = __builtin_nanf(""); }); }, {"'llama.rope.freq_base' is nan"});
    check_refused([] { with("llama.vocab_size", -5); }, {"'llama.vocab_size'", "-5"});
    check_refused([] { with("llama.vocab_size", 5.0F); }, {"'llama.vocab_size'", "float32"});
    CHECK(with("llama.vocab_size", 40U).vocab == 40);  // the shape of the embedding is checked when tensors are bound
    check_refused([&] { changed([](llama& m) { m.eps = 0.5F; }); }, {"'llama.attention.layer_norm_rms_epsilon' is 0.5", "from 0 to 0.1"});
    check_refused([&] { changed([](llama& m) { m.rope.theta = 0.5F; }); }, {"'llama.rope.freq_base' is 0.5"});
    check_refused([&] { changed([](llama& m) { m.context = 0; }); }, {"'llama.context_length' is 0"});
    check_refused([] { with("llama.attention.sliding_window", -1); }, {"'llama.attention.sliding_window'", "-1"});
    check_refused([] { read(gguf_model(tiny, "llama"), {.rows = 17}); }, {"m.gguf: ", "17 rows"});
    check_refused([] { read(gguf_model(tiny, "llama"), {.context = 65}); },
                  {"a context of 65 is asked for, but llama.context_length is 64"});
    CHECK(read(gguf_model(tiny, "llama"), {.rows = 2, .context = 32, .kv = dtype::bf16}).context == 32);
    gguf_writer per_layer = without("attention.head_count");
    check_refused(
        [&] {
            read(per_layer.array("llama.attention.head_count", std::vector<u32_t>{6, 6}));
        },
        {"'llama.attention.head_count'", "an array of 2 uint32"});
}
