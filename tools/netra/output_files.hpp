// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Refuses to write a file over one that is being read, over another output, or where there is no folder, before anything is opened.
#pragma once

#include <netra/engine/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>
#include <system_error>

namespace netra::tool {

/// A path and the option or argument that gives it; an empty path is an option that was not given.
struct given_path {
    const char* option;
    std::string path;
};

/// What opening `path` for writing would write: links are followed, one that leads nowhere too.
inline std::filesystem::path written_path(const std::string& path) {
    namespace fs = std::filesystem;
    constexpr int most_links = 40;
    std::error_code failed;
    fs::path at = path;
    for (int i = 0; i < most_links && fs::is_symlink(at, failed); ++i) {
        const fs::path to = fs::read_symlink(at, failed);
        if (failed) break;
        at = at.parent_path() / to;
    }
    const fs::path whole = fs::weakly_canonical(fs::absolute(at, failed), failed);
    return failed ? at : whole;
}

/// One file, by its device and inode, or by its path where there is none yet. Devices and pipes lose nothing.
inline bool same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const bool is_there = fs::exists(a, failed);
    if (is_there != fs::exists(b, failed)) return false;
    if (!is_there) return written_path(a) == written_path(b);
    return fs::is_regular_file(a, failed) && fs::equivalent(a, b, failed);
}

/// Whether `output` is `input` or, where that is a directory, a file of the model in it. Pages, graphs and logits belong to no model.
inline bool is_input(const std::string& output, const std::string& input) {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (!fs::is_directory(input, failed)) return same_file(output, input);
    for (fs::directory_iterator at(input, failed), end; !failed && at != end; at.increment(failed)) {
        const fs::path kind = at->path().extension();
        if (kind != ".npy" && kind != ".html" && kind != ".dot" && same_file(output, at->path().string())) return true;
    }
    return false;
}

/// Refuses an output that is `input`, a file of the model directory `input`, or another output: usage, thus exit status 2.
inline void require_apart(const given_path& input, std::span<const given_path> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const given_path& out = outputs[i];
        if (out.path.empty()) continue;
        if (is_input(out.path, input.path))
            throw CLI::ValidationError(out.option, fmt::format("{} would be overwritten, but {} ({}) is read from it; name another file",
                                                               out.path, input.option, input.path));
        for (std::size_t k = 0; k < i; ++k)
            if (!outputs[k].path.empty() && same_file(out.path, outputs[k].path))
                throw CLI::ValidationError(out.option, fmt::format("{} is the file that {} ({}) writes; name another", out.path,
                                                                   outputs[k].option, outputs[k].path));
    }
}

/// For what is written only after a long time. @throws model_error where an output has no folder to be in
inline void require_folders(std::span<const given_path> outputs) {
    for (const given_path& out : outputs) {
        std::error_code failed;
        const std::filesystem::path folder = written_path(out.path).parent_path();
        if (!out.path.empty() && !std::filesystem::is_directory(folder, failed))
            throw model_error(fmt::format("{}: {} cannot be written: there is no folder {}", out.option, out.path, folder.string()));
    }
}

}  // namespace netra::tool
