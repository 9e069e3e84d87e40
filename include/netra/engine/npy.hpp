// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// NumPy's .npy files, version 1.0, of fp32 values in row-major order.
#pragma once

#include <netra/engine/tensor.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace netra::inline v0 {

struct npy_array {
    std::vector<u64_t> shape;
    std::vector<float> values;
};

namespace detail {

inline constexpr std::string_view npy_magic{"\x93NUMPY\x01\x00", 8};

/// Magic, version, length and dictionary, padded so that the values begin at a multiple of 64.
inline std::string npy_header(std::span<const u64_t> shape) {
    std::string extents;
    for (const u64_t extent : shape) extents += fmt::format("{}{},", extents.empty() ? "" : " ", extent);
    if (shape.size() > 1) extents.pop_back();
    std::string dictionary = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", extents);
    const usz used = npy_magic.size() + sizeof(u16_t) + dictionary.size() + 1;
    dictionary.append((64 - used % 64) % 64, ' ').push_back('\n');
    const auto length = static_cast<u16_t>(dictionary.size());
    std::string header(npy_magic);
    header.push_back(static_cast<char>(length & 0xff));
    header.push_back(static_cast<char>(length >> 8));
    return header + dictionary;
}

}  // namespace detail

/// Writes `values`, whose shape is `shape` (outermost first), to the file at `path`.
inline void write_npy(const std::string& path, std::span<const u64_t> shape, std::span<const float> values) {
    u64_t elements = 0;
    constexpr usz most_dimensions = 32;
    if (shape.size() > most_dimensions || !detail::element_count(shape, elements) || elements != values.size()) {
        throw model_error(fmt::format("{}: {} values do not have the shape they are to be written with", path, values.size()));
    }
    const std::string header = detail::npy_header(shape);
    errno = 0;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
    const bool written = file != nullptr && std::fwrite(header.data(), 1, header.size(), file.get()) == header.size() &&
                         (values.empty() || std::fwrite(values.data(), sizeof(float), values.size(), file.get()) == values.size()) &&
                         std::fclose(file.release()) == 0;
    if (!written) throw model_error(fmt::format("{}: cannot write the file: {}", path, std::generic_category().message(errno)));
}

/// Reads what write_npy or NumPy wrote; `file` is its name in messages.
inline npy_array parse_npy(std::span<const std::byte> bytes, const std::string& file) {
    const auto refuse = [&](const std::string& what) {
        throw model_error(file + ": " + what + "; an fp32 array in NumPy's format 1.0 is expected");
    };
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: bytes are characters
    const usz prefix = detail::npy_magic.size() + sizeof(u16_t);
    if (!text.starts_with(detail::npy_magic) || text.size() < prefix) refuse("does not begin as such");
    const usz length = detail::load<u16_t>(bytes.data() + detail::npy_magic.size());
    if (length > text.size() - prefix) refuse("ends within its header");
    const std::string_view header = text.substr(prefix, length);
    if (header.find("'descr': '<f4'") == std::string_view::npos) refuse("has no fp32 values");
    if (header.find("'fortran_order': False") == std::string_view::npos) refuse("is not in row-major order");
    constexpr std::string_view shape_key = "'shape': (";
    const usz from = header.find(shape_key);
    if (from == std::string_view::npos) refuse("has no shape");

    npy_array out;
    u64_t extent = 0;
    bool digits = false;
    bool closed = false;
    for (usz i = from + shape_key.size(); i < header.size() && !closed; ++i) {
        const char c = header[i];
        closed = c == ')';
        if (c >= '0' && c <= '9' && extent < (u64_t{1} << 56)) {
            extent = 10 * extent + static_cast<u64_t>(c - '0');
            digits = true;
        } else if (closed || c == ',') {
            if (digits) out.shape.push_back(extent);
            extent = 0;
            digits = false;
        } else if (c != ' ' || digits) {
            refuse("has a malformed shape");
        }
    }
    u64_t elements = 0;
    if (!closed || !detail::element_count(out.shape, elements)) refuse("has a malformed shape");
    const auto data = bytes.subspan(prefix + length);
    if (data.size() % sizeof(float) != 0 || data.size() / sizeof(float) != elements) {
        refuse(fmt::format("has {} bytes of values for {} elements", data.size(), elements));
    }
    out.values.resize(elements);
    if (elements != 0) std::memcpy(out.values.data(), data.data(), data.size());
    return out;
}

inline npy_array read_npy(const std::string& path) {
    const mapped_file file(path);
    return parse_npy(file.bytes(), path);
}

}  // namespace netra::inline v0
