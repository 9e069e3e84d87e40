// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// One sequence on a GPU: prompts in passes of many tokens, choices and draws in launches of many steps.
#pragma once

#include <netra/engine/session.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

/// What a session asks of a GPU. Each call is one launch, waits for its end, and throws backend_error when it did not end well.
class gpu_steps {
public:
    virtual ~gpu_steps() = default;
    virtual u64_t context() const = 0;
    virtual u64_t vocab() const = 0;
    virtual u32_t prompt_rows() const = 0;  ///< tokens of a pass over a prompt, at the most
    virtual u32_t most_steps() const = 0;   ///< passes or steps of a launch, at the most

    /// Passes over tokens that end before the prompt does: nothing is chosen. At most prompt_rows() x most_steps() tokens.
    virtual void read(std::span<const i32_t> tokens, u64_t position) = 0;
    virtual bool draws() const = 0;         ///< whether decode() draws
    /// The pass that ends a prompt; returns the greedy choice after it and keeps its logits.
    virtual i32_t read_last(std::span<const i32_t> tokens, u64_t position) = 0;
    /// `token` at `position`, then each choice at the next one, until `chosen` is full. @pre `how` is greedy, or draws()
    virtual void decode(i32_t token, u64_t position, std::span<i32_t> chosen, bool keep_logits, const sampling_parameters& how = {}) = 0;
    /// Of step `step` of the last launch, which kept them.
    virtual std::span<const float> logits(u32_t step) = 0;
};

struct gpu_session_options {
    std::vector<u32_t> end_tokens{};  ///< ascending
    bool keep_logits = false;         ///< of every step, not only of a prompt's last
};

class gpu_session;

/// The tokens that follow a prompt, as netra::generation gives them.
class gpu_generation {
public:
    /// The next token, or nothing at the end. The first call reads the prompt.
    std::optional<u32_t> next();
    finish_reason finish() const { return finish_; }
    /// Tokens count when they are given out, seconds when they are made.
    const generation_stats& stats() const { return stats_; }

    token_iterator<gpu_generation> begin() { return token_iterator(this); }
    std::default_sentinel_t end() const { return {}; }

private:
    friend gpu_session;
    gpu_generation(gpu_session& s, std::vector<i32_t> prompt, const generate_options& options)
        : session_(&s), prompt_(std::move(prompt)), options_(options) {}
    std::optional<u32_t> end_with(finish_reason why) {
        finish_ = why;
        return {};
    }
    bool read_prompt();
    void decode_more();
    bool make_more();

    gpu_session* session_;
    std::vector<i32_t> prompt_;
    generate_options options_;
    generation_stats stats_{};
    finish_reason finish_ = finish_reason::none;
    std::vector<i32_t> ready_;  ///< made, of which those before given_ were given out
    usz given_ = 0;
    i32_t last_ = -1;
    u64_t made_ = 0;
};

/// One sequence on one GPU.
class gpu_session {
public:
    gpu_session(std::unique_ptr<gpu_steps> steps, gpu_session_options options) : steps_(std::move(steps)), options_(std::move(options)) {
        order_.resize(steps_->vocab());
    }
    gpu_session(const gpu_session&) = delete;
    gpu_session& operator=(const gpu_session&) = delete;

    gpu_steps& steps() { return *steps_; }
    /// Tokens that the caches hold.
    u64_t position() const { return position_; }
    /// Forgets the sequence; the next prompt starts at position 0.
    void reset() { position_ = 0; }
    /// After the step that chose the token given last, where its logits were kept.
    std::span<const float> logits() { return steps_->logits(logits_step_); }

    /// Continues the sequence with `prompt`. One generation at a time. @throws model_error when prompt or options do not fit
    gpu_generation generate(std::span<const u32_t> prompt, const generate_options& options = {}) {
        check_prompt(prompt, options, position_, steps_->context(), steps_->vocab());
        return gpu_generation(*this, {prompt.begin(), prompt.end()}, options);
    }

private:
    friend gpu_generation;
    /// Drawn from the logits of the last launch's only step, whose token stands at `position`: what a GPU draws from the same ones.
    i32_t draw(u64_t position, const sampling_parameters& how) {
        return cpu::sample(sampling{static_cast<u32_t>(steps_->vocab())}, how, position, steps_->logits(0).data(), order_);
    }

    std::unique_ptr<gpu_steps> steps_;
    gpu_session_options options_;
    u64_t position_ = 0;
    u32_t logits_step_ = 0;
    std::vector<u32_t> order_;  ///< scratch of the draw
};

/// False when it was stopped before its end.
inline bool gpu_generation::read_prompt() {
    gpu_steps& steps = *session_->steps_;
    const u64_t rows = steps.prompt_rows();
    const u64_t last = (prompt_.size() - 1) % rows + 1;
    std::span<const i32_t> left(prompt_);
    while (left.size() > last) {
        if (options_.stopped()) return false;
        const u64_t n = std::min<u64_t>(rows * steps.most_steps(), left.size() - last);
        steps.read(left.first(n), session_->position_);
        session_->position_ += n;
        left = left.subspan(n);
    }
    if (options_.stopped()) return false;
    i32_t token = steps.read_last(left, session_->position_);
    session_->position_ += last;
    if (options_.sampling.temperature != 0.0F) token = session_->draw(session_->position_ - 1, options_.sampling);
    ready_.assign(1, token);
    return true;
}

inline void gpu_generation::decode_more() {
    gpu_steps& steps = *session_->steps_;
    const bool here = options_.sampling.temperature != 0.0F && !steps.draws();
    const u64_t wanted = std::min<u64_t>(options_.max_tokens - made_, steps.context() - session_->position_);
    ready_.resize(here ? 1 : std::min<u64_t>(wanted, steps.most_steps()));
    steps.decode(last_, session_->position_, ready_, here || session_->options_.keep_logits,
                 here ? sampling_parameters{} : options_.sampling);
    if (here) ready_[0] = session_->draw(session_->position_, options_.sampling);
}

/// False when it was stopped; after a launch that failed, the sequence is what it was before it, and this generation has ended.
inline bool gpu_generation::make_more() {
    const u64_t position = session_->position_;
    const double started = detail::seconds_now();
    const bool prompt = made_ == 0;
    given_ = 0;
    ready_.clear();
    try {
        if (!prompt)
            decode_more();
        else if (!read_prompt())
            return false;
        for (const i32_t token : ready_)
            if (token < 0 || static_cast<u64_t>(token) >= session_->steps_->vocab())
                throw backend_error(fmt::format("the GPU chose token {}, which is outside the vocabulary of {}: its results are not valid",
                                                token, session_->steps_->vocab()));
    } catch (...) {
        session_->position_ = position;
        finish_ = finish_reason::stopped;
        throw;
    }
    (prompt ? stats_.prompt_s : stats_.decode_s) += detail::seconds_now() - started;
    return true;
}

inline std::optional<u32_t> gpu_generation::next() {
    if (finish_ != finish_reason::none) return {};
    if (made_ == options_.max_tokens) return end_with(finish_reason::length);
    const bool prompt = made_ == 0;
    const u64_t left = session_->steps_->context() - session_->position_;
    if (left < (prompt ? prompt_.size() : 1)) return end_with(finish_reason::length);
    if (options_.stopped()) return end_with(finish_reason::stopped);
    if (given_ == ready_.size() && !make_more()) return end_with(finish_reason::stopped);
    session_->logits_step_ = static_cast<u32_t>(given_);
    last_ = ready_[given_++];
    ++made_;
    if (prompt)
        stats_.prompt_tokens += prompt_.size();
    else
        ++stats_.decode_tokens, ++session_->position_;
    if (options_.ends_with(static_cast<u32_t>(last_), session_->options_.end_tokens)) finish_ = finish_reason::eos;
    return static_cast<u32_t>(last_);
}

}  // namespace netra::inline v0
