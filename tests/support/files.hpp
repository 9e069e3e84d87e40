// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Byte strings, and files in a temporary directory.
#pragma once

#include <netra/detail/config.hpp>

#include <stdlib.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace netra::test {

using blob = std::vector<std::byte>;

/// Appends a number as it stands in memory.
template <class T>
    requires std::is_arithmetic_v<T>
void put(blob& out, T value) {
    const auto at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
}
inline void put(blob& out, std::string_view text) {
    for (const char c : text) out.push_back(static_cast<std::byte>(c));
}
inline void put(blob& out, const blob& more) { out.insert(out.end(), more.begin(), more.end()); }

inline void write_file(const std::string& path, std::span<const std::byte> content) {
    std::ofstream file(path, std::ios::binary);
    for (const std::byte b : content) file.put(static_cast<char>(b));
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
}
inline void write_file(const std::string& path, std::string_view content) { write_file(path, std::as_bytes(std::span(content))); }

/// A new directory that is removed with all its files.
class temporary_directory {
  public:
    temporary_directory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "netra-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + pattern);
        path_ = pattern;
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::string& path() const { return path_; }
    /// The path of a file in it.
    std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  private:
    std::string path_;
};

}  // namespace netra::test
