// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// From a GGUF file's metadata and tensor names to the contract of the model: every key of its architecture is used or refused by name.
#pragma once

#include <netra/engine/gguf.hpp>
#include <netra/engine/import_options.hpp>

namespace netra::inline v0 {

namespace detail {

enum class gguf_rule : u8_t { used, changes_nothing, only_value };

/// A key below the architecture's name; `neutral` is the only number that only_value lets pass.
struct gguf_key {
    const char* key;
    gguf_rule rule;
    double neutral = 0;
};
inline constexpr gguf_key gguf_keys[] = {
    {"vocab_size", gguf_rule::used},
    {"context_length", gguf_rule::used},
    {"embedding_length", gguf_rule::used},
    {"block_count", gguf_rule::used},
    {"feed_forward_length", gguf_rule::used},
    {"attention.head_count", gguf_rule::used},
    {"attention.head_count_kv", gguf_rule::used},
    {"attention.key_length", gguf_rule::used},
    {"attention.value_length", gguf_rule::used},
    {"attention.layer_norm_rms_epsilon", gguf_rule::used},
    {"attention.sliding_window", gguf_rule::used},
    {"rope.dimension_count", gguf_rule::used},
    {"rope.freq_base", gguf_rule::used},
    {"rope.scaling.type", gguf_rule::used},
    {"rope.scaling.factor", gguf_rule::used},
    {"rope.scaling.finetuned", gguf_rule::changes_nothing},
    {"rope.scaling.original_context_length", gguf_rule::changes_nothing},
    {"tensor_data_layout", gguf_rule::changes_nothing},
    {"attention.causal", gguf_rule::only_value, 1},
    {"attention.clamp_kqv", gguf_rule::only_value, 0},
    {"attention.max_alibi_bias", gguf_rule::only_value, 0},
    {"attention.scale", gguf_rule::only_value, 0},
    {"attn_logit_softcapping", gguf_rule::only_value, 0},
    {"embedding_scale", gguf_rule::only_value, 1},
    {"expert_count", gguf_rule::only_value, 0},
    {"expert_shared_count", gguf_rule::only_value, 0},
    {"expert_used_count", gguf_rule::only_value, 0},
    {"final_logit_softcapping", gguf_rule::only_value, 0},
    {"logit_scale", gguf_rule::only_value, 1},
    {"nextn_predict_layers", gguf_rule::only_value, 0},
    {"residual_scale", gguf_rule::only_value, 1},
    {"rope.scaling.attn_factor", gguf_rule::only_value, 1},
    {"use_parallel_residual", gguf_rule::only_value, 0},
};

/// The keys of one architecture. Every refusal names the file, the key, its value and its offset.
class gguf_model_keys {
public:
    gguf_model_keys(const gguf_metadata& keys, std::string architecture) : keys_(keys), prefix_(std::move(architecture) + ".") {}

    [[noreturn]] void refuse(const std::string& key, const std::string& advice) const {
        const gguf_value* v = keys_.find(key);
        if (v == nullptr) throw model_error(said("{}: key {} is missing; {}", {keys_.file(), in_quotes(key), advice}));
        throw model_error(said("{}: key {} is {} (offset {}); {}", {keys_.file(), in_quotes(key), shown(*v), v->offset, advice}));
    }

    bool has(const char* key) const { return keys_.has(prefix_ + key); }
    std::string full(const char* key) const { return prefix_ + key; }

    u32_t size(const char* key, u64_t limit, u64_t least = 1) const {
        const u64_t v = keys_.u64(prefix_ + key);
        if (v < least || v > limit) refuse(prefix_ + key, said("an integer from {} to {} is expected", {least, limit}));
        return static_cast<u32_t>(v);
    }
    u32_t size_or(const char* key, u64_t limit, u32_t fallback) const { return has(key) ? size(key, limit) : fallback; }
    float real(const char* key, double least, double most) const {
        const double v = keys_.f64(prefix_ + key);
        if (!(v >= least && v <= most)) refuse(prefix_ + key, said("a number from {} to {} is expected", {netra::shown::rounded(least), netra::shown::rounded(most)}));
        return static_cast<float>(v);
    }

    /// Refuses every key of the architecture that is not used and not known to change nothing.
    void check() const {
        for (const auto& [key, value] : keys_.values()) {
            if (!key.starts_with(prefix_)) continue;
            const std::string_view rest = key.substr(prefix_.size());
            const auto* rule = std::find_if(std::begin(gguf_keys), std::end(gguf_keys), [&](const gguf_key& k) { return k.key == rest; });
            if (rule == std::end(gguf_keys))
                refuse(std::string(key), "netra does not know this key; a model that needs it is not supported");
            if (rule->rule != gguf_rule::only_value) continue;
            double n = 0;
            if (value.type == gguf_type::boolean)
                n = value.stored[0] != std::byte{0} ? 1 : 0;
            else if (const auto integer = integer_in(value.type, value.stored.data()))
                n = static_cast<double>(*integer);
            else if (const auto number = real_in(value.type, value.stored.data()))
                n = *number;
            else
                refuse(std::string(key), said("netra supports only {}", {netra::shown::rounded(rule->neutral)}));
            if (!(n >= rule->neutral && n <= rule->neutral))
                refuse(std::string(key), said("netra supports only {}", {netra::shown::rounded(rule->neutral)}));
        }
    }

private:
    static std::string shown(const gguf_value& v) {
        if (v.type == gguf_type::string) return in_quotes(gguf_metadata::text(v));
        if (v.type == gguf_type::array) return said("an array of {} {}", {v.count, name_of(v.item)});
        if (v.type == gguf_type::boolean) return v.stored[0] != std::byte{0} ? "true" : "false";
        if (const auto n = integer_in(v.type, v.stored.data())) return said("{}", {*n});
        if (const auto x = real_in(v.type, v.stored.data())) return said("{}", {*x});
        return "too large";
    }

    const gguf_metadata& keys_;
    std::string prefix_;
};

inline rope_frequencies gguf_rope(const gguf_metadata& metadata, const weight_files& weights, const gguf_model_keys& keys, u32_t head_dim) {
    rope_frequencies f;
    if (keys.has("rope.freq_base")) f.theta = keys.real("rope.freq_base", 1, 1e12);
    if (const u32_t dims = keys.size_or("rope.dimension_count", head_dim, head_dim); dims != head_dim) f.dims = dims;
    const std::string type_key = keys.full("rope.scaling.type");
    const std::string type(metadata.string_or(type_key, "none"));
    if (type == "linear") {
        f.scaling = rope_scaling::linear;
        f.factor = keys.real("rope.scaling.factor", 1, 1e6);
    } else if (type != "none") {
        keys.refuse(type_key, "netra supports none and linear, and factors in the tensor rope_freqs.weight");
    } else if (keys.has("rope.scaling.factor") && keys.real("rope.scaling.factor", 0, 1e6) > 0.0F) {
        // note: without a type, readers of such files take a factor for a linear one
        if (metadata.has(type_key)) keys.refuse(keys.full("rope.scaling.factor"), "rope.scaling.type is none; keep one of them");
        f.factor = keys.real("rope.scaling.factor", 1, 1e6);
        if (f.factor > 1.0F) f.scaling = rope_scaling::linear;
    }
    if (weights.find("rope_freqs.weight") != nullptr) {
        if (f.scaling != rope_scaling::none)
            keys.refuse(keys.full("rope.scaling.factor"), "the tensor rope_freqs.weight is there too; netra supports one of them");
        f.scaling = rope_scaling::table;
    }
    return f;
}

}  // namespace detail

/// The contract of the model in a GGUF file. `options.weights` says how matrices are kept; `options.pairing` is the architecture's.
inline llama read_gguf_config(const gguf_metadata& metadata, const weight_files& weights, const import_options& options = {}) {
    const std::string architecture(metadata.string("general.architecture"));
    const detail::gguf_model_keys keys(metadata, architecture);
    const bool is_llama = architecture == "llama";
    if (!is_llama && architecture != "qwen2" && architecture != "qwen3")
        keys.refuse("general.architecture", "netra supports llama, qwen2 and qwen3");
    keys.check();

    llama m;
    m.hidden = keys.size("embedding_length", max_dimension);
    m.layers = keys.size("block_count", 1000);
    m.heads = keys.size("attention.head_count", 4096);
    m.kv_heads = keys.size_or("attention.head_count_kv", 4096, m.heads);
    if (!keys.has("attention.key_length") && m.hidden % m.heads != 0) {
        keys.refuse(keys.full("embedding_length"),
                    said("without attention.key_length it must be a multiple of attention.head_count = {}", {m.heads}));
    }
    m.head_dim = keys.has("attention.key_length") ? keys.size("attention.key_length", 1024) : m.hidden / m.heads;
    if (keys.size_or("attention.value_length", 1024, m.head_dim) != m.head_dim) {
        keys.refuse(keys.full("attention.value_length"), said("it must be the length of a key, which is {}", {m.head_dim}));
    }
    m.intermediate = keys.size("feed_forward_length", max_dimension);
    const tensor& embedding = weights.at("token_embd.weight");
    if (embedding.shape.size() != 2 || embedding.shape[0] > max_dimension)
        throw model_error(describe(embedding) + ": vocabulary x embedding_length is expected");
    m.vocab = keys.size_or("vocab_size", max_dimension, static_cast<u32_t>(embedding.shape[0]));
    const u32_t positions = keys.size("context_length", max_dimension);
    if (options.context > positions) {
        throw model_error(said("{}: a context of {} is asked for, but {} is {}; ask for at most that", {metadata.file(),
                                      options.context, keys.full("context_length"), positions}));
    }
    m.context = options.context != 0 ? options.context : positions;
    m.rows = options.rows;
    m.eps = keys.real("attention.layer_norm_rms_epsilon", 0, 0.1);
    m.rope = detail::gguf_rope(metadata, weights, keys, m.head_dim);
    m.rope.pairing = is_llama ? rope_pairing::adjacent : rope_pairing::halves;
    if (keys.has("attention.sliding_window")) {
        m.window = keys.size("attention.sliding_window", max_dimension, 0);
        if (m.window != 0 && !is_llama)
            keys.refuse(keys.full("attention.sliding_window"), "the file does not say which layers have it; only 0 will do");
    }
    m.tied_head = weights.find("output.weight") == nullptr;
    m.qkv_bias = architecture == "qwen2" || weights.find("blk.0.attn_q.bias") != nullptr;
    m.o_bias = weights.find("blk.0.attn_output.bias") != nullptr;
    m.mlp_bias = weights.find("blk.0.ffn_gate.bias") != nullptr;
    m.qk_norm = architecture == "qwen3";
    m.weights = options.weights;
    if (m.tied_head) m.weights.head = m.weights.embedding;
    m.kv = options.kv;
    if (const verdict v = check(m); !v.ok()) throw model_error(said("{}: {}", {metadata.file(), sentence(v).d}));
    return m;
}

}  // namespace netra::inline v0
