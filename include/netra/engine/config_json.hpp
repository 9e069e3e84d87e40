// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// JSON configurations of models: parsed strictly, their values checked for type and range before use.
#pragma once

#include <netra/engine/json_reader.hpp>
#include <netra/engine/tensor.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace netra::inline v0 {

namespace detail {

inline constexpr usz longest_config = usz{1} << 20;
inline constexpr usz deepest_config = 16;

class config_reader final : public json_reader {
public:
    explicit config_reader(const std::string& file) : json_reader(file, deepest_config) {}

private:
    void check_text(const std::string& s) const override {
        if (s.find('\0') != std::string::npos)
            throw model_error(fmt::format("{}: the text {} has a zero character in it", file(), in_quotes(s)));
    }
    [[noreturn]] void too_deep() const override {
        throw model_error(fmt::format("{}: nests deeper than {} levels; this is no model configuration", file(), deepest()));
    }
    [[noreturn]] void malformed(usz at, bool overflow, std::string_view) const override {
        if (overflow) throw model_error(file() + ": not valid JSON: a number is too large");
        throw model_error(fmt::format("{}: not valid JSON at byte {}", file(), at));
    }
};

}  // namespace detail

/// The JSON object that is `text`, `file` being its name in messages. Refuses duplicate keys, deep nesting and whatever else is not strict
/// JSON.
inline nlohmann::json parse_config_json(std::string_view text, const std::string& file) {
    if (text.size() > detail::longest_config)
        throw model_error(fmt::format("{}: {} bytes; a model configuration has at most {}", file, text.size(), detail::longest_config));
    const usz first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' || text.find('\0') != std::string_view::npos) {
        throw model_error(file + ": not a JSON object; a model's config.json is expected");
    }
    detail::config_reader reader(file);
    return detail::read_all(text, reader);
}

namespace detail {

/// One object of a configuration. Every refusal names the file, the key and its value.
class config_object {
public:
    /// `scope` stands before the keys in messages, as in `rope_scaling.`. @pre `object` is one and outlives this
    config_object(const nlohmann::json& object, const std::string& file, std::string scope = {})
        : object_(object), file_(file), scope_(std::move(scope)) {}

    const nlohmann::json& json() const { return object_; }
    const std::string& file() const { return file_; }

    [[noreturn]] void refuse(const std::string& key, const std::string& advice) const {
        constexpr usz longest = 80;
        std::string value = object_.at(key).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
        if (value.size() > longest) value = value.substr(0, longest) + "...";
        throw model_error(fmt::format("{}: key {} is {}; {}", file_, in_quotes(scope_ + key), value, advice));
    }
    [[noreturn]] void missing(const std::string& key, const std::string& advice) const {
        throw model_error(fmt::format("{}: key {} is missing; {}", file_, in_quotes(scope_ + key), advice));
    }

    bool has(const std::string& key) const { return object_.contains(key); }
    /// The value, or null when it is absent or null.
    const nlohmann::json* find(const std::string& key) const {
        const auto at = object_.find(key);
        return at == object_.end() || at->is_null() ? nullptr : &*at;
    }

    /// An integer from `least` to `limit`; refuses a missing key.
    u32_t size(const std::string& key, u64_t limit, u64_t least = 1) const {
        const std::string wanted = fmt::format("an integer from {} to {} is expected", least, limit);
        if (!has(key)) missing(key, wanted);
        const auto& v = object_.at(key);
        const bool natural = v.is_number_unsigned() || (v.is_number_integer() && v.get<i64_t>() >= 0);
        if (!natural || v.get<u64_t>() < least || v.get<u64_t>() > limit) refuse(key, wanted);
        return v.get<u32_t>();
    }
    bool boolean_or(const std::string& key, bool fallback) const {
        if (!has(key)) return fallback;
        const auto& v = object_.at(key);
        if (!v.is_boolean()) refuse(key, "true or false is expected");
        return v.get<bool>();
    }
    /// A number from `least` to `most`.
    double real(const std::string& key, double least, double most) const {
        const std::string wanted = fmt::format("a number from {:g} to {:g} is expected", least, most);
        if (!has(key)) missing(key, wanted);
        const auto& v = object_.at(key);
        if (!v.is_number() || !(v.get<double>() >= least && v.get<double>() <= most)) refuse(key, wanted);
        return v.get<double>();
    }
    std::string string(const std::string& key) const {
        if (!has(key)) missing(key, "a string is expected");
        if (!object_.at(key).is_string()) refuse(key, "a string is expected");
        return object_.at(key).get<std::string>();
    }

private:
    const nlohmann::json& object_;
    const std::string& file_;
    std::string scope_;
};

}  // namespace detail
}  // namespace netra::inline v0
