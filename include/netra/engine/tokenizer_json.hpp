// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The tokenizer of a model directory: tokenizer.json and what tokenizer_config.json, generation_config.json and config.json add to it.
#pragma once

#include <netra/engine/json_file.hpp>
#include <netra/engine/tokenizer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netra::inline v0 {

namespace detail {

inline constexpr std::string_view gpt_2_pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view llama_3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view qwen_2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The step that maps bytes to characters; whether it also cuts by GPT-2's pattern.
inline bool byte_level_cuts(const json_node& step) {
    if (step["type"].string() != "ByteLevel") step["type"].refuse("'ByteLevel' is expected here");
    if (step["add_prefix_space"].boolean_or(true)) step["add_prefix_space"].refuse("a space before every text is not supported");
    return step["use_regex"].boolean_or(true);
}

inline pre_tokenizer words_in(const json_node& node) {
    if (node.is_null()) node.refuse("netra needs a byte-level pre-tokenizer");
    const std::string type = node["type"].string();
    if (type == "ByteLevel") {
        if (!byte_level_cuts(node)) node["use_regex"].refuse("true is expected where nothing else cuts the text into words");
        return pre_tokenizer::gpt_2;
    }
    if (type != "Sequence") node["type"].refuse("netra knows 'ByteLevel' and 'Sequence'");
    const json_node steps = node["pretokenizers"];
    if (steps.size() != 2) steps.refuse("two steps are expected, 'Digits' or 'Split' and then 'ByteLevel'");
    const json_node cut = steps[0];
    const bool also_gpt_2 = byte_level_cuts(steps[1]);
    if (cut["type"].string() == "Digits") {
        if (!cut["individual_digits"].boolean_or(false)) cut["individual_digits"].refuse("true is expected");
        if (!also_gpt_2) steps[1]["use_regex"].refuse("true is expected after 'Digits'");
        return pre_tokenizer::smollm;
    }
    if (cut["type"].string() != "Split") cut["type"].refuse("netra knows 'Digits' and 'Split'");
    if (cut["behavior"].string() != "Isolated") cut["behavior"].refuse("'Isolated' is expected");
    if (cut["invert"].boolean_or(false)) cut["invert"].refuse("false is expected");
    if (also_gpt_2) steps[1]["use_regex"].refuse("false is expected after 'Split'");
    const json_node pattern = cut["pattern"]["Regex"];
    const std::string regex = pattern.string();
    if (regex == gpt_2_pattern) return pre_tokenizer::gpt_2;
    if (regex == llama_3_pattern) return pre_tokenizer::llama_bpe;
    if (regex == qwen_2_pattern) return pre_tokenizer::qwen2;
    pattern.refuse("netra knows the patterns of GPT-2, Llama 3 and Qwen2");
}

inline bool nfc_in(const json_node& node) {
    if (node.is_null()) return false;
    const std::string type = node["type"].string();
    if (type == "NFC") return true;
    if (type != "Sequence") node["type"].refuse("netra knows 'NFC' and no normalizer at all");
    bool any = false;
    const json_node steps = node["normalizers"];
    for (usz i = 0; i < steps.size(); ++i) any = nfc_in(steps[i]) || any;
    return any;
}

/// What a post-processor puts before a text; one that does more is refused.
inline std::optional<u32_t> bos_in(const json_node& node) {
    if (node.is_null()) return std::nullopt;
    const std::string type = node["type"].string();
    if (type == "ByteLevel") return std::nullopt;  // it only changes offsets
    if (type == "Sequence") {
        std::optional<u32_t> bos;
        const json_node steps = node["processors"];
        for (usz i = 0; i < steps.size(); ++i) {
            const auto found = bos_in(steps[i]);
            if (found && bos) steps.refuse("one token before a text is expected, not two");
            if (found) bos = found;
        }
        return bos;
    }
    if (type != "TemplateProcessing") node["type"].refuse("netra knows 'TemplateProcessing', 'ByteLevel' and a 'Sequence' of them");
    const json_node single = node["single"];
    const usz n = single.size();
    if (n == 0 || n > 2) single.refuse("the text, perhaps after one special token, is expected");
    if (single[n - 1]["Sequence"]["id"].string() != "A") single[n - 1].refuse("the text, 'A', is expected last");
    if (n == 1) return std::nullopt;
    const std::string name = single[0]["SpecialToken"]["id"].string();
    const json_node ids = node["special_tokens"][name]["ids"];
    if (ids.size() != 1) ids.refuse("one id is expected");
    return ids[0].id();
}

/// The text of a token that is given as a string or as an object with its content.
inline std::optional<std::string> token_text(const json_node& node) {
    if (node.is_null()) return std::nullopt;
    return node.is_object() ? node["content"].string() : node.string();
}

inline void read_vocabulary(const json_node& vocab, tokenizer_data& out) {
    constexpr usz most_gaps = usz{1} << 20;
    if (!vocab.is_object()) vocab.refuse("an object of tokens and their ids is expected");
    const usz most = vocab.raw().size() + most_gaps;
    for (const auto& [token, value] : vocab.raw().items()) {
        const bool fits = value.is_number_unsigned() && value.template get<u64_t>() < most;
        if (!fits) vocab[token].refuse(fmt::format("an id below {} is expected", most));
        const auto id = value.template get<usz>();
        if (id >= out.tokens.size()) out.tokens.resize(id + 1);
        if (token.empty()) vocab[token].refuse("a token needs a text");
        if (!out.tokens[id].empty()) vocab[token].refuse(fmt::format("the token {} has that id, too", in_quotes(out.tokens[id])));
        out.tokens[id] = token;
    }
}

inline void read_merges(const json_node& merges, tokenizer_data& out) {
    const usz n = merges.size();
    out.merges.reserve(n);
    for (usz i = 0; i < n; ++i) {
        const nlohmann::json& m = merges.raw()[i];
        if (m.is_array() && m.size() == 2 && m[0].is_string() && m[1].is_string()) {
            out.merges.emplace_back(m[0].get<std::string>(), m[1].get<std::string>());
        } else {
            out.merges.push_back(merge_in(merges[i].string(), out.source, "model.merges", i));
        }
    }
}

inline void read_bpe(const json_node& model, tokenizer_data& out) {
    if (model["type"].string_or("BPE") != "BPE") model["type"].refuse("netra reads 'BPE', so give the prompt as ids");
    if (model["byte_fallback"].boolean_or(false)) model["byte_fallback"].refuse("false is expected: the vocabulary must be byte-level");
    const json_node dropout = model["dropout"];
    if (!dropout.is_null() && !(dropout.raw().is_number() && dropout.raw().get<double>() == 0)) dropout.refuse("null is expected");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!model[key].string_or("").empty()) model[key].refuse("none is expected in a byte-level vocabulary");
    }
    out.ignore_merges = model["ignore_merges"].boolean_or(false);
    read_vocabulary(model["vocab"], out);
    read_merges(model["merges"], out);
    if (!model["unk_token"].string_or("").empty()) {
        std::array<bool, 256> known{};
        for (const std::string& token : out.tokens) {
            if (const std::string byte = token_bytes(token); byte.size() == 1 && !token.empty()) known[static_cast<u8_t>(byte[0])] = true;
        }
        if (!std::all_of(known.begin(), known.end(), [](bool b) { return b; })) {
            model["unk_token"].refuse("an unknown token where the vocabulary lacks some of the 256 bytes is not supported");
        }
    }
}

inline void read_added(const json_node& added, tokenizer_data& out) {
    const usz vocabulary = out.tokens.size();
    for (usz i = 0; !added.is_null() && i < added.size(); ++i) {
        const json_node t = added[i];
        const u32_t id = t["id"].id();
        out.added.push_back({.content = t["content"].string(),
                             .id = id,
                             .special = t["special"].boolean_or(false),
                             .normalized = t["normalized"].boolean_or(true),
                             .lstrip = t["lstrip"].boolean_or(false),
                             .rstrip = t["rstrip"].boolean_or(false),
                             .single_word = t["single_word"].boolean_or(false),
                             .in_vocabulary = id < vocabulary && !out.tokens[id].empty()});
    }
}

/// The id of a token's text; a missing one is refused by the key that asks for it.
inline u32_t id_of(const tokenizer_data& data, std::string_view text, const json_node& asked) {
    for (const added_token& t : data.added) {
        if (t.content == text) return t.id;
    }
    const auto at = std::find(data.tokens.begin(), data.tokens.end(), text);
    if (at == data.tokens.end()) asked.refuse("the vocabulary does not have that token");
    return static_cast<u32_t>(at - data.tokens.begin());
}

/// Token ids given as one number or as a list.
inline std::vector<u32_t> ids_in(const json_node& node) {
    std::vector<u32_t> out;
    if (node.is_null()) return out;
    if (!node.is_array()) return {node.id()};
    for (usz i = 0; i < node.size(); ++i) out.push_back(node[i].id());
    return out;
}

/// The tokenizer.json alone.
inline tokenizer_data tokenizer_in(const json_node& root) {
    tokenizer_data out;
    out.source = root.file();
    out.words = words_in(root["pre_tokenizer"]);
    out.nfc = nfc_in(root["normalizer"]);
    if (root["decoder"]["type"].string() != "ByteLevel") root["decoder"]["type"].refuse("'ByteLevel' is expected");
    read_bpe(root["model"], out);
    read_added(root["added_tokens"], out);
    if (const auto bos = bos_in(root["post_processor"])) {
        out.bos = bos;
        out.add_bos = true;
    }
    return out;
}

inline void read_tokenizer_config(const json_node& config, tokenizer_data& out) {
    if (config["add_eos_token"].boolean_or(false)) config["add_eos_token"].refuse("an end token after every prompt is not supported");
    if (const auto text = token_text(config["bos_token"])) {
        const u32_t bos = id_of(out, *text, config["bos_token"]);
        if (out.bos && *out.bos != bos) config["bos_token"].refuse(fmt::format("tokenizer.json puts the token {} before a text", *out.bos));
        out.bos = bos;
    }
    if (!config["add_bos_token"].is_null()) {
        out.add_bos = config["add_bos_token"].boolean() && out.bos.has_value();
    }
    if (const auto text = token_text(config["eos_token"])) out.eos = {id_of(out, *text, config["eos_token"])};
    const json_node chat = config["chat_template"];
    if (!chat.is_array()) {
        out.chat_template = chat.string_or("");
        return;
    }
    for (usz i = 0; i < chat.size(); ++i) {
        if (chat[i]["name"].string() == "default") out.chat_template = chat[i]["template"].string();
    }
}

}  // namespace detail

/// The text of a tokenizer.json; `source` is its name in messages.
inline tokenizer_data tokenizer_from_json(std::string_view text, const std::string& source) {
    return detail::tokenizer_in(detail::parse_json(text, source));
}

/// A model directory: its tokenizer.json, and from the other files, where there are any, the chat template, bos and eos.
inline tokenizer_data tokenizer_from_directory(const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    const auto has = [&](const char* name) { return fs::is_regular_file(directory / name); };
    const auto read = [&](const char* name) { return detail::read_json((directory / name).string()); };
    if (!has("tokenizer.json")) {
        throw model_error(fmt::format("{}: there is no tokenizer.json; add it, or give the prompt as ids", directory.string()));
    }
    tokenizer_data out = detail::tokenizer_in(read("tokenizer.json"));
    if (has("tokenizer_config.json")) detail::read_tokenizer_config(read("tokenizer_config.json"), out);
    if (has("chat_template.jinja")) {
        const mapped_file file((directory / "chat_template.jinja").string());
        out.chat_template.assign(reinterpret_cast<const char*>(file.data()), file.size());  // NOLINT: bytes are characters
    }
    for (const char* name : {"generation_config.json", "config.json"}) {
        if (!has(name)) continue;
        if (auto eos = detail::ids_in(read(name)["eos_token_id"]); !eos.empty()) {
            out.eos = std::move(eos);
            break;
        }
    }
    return out;
}

}  // namespace netra::inline v0
