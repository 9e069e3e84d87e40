// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The metadata of GGUF files: values of every type, checked against the file's end, by key.
#pragma once

#include <netra/engine/tensor.hpp>

#include <bit>
#include <limits>
#include <optional>

namespace netra::inline v0 {

/// The types of metadata values, numbered as in the file.
enum class gguf_type : u32_t { uint8, int8, uint16, int16, uint32, int32, float32, boolean, string, array, uint64, int64, float64 };

constexpr const char* name_of(gguf_type t) {
    constexpr const char* names[] = {"uint8",   "int8",   "uint16", "int16",  "uint32", "int32", "float32",
                                     "boolean", "string", "array",  "uint64", "int64",  "float64"};
    return names[static_cast<u32_t>(t)];
}

/// A metadata value, checked, as it stands in the file.
struct gguf_value {
    gguf_type type = gguf_type::uint8;
    gguf_type item = gguf_type::uint8;  ///< of an array's items
    u64_t count = 1;                    ///< of an array's items
    std::span<const std::byte> stored;  ///< a number's bytes, a string's characters, an array's items one after the other
    u64_t offset = 0;                   ///< of `stored` in the file
};

namespace detail {

static_assert(std::endian::native == std::endian::little, "weights are read as they are stored, which is little-endian");

/// Reads a file from its start to its end and refuses to go beyond it.
class gguf_cursor {
  public:
    gguf_cursor(std::span<const std::byte> bytes, std::string_view file, u64_t at = 0) : bytes_(bytes), file_(file), at_(at) {}

    u64_t at() const { return at_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    u64_t left() const { return bytes_.size() - at_; }

    [[noreturn]] void refuse(u64_t at, const std::string& what) const {
        throw model_error(said("{}: {} (offset {})", {file_, what, at}));
    }

    std::span<const std::byte> take(u64_t n, std::string_view what) {
        if (n > left()) refuse(at_, said("{} needs {} bytes, the file has {} more: it is damaged or incomplete", {what, n, left()}));
        const auto taken = bytes_.subspan(at_, n);
        at_ += n;
        return taken;
    }
    template <class T>
    T number(std::string_view what) {
        return load<T>(take(sizeof(T), what).data());
    }
    std::string_view string(std::string_view what) {
        const auto s = take(number<u64_t>(what), what);
        return {reinterpret_cast<const char*>(s.data()), s.size()};  // NOLINT: bytes are characters
    }
    /// A count of things of at least `least` bytes each.
    u64_t count(u64_t least, std::string_view what) {
        const u64_t from = at_;
        const u64_t n = number<u64_t>(what);
        if (n > left() / least) refuse(from, said("{} is {}, more than the file's {} remaining bytes can hold", {what, n, left()}));
        return n;
    }

    gguf_type type(std::string_view what) {
        const u64_t from = at_;
        const u32_t t = number<u32_t>(what);
        if (t > static_cast<u32_t>(gguf_type::float64)) {
            refuse(from, said("{} has the value type {}, which GGUF version 3 lacks", {what, t}));
        }
        return static_cast<gguf_type>(t);
    }
    gguf_value value(gguf_type t, std::string_view what, int depth = 0);

  private:
    void boolean(std::string_view what) {
        const u64_t from = at_;
        const u8_t b = number<u8_t>(what);
        if (b > 1) refuse(from, said("{} is a boolean of value {}; 0 or 1 is expected", {what, b}));
    }

    std::span<const std::byte> bytes_;
    std::string_view file_;
    u64_t at_;
};

/// Bytes of a number, or of the smallest string or array.
constexpr u64_t least_bytes(gguf_type t) {
    switch (t) {
        case gguf_type::uint8:
        case gguf_type::int8:
        case gguf_type::boolean: return 1;
        case gguf_type::uint16:
        case gguf_type::int16: return 2;
        case gguf_type::uint32:
        case gguf_type::int32:
        case gguf_type::float32: return 4;
        case gguf_type::uint64:
        case gguf_type::int64:
        case gguf_type::float64:
        case gguf_type::string: return 8;
        case gguf_type::array: return 12;
    }
    return 1;
}

inline gguf_value gguf_cursor::value(gguf_type t, std::string_view what, int depth) {
    constexpr int deepest = 8;
    if (t == gguf_type::string) {
        const auto s = string(what);
        return {t, t, 1, std::as_bytes(std::span(s)), at_ - s.size()};
    }
    if (t != gguf_type::array) {
        const u64_t from = at_;
        if (t == gguf_type::boolean) {
            boolean(what);
        } else {
            take(least_bytes(t), what);
        }
        return {t, t, 1, bytes_.subspan(from, at_ - from), from};
    }
    if (depth == deepest) refuse(at_, said("{} nests arrays deeper than {} levels", {what, deepest}));
    const gguf_type item = type(what);
    const u64_t items = count(least_bytes(item), what);
    const u64_t from = at_;
    if (item == gguf_type::string || item == gguf_type::array || item == gguf_type::boolean) {
        for (u64_t i = 0; i < items; ++i) value(item, what, depth + 1);
    } else {
        take(items * least_bytes(item), what);
    }
    return {t, item, items, bytes_.subspan(from, at_ - from), from};
}

/// The integer in `stored`, when it is one and fits.
inline std::optional<i64_t> integer_in(gguf_type t, const std::byte* at) {
    switch (t) {
        case gguf_type::uint8: return load<u8_t>(at);
        case gguf_type::int8: return load<i8_t>(at);
        case gguf_type::uint16: return load<u16_t>(at);
        case gguf_type::int16: return load<short>(at);
        case gguf_type::uint32: return load<u32_t>(at);
        case gguf_type::int32: return load<i32_t>(at);
        case gguf_type::int64: return load<i64_t>(at);
        case gguf_type::uint64:
            if (const auto v = load<i64_t>(at); v >= 0) return v;
            return {};
        default: return {};
    }
}
inline std::optional<double> real_in(gguf_type t, const std::byte* at) {
    if (t == gguf_type::float32) return static_cast<double>(load<float>(at));
    if (t == gguf_type::float64) return load<double>(at);
    return {};
}

}  // namespace detail

/// The keys of a GGUF file. Each accessor refuses a missing key and a value of another type by name; those called `_or` take a missing key
/// for the fallback. Any integer type will do where an integer is asked for. Strings are views into the file.
class gguf_metadata {
  public:
    gguf_metadata() = default;
    explicit gguf_metadata(std::string file) : file_(std::move(file)) {}

    const std::string& file() const { return file_; }
    bool has(std::string_view key) const { return find(key) != nullptr; }
    const gguf_value* find(std::string_view key) const {
        const auto at = values_.find(key);
        return at == values_.end() ? nullptr : &at->second;
    }
    const std::map<std::string_view, gguf_value>& values() const { return values_; }
    /// False when the key is there already.
    bool add(std::string_view key, const gguf_value& value) { return values_.emplace(key, value).second; }

    std::string_view string(std::string_view key) const {
        const gguf_value& v = at(key, "a string");
        if (v.type != gguf_type::string) wrong(key, v, "a string");
        return text(v);
    }
    bool boolean(std::string_view key) const {
        const gguf_value& v = at(key, "a boolean");
        if (v.type != gguf_type::boolean) wrong(key, v, "a boolean");
        return v.stored[0] != std::byte{0};
    }
    i64_t i64(std::string_view key) const {
        const gguf_value& v = at(key, "an integer");
        if (const auto n = detail::integer_in(v.type, v.stored.data())) return *n;
        wrong(key, v, "an integer");
    }
    u64_t u64(std::string_view key) const {
        const gguf_value& v = at(key, "an unsigned integer");
        if (v.type == gguf_type::uint64) return detail::load<u64_t>(v.stored.data());
        if (const auto n = detail::integer_in(v.type, v.stored.data()); n && *n >= 0) return static_cast<u64_t>(*n);
        wrong(key, v, "an unsigned integer");
    }
    double f64(std::string_view key) const {
        const gguf_value& v = at(key, "a real number");
        if (const auto x = detail::real_in(v.type, v.stored.data())) return *x;
        wrong(key, v, "a real number");
    }
    std::string_view string_or(std::string_view key, std::string_view fallback) const { return has(key) ? string(key) : fallback; }
    bool boolean_or(std::string_view key, bool fallback) const { return has(key) ? boolean(key) : fallback; }
    i64_t i64_or(std::string_view key, i64_t fallback) const { return has(key) ? i64(key) : fallback; }
    u64_t u64_or(std::string_view key, u64_t fallback) const { return has(key) ? u64(key) : fallback; }
    double f64_or(std::string_view key, double fallback) const { return has(key) ? f64(key) : fallback; }

    std::vector<std::string_view> strings(std::string_view key) const {
        const gguf_value& v = array(key, "an array of strings");
        if (v.item != gguf_type::string) wrong(key, v, "an array of strings");
        std::vector<std::string_view> out;
        out.reserve(v.count);
        for_each(v, [&](const gguf_value& item) { out.push_back(text(item)); });
        return out;
    }
    std::vector<i64_t> integers(std::string_view key) const {
        const gguf_value& v = array(key, "an array of integers");
        std::vector<i64_t> out;
        out.reserve(v.count);
        for_each(v, [&](const gguf_value& item) {
            const auto n = detail::integer_in(item.type, item.stored.data());
            if (!n) wrong(key, v, "an array of integers below 2^63");
            out.push_back(*n);
        });
        return out;
    }
    // note: templates, so that a program which does not read such arrays does not compile their vectors
    template <class Real = double>
    std::vector<Real> reals(std::string_view key) const {
        const gguf_value& v = array(key, "an array of real numbers");
        std::vector<Real> out;
        out.reserve(v.count);
        for_each(v, [&](const gguf_value& item) {
            const auto x = detail::real_in(item.type, item.stored.data());
            if (!x) wrong(key, v, "an array of real numbers");
            out.push_back(*x);
        });
        return out;
    }
    /// The items of an array of any type.
    template <class Item = gguf_value>
    std::vector<Item> items(const gguf_value& array) const {
        std::vector<Item> out;
        for_each(array, [&](const gguf_value& item) { out.push_back(item); });
        return out;
    }
    /// A string value's characters.
    static std::string_view text(const gguf_value& v) {
        return {reinterpret_cast<const char*>(v.stored.data()), v.stored.size()};  // NOLINT: bytes are characters
    }

  private:
    const gguf_value& at(std::string_view key, std::string_view wanted) const {
        if (const gguf_value* v = find(key)) return *v;
        throw model_error(said("{}: the key {} is missing; {} is expected", {file_, detail::in_quotes(key), wanted}));
    }
    const gguf_value& array(std::string_view key, std::string_view wanted) const {
        const gguf_value& v = at(key, wanted);
        if (v.type != gguf_type::array) wrong(key, v, wanted);
        return v;
    }
    [[noreturn]] void wrong(std::string_view key, const gguf_value& v, std::string_view wanted) const {
        std::string found = name_of(v.type);
        if (v.type == gguf_type::array) found = said("an array of {} {}", {v.count, name_of(v.item)});
        if (const auto n = detail::integer_in(v.type, v.stored.data())) found += said(" {}", {*n});
        throw model_error(
            said("{}: the key {} (offset {}) is {}; {} is expected", {file_, detail::in_quotes(key), v.offset, found, wanted}));
    }
    template <class Each>
    void for_each(const gguf_value& v, Each each) const {
        detail::gguf_cursor items(v.stored, file_);
        for (u64_t i = 0; v.type == gguf_type::array && i < v.count; ++i) {
            gguf_value item = items.value(v.item, "an item");
            item.offset += v.offset;
            each(item);
        }
    }

    std::string file_;
    std::map<std::string_view, gguf_value> values_;
};

}  // namespace netra::inline v0
