// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Writes GGUF files, well-formed unless told otherwise.
#pragma once

#include "support/encode.hpp"

namespace netra::test {

/// The number of a metadata type in the file.
template <class T>
constexpr u32_t gguf_id() {
    if constexpr (std::is_same_v<T, u8_t>) return 0;
    if constexpr (std::is_same_v<T, i8_t>) return 1;
    if constexpr (std::is_same_v<T, u16_t>) return 2;
    if constexpr (std::is_same_v<T, short>) return 3;
    if constexpr (std::is_same_v<T, u32_t>) return 4;
    if constexpr (std::is_same_v<T, i32_t>) return 5;
    if constexpr (std::is_same_v<T, float>) return 6;
    if constexpr (std::is_same_v<T, bool>) return 7;
    if constexpr (std::is_convertible_v<T, std::string_view>) return 8;
    if constexpr (std::is_same_v<T, u64_t>) return 10;
    if constexpr (std::is_same_v<T, i64_t>) return 11;
    if constexpr (std::is_same_v<T, double>) return 12;
}

/// The number of a tensor type in the file.
inline u32_t ggml_id(const weight_format& format) {
    if (format == weight_format{f32}) return 0;
    if (format == weight_format{f16}) return 1;
    if (format == q4_0) return 2;
    if (format == q4_1) return 3;
    if (format == q8_0) return 8;
    if (format == weight_format{bf16}) return 30;
    throw std::logic_error("gguf_writer: ggml has no such type");
}

class gguf_writer {
  public:
    u32_t version = 3;
    u64_t alignment = 32;  ///< a value other than 32 needs the key general.alignment as well

    /// A number, a bool or a string.
    template <class T>
    gguf_writer& key(std::string_view name, const T& value) {
        blob stored;
        put_value(stored, value);
        return raw_key(name, gguf_id<T>(), stored);
    }
    template <class T>
    gguf_writer& array(std::string_view name, const std::vector<T>& items) {
        return raw_key(name, 9, array_bytes(items));
    }
    gguf_writer& raw_key(std::string_view name, u32_t type, const blob& value) {
        put_value(keys_, name);
        put(keys_, type);
        put(keys_, value);
        ++key_count_;
        return *this;
    }

    /// A tensor, its shape outermost first as everywhere in netra.
    gguf_writer& tensor(std::string_view name, const weight_format& format, std::vector<u64_t> shape, const blob& data) {
        return raw_tensor(name, ggml_id(format), {shape.rbegin(), shape.rend()}, next_offset(), data);
    }
    gguf_writer& tensor(std::string_view name, const weight_format& format, std::vector<u64_t> shape, std::span<const float> values) {
        return tensor(name, format, std::move(shape), encode(format, values));
    }
    /// Dimensions and offset as they stand in the file.
    gguf_writer& raw_tensor(std::string_view name, u32_t type, const std::vector<u64_t>& dims, u64_t offset, const blob& data) {
        put_value(tensors_, name);
        put(tensors_, static_cast<u32_t>(dims.size()));
        for (const u64_t d : dims) put(tensors_, d);
        put(tensors_, type);
        put(tensors_, offset);
        pad(data_);
        put(data_, data);
        ++tensor_count_;
        return *this;
    }
    /// Where the next tensor begins in the data.
    u64_t next_offset() const { return (data_.size() + alignment - 1) / alignment * alignment; }

    blob content() const {
        blob out;
        put(out, std::string_view("GGUF"));
        put(out, version);
        put(out, tensor_count_);
        put(out, key_count_);
        put(out, keys_);
        put(out, tensors_);
        pad(out);
        put(out, data_);
        return out;
    }
    void write(const std::string& path) const { write_file(path, content()); }

    /// An array as a value: the items' type, their number, the items.
    template <class T>
    static blob array_bytes(const std::vector<T>& items) {
        blob out;
        put(out, gguf_id<T>());
        put(out, static_cast<u64_t>(items.size()));
        for (const auto& item : items) put_value(out, static_cast<const T&>(item));
        return out;
    }

  private:
    template <class T>
    static void put_value(blob& out, const T& value) {
        if constexpr (std::is_convertible_v<T, std::string_view>) {
            const std::string_view text = value;
            put(out, static_cast<u64_t>(text.size()));
            put(out, text);
        } else {
            put(out, value);
        }
    }
    void pad(blob& out) const { out.resize((out.size() + alignment - 1) / alignment * alignment); }

    blob keys_;
    blob tensors_;
    blob data_;
    u64_t key_count_ = 0;
    u64_t tensor_count_ = 0;
};

}  // namespace netra::test
