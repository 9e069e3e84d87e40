// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Random numbers that a printed seed repeats.
#pragma once

#include <netra/detail/config.hpp>

#include <chrono>
#include <cstdlib>

namespace netra::test {

/// Numbers from a seed, the same on every machine (splitmix64).
class dice {
public:
    explicit dice(u64_t seed) : state_(seed) {}
    u64_t next() {
        u64_t z = state_ += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    u32_t below(u64_t n) { return static_cast<u32_t>(next() % n); }
    u32_t between(u32_t low, u32_t high) { return low + below(high - low + 1); }
    bool percent(u32_t p) { return below(100) < p; }

private:
    u64_t state_;
};

inline u64_t from_environment(const char* name, u64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
/// A seed of the clock, or the one that `name` gives. Tests print it.
inline u64_t seed_from_environment(const char* name) {
    return from_environment(name, static_cast<u64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % 1000000000);
}

/// A build that is slow because of sanitizers or because it is one for debugging: random tests then do less. Not a file of a release build that
/// needs no optimisation.
#if defined(__SANITIZE_ADDRESS__) || !(defined(__OPTIMIZE__) || defined(NDEBUG))
inline constexpr bool slow_build = true;
#elif defined(__has_feature)
inline constexpr bool slow_build = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool slow_build = false;
#endif

}  // namespace netra::test
