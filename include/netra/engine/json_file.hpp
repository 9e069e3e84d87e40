// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// JSON files whose every refusal names the file, the key and the value.
#pragma once

#include <netra/engine/json_reader.hpp>
#include <netra/engine/mapped_file.hpp>
#include <netra/engine/tensor.hpp>
#include <netra/engine/utf8.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace netra::inline v0::detail {

/// A value with the way to it; one that is not there is null.
class json_node {
public:
    json_node(std::shared_ptr<const nlohmann::json> root, std::shared_ptr<const std::string> file)
        : root_(std::move(root)), file_(std::move(file)), value_(root_.get()) {}

    /// A member of an object or of null.
    json_node operator[](std::string_view key) const {
        json_node out = *this;
        out.path_ = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
        out.value_ = nullptr;
        if (is_null()) return out;
        if (!value_->is_object()) refuse("an object is expected");
        if (const auto at = value_->find(std::string(key)); at != value_->end()) out.value_ = &*at;
        return out;
    }
    json_node operator[](usz index) const {
        json_node out = *this;
        out.path_ = fmt::format("{}[{}]", path_, index);
        out.value_ = &value_->at(index);
        return out;
    }
    bool is_null() const { return value_ == nullptr || value_->is_null(); }
    bool is_string() const { return value_ != nullptr && value_->is_string(); }
    bool is_object() const { return value_ != nullptr && value_->is_object(); }
    bool is_array() const { return value_ != nullptr && value_->is_array(); }
    const nlohmann::json& raw() const { return *value_; }
    const std::string& file() const { return *file_; }

    usz size() const {
        if (!is_array()) refuse("an array is expected");
        return value_->size();
    }
    std::string string() const {
        if (!is_string()) refuse("a string is expected");
        return value_->get<std::string>();
    }
    std::string string_or(std::string_view fallback) const { return is_null() ? std::string(fallback) : string(); }
    bool boolean() const {
        if (is_null() || !value_->is_boolean()) refuse("true or false is expected");
        return value_->get<bool>();
    }
    bool boolean_or(bool fallback) const { return is_null() ? fallback : boolean(); }
    /// A token id.
    u32_t id() const {
        const bool fits = value_ != nullptr && value_->is_number_unsigned() && value_->get<u64_t>() < ~u32_t{0};
        if (!fits) refuse("a token id, an integer from 0 to 4294967294, is expected");
        return static_cast<u32_t>(value_->get<u64_t>());
    }

    [[noreturn]] void refuse(std::string_view why) const {
        std::string found = value_ == nullptr ? "missing" : "";
        if (value_ != nullptr && (value_->is_object() || value_->is_array())) {
            found = fmt::format("an {} of {} items", value_->type_name(), value_->size());
        } else if (value_ != nullptr) {
            found = value_->is_string() ? in_quotes(value_->get_ref<const std::string&>()) : value_->dump();
        }
        throw model_error(fmt::format("{}: the key {} is {}; {}", *file_, in_quotes(path_), found, why));
    }

private:
    std::shared_ptr<const nlohmann::json> root_;
    std::shared_ptr<const std::string> file_;
    const nlohmann::json* value_;
    std::string path_;
};

/// Of a key that occurs twice in one object, the last value counts, as in the programs that write these files.
class json_file_reader final : public json_reader {
public:
    using json_reader::json_reader;

private:
    void repeated(const std::string&) const override {}
    [[noreturn]] void too_deep() const override {
        throw model_error(fmt::format("{}: objects and arrays are nested deeper than {} levels", file(), deepest()));
    }
    [[noreturn]] void malformed(usz, bool, std::string_view said) const override {
        throw model_error(fmt::format("{}: not JSON: {}", file(), utf8::repaired(said)));
    }
};

/// Parses `text`; `file` is its name in messages.
inline json_node parse_json(std::string_view text, const std::string& file) {
    constexpr usz deepest = 32;
    constexpr usz longest = usz{256} << 20;
    if (text.size() > longest) throw model_error(fmt::format("{}: {} bytes; a file of at most {} is expected", file, text.size(), longest));
    json_file_reader reader(file, deepest);
    auto root = std::make_shared<const nlohmann::json>(read_all(text, reader));
    if (!root->is_object()) throw model_error(fmt::format("{}: an object is expected, this is {}", file, root->type_name()));
    return {std::move(root), std::make_shared<const std::string>(file)};
}

/// Reads the file at `path`.
inline json_node read_json(const std::string& path) {
    const mapped_file file(path);
    return parse_json({reinterpret_cast<const char*>(file.data()), file.size()}, path);  // NOLINT: bytes are characters
}

}  // namespace netra::inline v0::detail
