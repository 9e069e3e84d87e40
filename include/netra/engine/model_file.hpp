// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model on disk: a .gguf file, or a directory with config.json and safetensors.
#pragma once

#include <netra/engine/gguf_model.hpp>
#include <netra/engine/hf_config.hpp>
#include <netra/engine/safetensors.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace netra::inline v0 {

namespace detail {

inline std::string read_text(const std::string& path) {
    const mapped_file file(path);
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};  // NOLINT: bytes are characters
}

/// Adds the end tokens of a config.json or generation_config.json: a number, a list of them, or null.
inline void add_end_tokens(const nlohmann::json& config, const std::string& file, u32_t vocab, std::vector<u32_t>& out) {
    const config_object in(config, file);
    const nlohmann::json* v = in.find("eos_token_id");
    if (v == nullptr) return;
    const auto add = [&](const nlohmann::json& id) {
        if (!id.is_number_unsigned() || id.get<u64_t>() >= vocab)
            in.refuse("eos_token_id", fmt::format("token ids from 0 to {} are expected", vocab - 1));
        out.push_back(id.get<u32_t>());
    };
    if (v->is_array())
        for (const auto& id : *v) add(id);
    else
        add(*v);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

inline opened_model open_model_directory(const std::string& path, const open_options& options) {
    namespace fs = std::filesystem;
    const auto in = [&](const char* name) { return (fs::path(path) / name).string(); };
    std::error_code ignored;
    if (!fs::exists(in("config.json"), ignored))
        throw model_error(path + ": no config.json in it; a directory with config.json and *.safetensors, or a .gguf file is expected");
    opened_model model;
    model.path = path;
    const nlohmann::json config = parse_config_json(read_text(in("config.json")), in("config.json"));
    model.contract = read_hf_config(config, in("config.json"), {.rows = options.rows, .context = options.context, .kv = options.kv});
    model.weights = open_safetensors(path);
    add_end_tokens(config, in("config.json"), model.contract.vocab, model.end_tokens);
    if (fs::exists(in("generation_config.json"), ignored)) {
        const nlohmann::json generation = parse_config_json(read_text(in("generation_config.json")), in("generation_config.json"));
        add_end_tokens(generation, in("generation_config.json"), model.contract.vocab, model.end_tokens);
    }
    if (fs::exists(in("tokenizer.json"), ignored)) model.tokenizer = in("tokenizer.json");
    set_formats(model, options.storage);
    return model;
}

}  // namespace detail

/// Opens a .gguf file, or a directory with config.json, *.safetensors and perhaps tokenizer.json.
inline opened_model open_model(const std::string& path, const open_options& options = {}) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        throw model_error(path + ": no such file or directory; a .gguf file or a directory with config.json and *.safetensors is expected");
    if (fs::is_directory(path, ignored)) return detail::open_model_directory(path, options);
    const std::string extension = fs::path(path).extension().string();
    if (extension == ".safetensors" || extension == ".json")
        throw model_error(path + ": a part of a model; name its directory, which must have config.json and *.safetensors");
    return open_gguf_model(path, options);
}

}  // namespace netra::inline v0
