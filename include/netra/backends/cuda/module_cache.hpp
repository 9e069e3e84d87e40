// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Compiled modules on disk, each named by a hash of everything that it was compiled from. A cache that cannot be read or written costs
/// time, never the run.
#pragma once

#include <netra/detail/sha256.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace netra::inline v0::cuda {

/// What a compiled module depends on.
struct module_source {
    std::string_view text;          ///< PTX
    std::string_view target;        ///< that the text is for
    u32_t capability = 0;           ///< of the GPU that it is compiled for
    u32_t driver_version = 0;       ///< CUDA version of the driver
    std::string_view driver_build;  ///< what else tells drivers apart
};

/// 64 hexadecimal digits; differs when any part of the source does.
inline std::string module_key(const module_source& from) {
    sha256 hash;
    const auto add = [&](std::string_view part) {
        const std::string size = std::to_string(part.size()) + ":";
        hash.add(size.data(), size.size());
        hash.add(part.data(), part.size());
    };
    add("netra module 1");
    add(from.text);
    add(from.target);
    add(std::to_string(from.capability));
    add(std::to_string(from.driver_version));
    add(from.driver_build);
    return hex_of(hash.digest()).d;
}

/// The first line of /proc/driver/nvidia/version, empty where there is none.
inline std::string driver_build() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    return line;
}

class module_cache {
public:
    using bytes = std::vector<std::byte>;
    static constexpr usz most_modules = 256;  ///< more than that, and those not used for longest are removed

    /// A cache that keeps nothing.
    module_cache() = default;
    explicit module_cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Of the user: NETRA_CACHE names its folder or is "off"; else $XDG_CACHE_HOME/netra, else ~/.cache/netra, else off.
    static module_cache of_environment() {
        const auto variable = [](const char* name) {
            const char* value = std::getenv(name);
            return std::string(value == nullptr ? "" : value);
        };
        const std::string own = variable("NETRA_CACHE");
        if (own == "off" || own == "0") return {};
        if (!own.empty()) return module_cache(own);
        // an XDG path that is not absolute is to be ignored; source: XDG Base Directory Specification
        if (const std::filesystem::path shared = variable("XDG_CACHE_HOME"); shared.is_absolute()) return module_cache(shared / "netra");
        if (const std::filesystem::path home = variable("HOME"); home.is_absolute()) return module_cache(home / ".cache" / "netra");
        return {};
    }

    bool on() const { return !folder_.empty(); }
    const std::filesystem::path& folder() const { return folder_; }
    std::filesystem::path file_of(const std::string& key) const { return folder_ / (key + ".cubin"); }

    /// The module of a key; empty when there is none. A damaged entry is removed.
    bytes get(const std::string& key) const {
        if (!on()) return {};
        std::ifstream file(file_of(key), std::ios::binary);
        if (!file) return {};
        const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const std::string_view content = std::string_view(all).substr(all.size() < head_bytes ? all.size() : head_bytes);
        if (content.empty() || all.compare(0, head_bytes, head(key, content)) != 0) {
            remove(key);
            return {};
        }
        std::error_code ignored;  // used now: the last of all to be removed
        std::filesystem::last_write_time(file_of(key), std::filesystem::file_time_type::clock::now(), ignored);
        const auto* const first = reinterpret_cast<const std::byte*>(content.data());
        return bytes(first, first + content.size());
    }

    /// Keeps a module; says whether it could. Readers see all of it or nothing, whatever happens meanwhile.
    bool put(const std::string& key, const bytes& made) const {
        if (!on() || made.empty()) return false;
        std::error_code failed;
        std::filesystem::create_directories(folder_, failed);
        if (failed) return false;
        static std::atomic<unsigned> serial{0};
        const std::filesystem::path partial =
            folder_ / (key + "." + std::to_string(::getpid()) + "." + std::to_string(serial++) + ".partial");
        const std::string_view content(reinterpret_cast<const char*>(made.data()), made.size());
        {
            std::ofstream file(partial, std::ios::binary);
            file << head(key, content) << content;
            file.close();
            failed = file ? std::error_code() : std::make_error_code(std::errc::io_error);
        }
        if (!failed) std::filesystem::rename(partial, file_of(key), failed);
        if (!failed) prune();
        if (!failed) return true;
        std::error_code ignored;
        std::filesystem::remove(partial, ignored);
        return false;
    }

    void remove(const std::string& key) const {
        std::error_code ignored;
        std::filesystem::remove(file_of(key), ignored);
    }

    /// The module of a key, from the cache when `accept(module)` takes it, else from `compile()`, which is then kept.
    template <class Compile, class Accept>
    void use(const std::string& key, Compile&& compile, Accept&& accept) const {
        if (const bytes kept = get(key); !kept.empty()) {
            if (accept(kept, true)) return;
            remove(key);
        }
        const bytes made = compile();
        if (accept(made, false)) put(key, made);
    }

private:
    /// Removes the oldest modules beyond the most, and what runs that ended while they wrote have left.
    void prune() const {
        using time = std::filesystem::file_time_type;
        std::vector<std::pair<time, std::filesystem::path>> modules;
        std::error_code failed;
        for (std::filesystem::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
            std::error_code gone;
            const time written = std::filesystem::last_write_time(at->path(), gone);
            if (gone) continue;
            if (at->path().extension() == ".cubin") modules.emplace_back(written, at->path());
            if (at->path().extension() == ".partial" && time::clock::now() - written > std::chrono::hours(1))
                std::filesystem::remove(at->path(), gone);
        }
        if (modules.size() <= most_modules) return;
        std::sort(modules.begin(), modules.end());
        for (usz i = 0; i < modules.size() - most_modules; ++i) std::filesystem::remove(modules[i].second, failed);
    }
    /// One line with the key, one with the digest of the module: a file that was renamed, cut or changed does not match.
    static std::string head(const std::string& key, std::string_view content) {
        return "netra module 1 " + key + "\nsha256 " + hex_of(sha256_of(content.data(), content.size())).d + "\n";
    }
    static constexpr std::size_t head_bytes = 15 + 64 + 1 + 7 + 64 + 1;

    std::filesystem::path folder_;
};

}  // namespace netra::inline v0::cuda
