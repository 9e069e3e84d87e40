// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The JSON of schedule files: parsed strictly and within limits; every refusal names the file, the way to the value and the value.
#pragma once

#include <netra/engine/json_reader.hpp>
#include <netra/engine/tensor.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>

namespace netra::inline v0::detail {

inline constexpr usz longest_schedule = usz{128} << 20;  ///< bytes of text
inline constexpr usz deepest_schedule = 16;              ///< levels of objects and arrays
inline constexpr usz most_schedule_values = usz{1} << 24;

class schedule_reader final : public json_reader {
public:
    schedule_reader(const std::string& file, usz size, usz most) : json_reader(file, deepest_schedule, most), size_(size) {}

private:
    [[noreturn]] void too_deep() const override {
        throw model_error(fmt::format("{}: nests deeper than {} levels; this is no schedule", file(), deepest()));
    }
    [[noreturn]] void too_many() const override {
        throw model_error(fmt::format("{}: has more than {} values; check a schedule of that size in parts", file(), most()));
    }
    [[noreturn]] void malformed(usz at, bool overflow, std::string_view) const override {
        if (overflow) throw model_error(file() + ": not valid JSON: a number is too large; write numbers of at most 64 bits");
        throw model_error(fmt::format("{}: not valid JSON at byte {} of {}; is the file whole?", file(), at, size_));
    }

    usz size_;
};

/// `text` with NaN, Infinity and -Infinity outside of strings in quotes: some writers of JSON print them, no reader takes them.
inline std::string with_quoted_specials(std::string_view text) {
    constexpr std::string_view specials[] = {"NaN", "-Infinity", "Infinity"};
    std::string out;
    out.reserve(text.size() + 64);
    bool quoted = false;
    for (usz i = 0; i < text.size();) {
        const char c = text[i];
        usz length = 1;
        bool special = false;
        if (quoted) {
            if (c == '\\' && i + 1 < text.size()) length = 2;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else {
            for (const std::string_view s : specials)
                if (!special && text.substr(i, s.size()) == s) length = s.size(), special = true;
        }
        if (special) out += '"';
        out.append(text.substr(i, length));
        if (special) out += '"';
        i += length;
    }
    return out;
}

/// The JSON object that is `text`, `file` being its name in messages. A number that is not one (NaN, Infinity) becomes a string.
inline nlohmann::json parse_schedule_json(std::string_view text, const std::string& file, usz most_values = most_schedule_values) {
    if (text.size() > longest_schedule)
        throw model_error(fmt::format("{}: {} bytes; a schedule has at most {}", file, text.size(), longest_schedule));
    const usz first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
        throw model_error(file + ": not a JSON object; a schedule is one, see docs/schedule-format.md");
    std::string rewritten;
    if (text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos) {
        rewritten = with_quoted_specials(text);
        text = rewritten;
    }
    schedule_reader reader(file, text.size(), most_values);
    return read_all(text, reader);
}

/// A value of a schedule file with the way to it. @pre the file's JSON and name outlive it
class json_place {
public:
    json_place(const nlohmann::json& root, const std::string& file) : file_(&file), value_(&root) {}

    /// A member, missing when there is none; refuses what is no object.
    json_place operator[](const char* key) const {
        if (value_ == nullptr || !value_->is_object()) refuse("an object is expected");
        const auto at = value_->find(key);
        return step(key, 0, at == value_->end() ? nullptr : &*at);
    }
    /// An item of an array. @pre `index` < size()
    json_place at(usz index) const { return step(nullptr, index, &(*value_)[index]); }

    bool missing() const { return value_ == nullptr || value_->is_null(); }
    bool is_object() const { return value_ != nullptr && value_->is_object(); }
    const nlohmann::json* raw() const { return value_; }
    const std::string& file() const { return *file_; }

    usz size() const {
        if (value_ == nullptr || !value_->is_array()) refuse("an array is expected");
        return value_->size();
    }
    const std::string& text() const {
        if (value_ == nullptr || !value_->is_string()) refuse("a text is expected");
        return value_->get_ref<const std::string&>();
    }
    std::string text_or(const char* fallback) const { return missing() ? std::string(fallback) : text(); }
    i64_t whole() const {
        const bool fits = value_ != nullptr && value_->is_number_integer() &&
                          (!value_->is_number_unsigned() || value_->get<u64_t>() <= static_cast<u64_t>(~u64_t{0} >> 1));
        if (!fits) refuse("a whole number of at most 63 bits is expected");
        return value_->get<i64_t>();
    }
    i64_t whole_or(i64_t fallback) const { return missing() ? fallback : whole(); }
    u64_t whole_in(u64_t least, u64_t most) const {
        const i64_t v = whole();
        if (v < 0 || static_cast<u64_t>(v) < least || static_cast<u64_t>(v) > most)
            refuse(fmt::format("a whole number from {} to {} is expected", least, most));
        return static_cast<u64_t>(v);
    }
    bool truth() const {
        if (value_ == nullptr || !value_->is_boolean()) refuse("true or false is expected");
        return value_->get<bool>();
    }

    /// As in `tasks[3].waits[0].counter`.
    std::string path() const {
        std::string out;
        for (usz i = 0; i < depth_; ++i) {
            if (steps_[i].key == nullptr)
                out += fmt::format("[{}]", steps_[i].index);
            else
                out += (out.empty() ? "" : ".") + std::string(steps_[i].key);
        }
        return out;
    }
    [[noreturn]] void refuse(std::string_view why) const {
        std::string found = "missing";
        if (value_ != nullptr) found = value_->is_string() ? in_quotes(value_->get_ref<const std::string&>()) : value_->type_name();
        if (value_ != nullptr && value_->is_structured()) found = fmt::format("an {} of {} items", value_->type_name(), value_->size());
        if (value_ != nullptr && (value_->is_number() || value_->is_boolean())) found = value_->dump();
        throw model_error(fmt::format("{}: {} is {}; {}", *file_, depth_ == 0 ? "the whole" : in_quotes(path()), found, why));
    }

private:
    struct link {
        const char* key = nullptr;
        usz index = 0;
    };
    json_place step(const char* key, usz index, const nlohmann::json* value) const {
        json_place out = *this;
        if (depth_ < out.steps_.size()) out.steps_[out.depth_++] = {key, index};
        out.value_ = value;
        return out;
    }

    const std::string* file_;
    const nlohmann::json* value_;
    std::array<link, 8> steps_{};
    usz depth_ = 0;
};

/// The position of `name` in a table of names; refuses one that is not there and lists those that are.
template <class Table>
usz index_in(const json_place& place, const Table& names) {
    const std::string& name = place.text();
    std::string all;
    for (usz i = 0; i < std::size(names); ++i) {
        if (name == names[i]) return i;
        all += (i == 0 ? "" : ", ") + std::string(names[i]);
    }
    place.refuse("one of " + all + " is expected");
}

}  // namespace netra::inline v0::detail
