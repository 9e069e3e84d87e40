// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// JSON text to values, in time proportional to its length: the one reader below configurations, tokenizers and schedules.
#pragma once

#include <netra/engine/tensor.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netra::inline v0::detail {

/// Events of nlohmann's parser: makes the values, within the limits of one kind of file. A derived class has that kind's sentences.
/// (The parser's own callbacks are no way to do this: with them, the end of an object visits everything that stands beside it.)
class json_reader : public nlohmann::json_sax<nlohmann::json> {
public:
    static constexpr usz any_number = ~usz{0};

    /// `deepest` is in levels of objects and arrays; `most` counts them and what is in them. @pre `file` outlives this
    json_reader(const std::string& file, usz deepest, usz most = any_number) : file_(file), deepest_(deepest), most_(most) {}

    bool null() final { return add(nullptr); }
    bool boolean(bool v) final { return add(v); }
    bool number_integer(number_integer_t v) final { return add(v); }
    bool number_unsigned(number_unsigned_t v) final { return add(v); }
    bool number_float(number_float_t v, const string_t&) final { return add(v); }
    bool string(string_t& v) final {
        check_text(v);
        return add(std::move(v));
    }
    bool binary(binary_t&) final { return false; }
    bool start_object(usz) final { return open(nlohmann::json::object()); }
    bool start_array(usz) final { return open(nlohmann::json::array()); }
    bool end_object() final { return close(); }
    bool end_array() final { return close(); }
    bool key(string_t& name) final {
        check_text(name);
        const auto [at, fresh] = open_.back()->emplace(std::move(name), nullptr);
        if (!fresh) repeated(at.key());
        member_ = &*at;
        return true;
    }
    bool parse_error(usz at, const std::string&, const nlohmann::json::exception& e) final {
        constexpr int number_overflow = 406;
        malformed(at, e.id == number_overflow, e.what());
        return false;
    }

    /// The values so far: objects, arrays, and what is in them.
    usz values() const { return values_; }
    nlohmann::json take() { return std::move(root_); }

protected:
    const std::string& file() const { return file_; }
    usz deepest() const { return deepest_; }
    usz most() const { return most_; }

    /// Refuses a text (a key, too) that this kind of file may not have.
    virtual void check_text(const std::string&) const {}
    /// Refuses a key that occurs twice in one object. Where an override returns, the last value counts.
    virtual void repeated(const std::string& key) const {
        throw model_error(fmt::format("{}: key {} occurs twice in one object; keep one of them", file_, in_quotes(key)));
    }
    [[noreturn]] virtual void too_deep() const = 0;
    [[noreturn]] virtual void too_many() const { throw model_error(fmt::format("{}: has more than {} values", file_, most_)); }
    /// Refuses what is no JSON: the byte where that is seen, whether it is only a number that fits no 64 bits, and the parser's sentence.
    [[noreturn]] virtual void malformed(usz at, bool overflow, std::string_view said) const = 0;

private:
    nlohmann::json* place(nlohmann::json&& value) {
        if (values_ == most_) too_many();
        ++values_;
        nlohmann::json* at = &root_;
        if (!open_.empty()) at = open_.back()->is_array() ? &open_.back()->emplace_back() : member_;
        *at = std::move(value);
        return at;
    }
    bool add(nlohmann::json&& value) {
        place(std::move(value));
        return true;
    }
    bool open(nlohmann::json&& value) {
        if (open_.size() == deepest_) too_deep();
        open_.push_back(place(std::move(value)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    const std::string& file_;
    usz deepest_;
    usz most_;
    usz values_ = 0;
    nlohmann::json root_;
    std::vector<nlohmann::json*> open_;  ///< objects and arrays that have begun, the innermost last
    nlohmann::json* member_ = nullptr;   ///< of the innermost object: the one whose key came last
};

/// The value that is `text`, read by `reader`.
inline nlohmann::json read_all(std::string_view text, json_reader& reader) {
    nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
    return reader.take();
}

}  // namespace netra::inline v0::detail
