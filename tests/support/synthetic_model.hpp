// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The small models of tests/golden/models: their weights are a hash of their names, written here as any kind of model file.
#pragma once

#include <netra/engine/tensor.hpp>

#include "support/gguf_writer.hpp"
#include "support/safetensors_writer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numbers>
#include <utility>

namespace netra::test {

/// The finaliser of splitmix64.
constexpr u64_t mixed(u64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// Number `i` of the stream that a name and a seed begin: a multiple of 2^-23 in [-1, 1).
class hashed_stream {
public:
    constexpr hashed_stream(std::string_view name, u64_t seed) {
        u64_t h = 0xcbf29ce484222325U;
        for (const char c : name) h = (h ^ static_cast<u8_t>(c)) * 0x100000001b3U;
        key_ = mixed(h + seed * gamma);
    }
    constexpr u64_t bits(u64_t i) const { return mixed(key_ + (i + 1) * gamma); }
    constexpr float operator()(u64_t i) const {
        return static_cast<float>(static_cast<i64_t>(bits(i) >> 40) - (i64_t{1} << 23)) * 0x1p-23F;
    }

private:
    static constexpr u64_t gamma = 0x9e3779b97f4a7c15U;
    u64_t key_ = 0;
};

/// Weights in the rows' order of Hugging Face.
struct synthetic_tensor {
    std::string name;
    std::vector<u64_t> shape;
    std::vector<float> values;
};

/// `values` as a reader sees them that were stored in `format`.
inline std::vector<float> stored_as(const weight_format& format, std::span<const float> values) {
    const blob data = encode(format, values);
    std::vector<float> out(values.size());
    dequantize(
        tensor{.name = {}, .format = format, .shape = {values.size()}, .data = data.data(), .bytes = data.size(), .offset = 0, .file = {}},
        0, out);
    return out;
}

/// How a GGUF file keeps its matrices; vectors are always f32, and rows that are no whole blocks are f16.
struct gguf_formats {
    weight_format matrices;
    weight_format embedding;
    gguf_formats(weight_format all) : matrices(all), embedding(all) {}  // NOLINT
    gguf_formats(dtype all) : gguf_formats(weight_format(all)) {}       // NOLINT
    gguf_formats(weight_format m, weight_format e) : matrices(m), embedding(e) {}

    weight_format of(const synthetic_tensor& t) const {
        if (t.shape.size() == 1) return f32;
        const weight_format wanted = t.name == "model.embed_tokens.weight" ? embedding : matrices;
        return t.shape.back() % block_elements(wanted) == 0 ? wanted : weight_format{f16};
    }
};

class synthetic_model {
public:
    /// From the content of a golden file.
    explicit synthetic_model(nlohmann::json golden) : golden_(std::move(golden)) {
        const std::string dtype = golden_.at("dtype");
        format_ = dtype == "bf16" ? weight_format{bf16} : dtype == "f16" ? weight_format{f16} : weight_format{f32};
        for (const auto& [name, shape] : golden_.at("tensors").items()) tensors_.push_back(make(name, shape));
    }
    static synthetic_model read(const std::string& path) {
        std::ifstream file(path);
        if (!file) throw std::runtime_error("cannot read " + path);
        return synthetic_model(nlohmann::json::parse(file));
    }

    const nlohmann::json& golden() const { return golden_; }
    const nlohmann::json& config() const { return golden_.at("config"); }
    const weight_format& format() const { return format_; }
    /// By name.
    const std::vector<synthetic_tensor>& tensors() const { return tensors_; }

    /// To be golden()["checksum"], and is not after stored_as.
    std::string checksum() const {
        u64_t sum = 0;
        for (const synthetic_tensor& t : tensors_) {
            for (usz i = 0; i < t.values.size(); ++i) sum += f32_bits(t.values[i]) * (u64_t{i} + 1);
        }
        return fmt::format("{:016x}", sum);
    }

    /// The model with the weights that a GGUF file of these formats holds, to be written as f32.
    synthetic_model stored_as(const gguf_formats& formats) const {
        synthetic_model out = *this;
        out.format_ = f32;
        for (synthetic_tensor& t : out.tensors_) t.values = test::stored_as(formats.of(t), t.values);
        return out;
    }

    /// config.json and the weights: one file, or `shards` of them and their index.
    void write_directory(const std::string& directory, usz shards = 1) const {
        write_file(directory + "/config.json", std::string_view(config().dump(2)));
        std::vector<safetensors_writer> files(shards);
        for (safetensors_writer& file : files) file.metadata("format", "pt");
        for (usz i = 0; i < tensors_.size(); ++i) {
            files[i * shards / tensors_.size()].tensor(tensors_[i].name, format_, tensors_[i].shape, tensors_[i].values);
        }
        if (shards == 1) {
            files[0].write(directory + "/model.safetensors");
        } else {
            write_sharded(directory, files);
        }
    }

    /// Why no GGUF file can say what this model is; empty when one can.
    std::string not_in_gguf() const {
        if (config().at("hidden_act") != "silu") return "hidden_act has no key";
        if (config().value("use_sliding_window", false)) return "the layers that slide have no key";
        return {};
    }

    /// A GGUF file without a tokenizer; Llama and Mistral as architecture llama.
    void write_gguf(const std::string& path, const gguf_formats& formats) const {
        if (const std::string why = not_in_gguf(); !why.empty()) throw std::logic_error("write_gguf: " + why);
        const std::string type = config().at("model_type");
        const std::string architecture = type == "mistral" ? "llama" : type;
        gguf_writer out;
        out.key("general.architecture", architecture).key("general.name", "synthetic");
        write_keys(out, architecture);
        for (const synthetic_tensor& t : tensors_) {
            const std::string name = gguf_name(t.name);
            const bool permute = architecture == "llama" && (name.find("attn_q.") != name.npos || name.find("attn_k.") != name.npos);
            out.tensor(name, formats.of(t), t.shape, permute ? pairs_adjacent(t).values : t.values);
        }
        if (rope("rope_type", "default") == "llama3") {
            const std::vector<float> factors = rope_factors();
            out.tensor("rope_freqs.weight", f32, {factors.size()}, factors);
        }
        out.write(path);
    }

    u32_t head_dim() const {
        const auto explicit_one = config().find("head_dim");
        if (explicit_one != config().end() && !explicit_one->is_null()) return *explicit_one;
        return number("hidden_size") / number("num_attention_heads");
    }

private:
    u32_t number(const char* key) const { return config().at(key).get<u32_t>(); }

    synthetic_tensor make(const std::string& name, std::vector<u64_t> shape) const {
        const hashed_stream u(name, golden_.at("seed").get<u64_t>());
        double gain = 2;
        if (name.ends_with("embed_tokens.weight") || name.ends_with("lm_head.weight")) gain = 4;
        if (name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight")) gain = 3;
        const float scale = static_cast<float>(gain / std::sqrt(static_cast<double>(shape.back())));
        const bool norm = name.ends_with("norm.weight");
        const bool bias = name.ends_with(".bias");
        u64_t count = 1;
        for (const u64_t extent : shape) count *= extent;
        std::vector<float> values(count);
        // note: 0.25 u is exact, so that no compiler's fused multiply-add changes a bit
        for (u64_t i = 0; i < count; ++i) values[i] = norm ? 1.0F + 0.25F * u(i) : bias ? 0.25F * u(i) : scale * u(i);
        if (format_ != weight_format{f32}) values = test::stored_as(format_, values);
        return {name, std::move(shape), std::move(values)};
    }

    /// An entry of rope_parameters or rope_scaling.
    template <class T>
    T rope(const char* key, T fallback) const {
        for (const char* object : {"rope_parameters", "rope_scaling"}) {
            const auto at = config().find(object);
            if (at != config().end() && at->is_object() && at->contains(key)) return at->at(key).get<T>();
        }
        return config().value(key, fallback);
    }
    std::string rope(const char* key, const char* fallback) const { return rope(key, std::string(fallback)); }

    void write_keys(gguf_writer& out, const std::string& architecture) const {
        const std::string a = architecture + ".";
        const u32_t heads = number("num_attention_heads");
        out.key(a + "block_count", number("num_hidden_layers")).key(a + "context_length", number("max_position_embeddings"));
        out.key(a + "embedding_length", number("hidden_size")).key(a + "feed_forward_length", number("intermediate_size"));
        out.key(a + "attention.head_count", heads).key(a + "attention.head_count_kv", number("num_key_value_heads"));
        out.key(a + "attention.layer_norm_rms_epsilon", config().at("rms_norm_eps").get<float>());
        out.key(a + "rope.freq_base", static_cast<float>(rope("rope_theta", 10000.0))).key(a + "vocab_size", number("vocab_size"));
        if (architecture == "llama") out.key(a + "rope.dimension_count", head_dim());
        if (head_dim() * heads != number("hidden_size")) {
            out.key(a + "attention.key_length", head_dim()).key(a + "attention.value_length", head_dim());
        }
        if (const auto window = config().find("sliding_window");
            architecture == "llama" && window != config().end() && !window->is_null()) {
            out.key(a + "attention.sliding_window", window->get<u32_t>());
        }
        if (rope("rope_type", "default") == "linear") {
            out.key(a + "rope.scaling.type", "linear").key(a + "rope.scaling.factor", static_cast<float>(rope("factor", 1.0)));
        }
    }

    static std::string gguf_name(const std::string& name) {
        static constexpr std::pair<std::string_view, std::string_view> parts[] = {
            {"model.layers.", "blk."},
            {"model.embed_tokens.", "token_embd."},
            {"model.norm.", "output_norm."},
            {"lm_head.", "output."},
            {"input_layernorm.", "attn_norm."},
            {"post_attention_layernorm.", "ffn_norm."},
            {"self_attn.q_proj.", "attn_q."},
            {"self_attn.k_proj.", "attn_k."},
            {"self_attn.v_proj.", "attn_v."},
            {"self_attn.o_proj.", "attn_output."},
            {"self_attn.q_norm.", "attn_q_norm."},
            {"self_attn.k_norm.", "attn_k_norm."},
            {"mlp.gate_proj.", "ffn_gate."},
            {"mlp.up_proj.", "ffn_up."},
            {"mlp.down_proj.", "ffn_down."},
        };
        std::string out = name;
        for (const auto& [from, to] : parts) {
            if (const auto at = out.find(from); at != out.npos) out.replace(at, from.size(), to);
        }
        return out;
    }

    /// In every head, rows i and i + head_dim / 2 become rows 2 i and 2 i + 1.
    synthetic_tensor pairs_adjacent(const synthetic_tensor& t) const {
        synthetic_tensor out = t;
        const u64_t dim = head_dim();
        const u64_t width = t.shape.size() == 1 ? 1 : t.shape[1];
        for (u64_t row = 0; row < t.shape[0]; ++row) {
            const u64_t in_head = row % dim;
            const u64_t from = row - in_head + in_head / 2 + in_head % 2 * (dim / 2);
            std::copy_n(t.values.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                        out.values.begin() + static_cast<std::ptrdiff_t>(row * width));
        }
        return out;
    }

    /// What each rotary frequency is divided by under llama3 scaling.
    std::vector<float> rope_factors() const {
        const double factor = rope("factor", 1.0);
        const double low = rope("low_freq_factor", 1.0);
        const double high = rope("high_freq_factor", 4.0);
        const double dims = head_dim();
        std::vector<float> out;
        for (u32_t i = 0; i < head_dim() / 2; ++i) {
            const double frequency = std::pow(rope("rope_theta", 10000.0), -2.0 * i / dims);
            const double turns = rope("original_max_position_embeddings", 8192.0) * frequency / (2 * std::numbers::pi);
            const double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
            out.push_back(static_cast<float>(1 / ((1 - kept) / factor + kept)));
        }
        return out;
    }

    nlohmann::json golden_;
    weight_format format_;
    std::vector<synthetic_tensor> tensors_;
};

}  // namespace netra::test
