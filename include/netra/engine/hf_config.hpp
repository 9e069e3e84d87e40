// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// From a Hugging Face config.json to the contract of the model: every key is used, known to change nothing, or refused by name.
#pragma once

#include <netra/engine/config_json.hpp>
#include <netra/engine/hf_keys.hpp>
#include <netra/engine/import_options.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

namespace detail {

/// `whole` times the fraction that `text` ("0.25", at most 15 digits) is, or 0 when that is not a whole number.
inline u32_t whole_part(u32_t whole, double fraction) {
    // note: in decimal digits, as the file has them, because 0.29 x 100 is 28.999... in binary
    std::string digits = fmt::format("{:.15f}", fraction);
    digits.erase(digits.find('.'), 1);
    u64_t scaled = 0;
    for (const char c : digits) scaled = 10 * scaled + static_cast<u64_t>(c - '0');
    constexpr u64_t one = 1'000'000'000'000'000;
    return scaled * whole % one == 0 ? static_cast<u32_t>(scaled * whole / one) : 0;
}

/// Refuses every key of the file that is not used and not known to change nothing.
inline void check_hf_keys(const config_object& in, const hf_family& family) {
    for (const auto& [key, value] : in.json().items()) {
        const hf_key* rule = find_hf_key(key, family);
        if (rule == nullptr) {
            in.refuse(key,
                      fmt::format("netra does not know this key of a {} model; remove it only if it changes nothing", family.model_type));
        }
        const auto number = [&](double n) { return value.is_null() || (value.is_number() && value.get<double>() == n); };  // NOLINT
        const auto only = [&](bool good, const char* neutral) {
            if (!good) in.refuse(key, fmt::format("netra does not support {}; only {} will do", rule->what, neutral));
        };
        switch (rule->rule) {
            case hf_rule::used:
            case hf_rule::changes_nothing:
                break;
            case hf_rule::only_null:
                only(value.is_null(), "null");
                break;
            case hf_rule::only_false:
                only(value.is_null() || value == false, "false");
                break;
            case hf_rule::only_zero:
                only(number(0), "0");
                break;
            case hf_rule::only_one:
                only(number(1), "1");
                break;
            case hf_rule::only_empty:
                only(value.is_null() || (value.is_structured() && value.empty()), "{}");
                break;
        }
    }
}

inline activation hf_activation(const config_object& in) {
    const std::string act = in.has("hidden_act") ? in.string("hidden_act") : "silu";
    if (act == "silu" || act == "swish") return activation::silu;
    if (act == "gelu" || act == "gelu_python") return activation::gelu;
    if (act == "gelu_pytorch_tanh" || act == "gelu_new" || act == "gelu_fast" || act == "gelu_accurate") return activation::gelu_tanh;
    in.refuse("hidden_act", "netra supports silu, gelu, gelu_pytorch_tanh and other names of these");
}

/// The object that says how to scale rotary embeddings, and the key that it stands under; null when the file has none.
inline std::pair<const nlohmann::json*, std::string> hf_rope_object(const config_object& in) {
    std::pair<const nlohmann::json*, std::string> found{nullptr, {}};
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        const nlohmann::json* v = in.find(key);
        if (v == nullptr) continue;
        if (!v->is_object()) in.refuse(key, "an object or null is expected");
        if (v->empty()) continue;
        if (found.first != nullptr) in.refuse(key, "rope_parameters is there too; keep one of them");
        found = {v, key};
    }
    return found;
}

/// A number that may stand in the model's object, in its rope object, or in both if they agree.
inline double hf_rope_number(const config_object& in, const config_object& rope, const char* key, double fallback, double least,
                             double most) {
    const bool outside = in.find(key) != nullptr;
    const bool inside = &rope.json() != &in.json() && rope.find(key) != nullptr;
    const double outer = outside ? in.real(key, least, most) : fallback;
    const double inner = inside ? rope.real(key, least, most) : outer;
    if (outside && inside && !(inner >= outer && inner <= outer))
        rope.refuse(key, "the model's object has another value for it; keep one of them");
    return inner;
}

inline rope_scaling hf_rope_kind(const config_object& rope) {
    std::string kind = "default";
    const char* from = "rope_type";
    if (rope.find("type") != nullptr) {
        kind = rope.string("type");
        from = "type";
    }
    if (rope.find("rope_type") != nullptr) {
        if (from != std::string_view("rope_type") && rope.string("rope_type") != kind)
            rope.refuse("rope_type", "type has another value; keep one of them");
        kind = rope.string("rope_type");
        from = "rope_type";
    }
    if (kind == "default") return rope_scaling::none;
    if (kind == "linear") return rope_scaling::linear;
    if (kind == "llama3") return rope_scaling::llama3;
    rope.refuse(from, "netra supports the kinds default, linear and llama3");
}

inline rope_frequencies hf_rope(const config_object& in, u32_t head_dim, u32_t positions) {
    constexpr u64_t longest = max_dimension;
    const auto [object, key] = hf_rope_object(in);
    const config_object rope(object != nullptr ? *object : in.json(), in.file(), object != nullptr ? key + "." : "");
    rope_frequencies f;
    if (object != nullptr) {
        f.scaling = hf_rope_kind(rope);
        for (const auto& [name, value] : object->items()) {
            if (value.is_object()) rope.refuse(name, "netra supports one kind of rotary embedding for all layers");
            if (value.is_null() || name == "rope_type" || name == "type" || name == "rope_theta" || name == "partial_rotary_factor")
                continue;
            const bool scaled = f.scaling != rope_scaling::none && name == "factor";
            const bool blended = name == "low_freq_factor" || name == "high_freq_factor" || name == "original_max_position_embeddings";
            if (!scaled && !(f.scaling == rope_scaling::llama3 && blended)) {
                rope.refuse(name, "netra does not know this key of this kind of rotary embedding; remove it only if it changes nothing");
            }
        }
        if (f.scaling != rope_scaling::none) f.factor = static_cast<float>(rope.real("factor", 1, 1e6));
        if (f.scaling == rope_scaling::llama3) {
            const double low = rope.real("low_freq_factor", 1e-6, 1e6);
            const double high = rope.real("high_freq_factor", 1e-6, 1e6);
            f.low_frequency_factor = static_cast<float>(low);
            f.high_frequency_factor = static_cast<float>(high);
            if (!(f.high_frequency_factor > f.low_frequency_factor))
                rope.refuse("high_freq_factor", "it must be more than low_freq_factor");
            f.original_context = rope.find("original_max_position_embeddings") != nullptr
                                     ? rope.size("original_max_position_embeddings", longest)
                                     : positions;
        }
    }
    f.theta = static_cast<float>(hf_rope_number(in, rope, "rope_theta", 10000, 1, 1e12));
    const double part = hf_rope_number(in, rope, "partial_rotary_factor", 1, 0, 1);
    if (part < 1) {
        f.dims = whole_part(head_dim, part);
        if (f.dims == 0 || f.dims % 2 != 0) {
            const bool inside = object != nullptr && rope.find("partial_rotary_factor") != nullptr;
            (inside ? rope : in)
                .refuse("partial_rotary_factor",
                        fmt::format("its product with the head dimension {} must be a positive even number", head_dim));
        }
    }
    return f;
}

/// Sets the window and the first layer that has it.
inline void hf_window(const config_object& in, const hf_family& family, llama& m) {
    if (family.window == hf_window_kind::none) return;
    const bool absent = !in.has("sliding_window");
    const bool wanted = family.window == hf_window_kind::always || in.boolean_or("use_sliding_window", false);
    const bool some = absent || in.find("sliding_window") != nullptr;
    const u32_t width = absent ? 4096 : some && wanted ? in.size("sliding_window", max_dimension) : 0;
    m.window = wanted && some ? width : 0;
    if (family.window == hf_window_kind::always) return;

    u32_t first = in.has("max_window_layers") ? in.size("max_window_layers", max_dimension, 0) : 28;
    if (const nlohmann::json* types = in.find("layer_types")) {
        if (!types->is_array() || types->size() != m.layers)
            in.refuse("layer_types", fmt::format("a list of num_hidden_layers = {} kinds is expected", m.layers));
        first = m.layers;
        for (u32_t i = 0; i < m.layers; ++i) {
            const auto& type = (*types)[i];
            const bool sliding = type == "sliding_attention";
            if (!sliding && type != "full_attention") in.refuse("layer_types", "netra supports full_attention and sliding_attention");
            if (sliding && m.window == 0)
                in.refuse("layer_types", "a layer slides, but use_sliding_window and sliding_window give no window");
            if (sliding && first == m.layers) first = i;
            if (!sliding && first != m.layers) in.refuse("layer_types", "netra supports full_attention only before all sliding_attention");
        }
    }
    m.first_window_layer = first;
    if (m.window == 0 || first >= m.layers) m.window = m.first_window_layer = 0;
}

}  // namespace detail

/// The contract of the model that a config.json describes; `file` is its name in messages.
inline llama read_hf_config(const nlohmann::json& config, const std::string& file, const import_options& options = {}) {
    if (!config.is_object()) throw model_error(file + ": not a JSON object; a model's config.json is expected");
    const detail::config_object in(config, file);
    const std::string type = in.string("model_type");
    const detail::hf_family* family = detail::find_hf_family(type);
    if (family == nullptr) in.refuse("model_type", "netra supports llama, mistral, qwen2 and qwen3");
    if (const nlohmann::json* classes = in.find("architectures");
        classes != nullptr && *classes != nlohmann::json::array({family->architecture})) {
        in.refuse("architectures", fmt::format("[\"{}\"] is expected of a {} model", family->architecture, type));
    }
    detail::check_hf_keys(in, *family);

    llama m;
    m.hidden = in.size("hidden_size", max_dimension);
    m.layers = in.size("num_hidden_layers", 1000);
    m.heads = in.size("num_attention_heads", 4096);
    if (in.find("num_key_value_heads") != nullptr)
        m.kv_heads = in.size("num_key_value_heads", 4096);
    else
        m.kv_heads = in.has("num_key_value_heads") || family->kv_heads == 0 ? m.heads : family->kv_heads;
    if (m.heads % m.kv_heads != 0) {
        const std::string wanted = fmt::format("it must be a multiple of num_key_value_heads, which is {}", m.kv_heads);
        in.refuse("num_attention_heads", wanted);
    }
    if (in.find("head_dim") != nullptr || (in.has("head_dim") && family->head_dim != 0))
        m.head_dim = in.size("head_dim", 1024);
    else if (family->head_dim != 0)
        m.head_dim = family->head_dim;
    else if (m.hidden % m.heads != 0 || m.hidden / m.heads > 1024)
        in.refuse("hidden_size",
                  fmt::format("without head_dim it must be at most 1024 times num_attention_heads = {}, and a multiple", m.heads));
    else
        m.head_dim = m.hidden / m.heads;
    m.intermediate = in.size("intermediate_size", max_dimension);
    m.vocab = in.size("vocab_size", max_dimension);
    const u32_t positions = in.has("max_position_embeddings") ? in.size("max_position_embeddings", max_dimension) : family->positions;
    if (options.context > positions) {
        throw model_error(fmt::format("{}: a context of {} is asked for, but max_position_embeddings is {}; ask for at most that", file,
                                      options.context, positions));
    }
    m.context = options.context != 0 ? options.context : positions;
    m.rows = options.rows;
    m.eps = in.has("rms_norm_eps") ? static_cast<float>(in.real("rms_norm_eps", 0, 0.1)) : 1e-6F;
    m.act = detail::hf_activation(in);
    m.tied_head = in.boolean_or("tie_word_embeddings", false);
    const bool attention_bias = family->attention_bias && in.boolean_or("attention_bias", false);
    m.qkv_bias = family->always_qkv_bias || attention_bias;
    m.o_bias = attention_bias;
    m.mlp_bias = family->mlp_bias && in.boolean_or("mlp_bias", false);
    m.qk_norm = family->qk_norm;
    m.rope = detail::hf_rope(in, m.head_dim, positions);
    m.rope.pairing = options.pairing;
    detail::hf_window(in, *family, m);
    m.weights = options.weights;
    if (m.tied_head) m.weights.head = m.weights.embedding;
    m.kv = options.kv;
    if (const verdict v = check(m); !v.ok()) throw model_error(fmt::format("{}: {}", file, sentence(v).d));
    return m;
}

/// The same from the file's text.
inline llama parse_hf_config(std::string_view text, const std::string& file, const import_options& options = {}) {
    return read_hf_config(parse_config_json(text, file), file, options);
}

}  // namespace netra::inline v0
