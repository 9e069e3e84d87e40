// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model being used: prompts in, tokens out.
#pragma once

#include <netra/backends/cpu.hpp>
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/generation.hpp>
#include <netra/engine/loaded_model.hpp>

#include <concepts>

namespace netra::inline v0 {

class session;

/// The tokens that follow a prompt, one `next()` or one loop iteration each; the end token is the last of them.
class generation {
  public:
    /// The next token, or nothing at the end. The first call reads the prompt.
    std::optional<u32_t> next();
    finish_reason finish() const { return finish_; }
    const generation_stats& stats() const { return stats_; }

    token_iterator<generation> begin() { return token_iterator(this); }
    std::default_sentinel_t end() const { return {}; }

  private:
    friend session;
    generation(session& s, std::vector<i32_t> prompt, const generate_options& options) : session_(&s), pending_(std::move(prompt)), options_(options) {}
    std::optional<u32_t> end_with(finish_reason why) {
        finish_ = why;
        return {};
    }

    session* session_;
    std::vector<i32_t> pending_;  ///< tokens that the model has not seen yet
    generate_options options_;
    generation_stats stats_{};
    finish_reason finish_ = finish_reason::none;
    u64_t made_ = 0;
};

/// One sequence on one backend. Owns the model; a compiled program's schedule lives in .rodata, a run-time one in the session.
class session {
  public:
    /// A model whose program was compiled in: `netra::session s(netra::load<decode>(...), netra::compiled<decode>)`.
    session(loaded_model model, const accepted_schedule& program) : model_(std::move(model)), program_(program, model_.bind(program.view())) {}
    /// A model known only now: its schedule is lowered and checked here.
    template <std::same_as<lower_config> Config = lower_config>
    session(loaded_model model, const Config& config)
        : model_(std::move(model)), lowered_(std::make_unique<dynamic_schedule>(lower_checked(model_.contract(), config))),
          program_(view(*lowered_), model_.bind(view(*lowered_))) {}
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    const loaded_model& model() const { return model_; }
    /// Tokens that the caches hold.
    u64_t position() const { return position_; }
    /// Forgets the sequence; the next prompt starts at position 0.
    void reset() { position_ = 0; }
    /// After the last step that chose a token.
    std::span<const float> logits() const { return program_.logits(); }

    /// Continues the sequence with `prompt`. One generation at a time. @throws model_error when prompt or options do not fit
    generation generate(std::span<const u32_t> prompt, const generate_options& options = {}) {
        check_prompt(prompt, options, position_, program_.context(), program_.vocab());
        return generation(*this, {prompt.begin(), prompt.end()}, options);
    }

  private:
    friend generation;
    /// Feeds tokens, at most a step's rows; returns the chosen token when `choose`.
    i32_t feed(std::span<const i32_t> tokens, bool choose, const sampling_parameters& sampling) {
        const i32_t token = program_.step({.tokens = tokens, .position = position_, .choose = choose, .sampling = sampling});
        position_ += tokens.size();
        return token;
    }

    loaded_model model_;
    std::unique_ptr<dynamic_schedule> lowered_;
    cpu_program program_;
    u64_t position_ = 0;
};

inline std::optional<u32_t> generation::next() {
    if (finish_ != finish_reason::none) return {};
    if (made_ == options_.max_tokens) return end_with(finish_reason::length);
    const double started = detail::seconds_now();
    const bool prompt = made_ == 0;
    const u64_t rows = session_->program_.max_rows();
    if (pending_.size() > session_->program_.context() - session_->position_) return end_with(finish_reason::length);
    i32_t token = -1;
    for (u64_t from = 0; from < pending_.size(); from += rows) {
        if (options_.stopped()) return end_with(finish_reason::stopped);
        const u64_t n = std::min<u64_t>(rows, pending_.size() - from);
        token = session_->feed({pending_.data() + from, n}, from + n == pending_.size(), options_.sampling);
    }
    (prompt ? stats_.prompt_s : stats_.decode_s) += detail::seconds_now() - started;
    (prompt ? stats_.prompt_tokens : stats_.decode_tokens) += pending_.size();
    pending_.assign(1, token);
    ++made_;
    if (options_.ends_with(static_cast<u32_t>(token), session_->model_.opened().end_tokens)) finish_ = finish_reason::eos;
    return static_cast<u32_t>(token);
}

}  // namespace netra::inline v0
