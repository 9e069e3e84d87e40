// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What generations on every backend have in common: options, why and how they ended, their loop, what a prompt must be.
#pragma once

#include <netra/contracts/ops/sampling.hpp>
#include <netra/engine/error.hpp>
#include <netra/engine/said.hpp>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <iterator>
#include <optional>
#include <span>

namespace netra::inline v0 {

namespace detail {
/// Of a clock that only goes forward. note: <chrono> takes 0.1 s to compile
inline double seconds_now() {
    std::timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
}  // namespace detail

struct generate_options {
    u32_t max_tokens = 512;
    bool ignore_eos = false;
    sampling_parameters sampling{};
    const std::atomic<bool>* stop = nullptr;  ///< ends the generation before its next step once true

    bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
    /// `ends`: a model's end tokens, ascending.
    bool ends_with(u32_t token, std::span<const u32_t> ends) const { return !ignore_eos && std::binary_search(ends.begin(), ends.end(), token); }
};

/// Why a generation ended: the model said so, a limit was reached (max_tokens or the context), or it was stopped.
enum class finish_reason : u8_t { none, eos, length, stopped };

/// Tokens and seconds of a generation so far.
struct generation_stats {
    u64_t prompt_tokens = 0;
    u64_t decode_tokens = 0;  ///< steps after the prompt
    double prompt_s = 0.0;
    double decode_s = 0.0;
};

/// Goes through the tokens of a generation's `next()`.
template <class Generation>
class token_iterator {
  public:
    explicit token_iterator(Generation* of) : of_(of) { ++*this; }
    u32_t operator*() const { return *token_; }
    token_iterator& operator++() {
        token_ = of_->next();
        return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !token_; }

  private:
    Generation* of_;
    std::optional<u32_t> token_;
};

/// @throws model_error when a prompt does not fit behind `position` tokens, names unknown tokens, or options are outside their range
inline void check_prompt(std::span<const u32_t> prompt, const generate_options& options, u64_t position, u64_t context, u64_t vocab) {
    if (prompt.empty()) throw model_error("the prompt has no tokens; give at least one");
    if (prompt.size() > context - position)
        throw model_error(said("the prompt has {} tokens, but only {} of the context of {} are left; use a shorter prompt or a longer context",
                               {prompt.size(), context - position, context}));
    if (const verdict v = check(options.sampling); !v.ok()) throw model_error(sentence(v).d);
    for (const u32_t id : prompt)
        if (id >= vocab) throw model_error(said("token {} of the prompt is outside the vocabulary of {}", {id, vocab}));
}

}  // namespace netra::inline v0
