// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Files that the programs write beside what they print.
#pragma once

#include <netra/engine/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace netra::tool {

/// The most tasks that a page shows.
inline constexpr unsigned long long most_shown_tasks = 1ULL << 18;

inline void write_text(const std::string& path, const std::string& text) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    const bool whole = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file != nullptr && std::fclose(file) == 0;
    if (!whole || !closed) throw model_error(fmt::format("{}: cannot be written; name a file in a folder that you may write to", path));
}

}  // namespace netra::tool
