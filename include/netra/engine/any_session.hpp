// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A session on the GPU where there is one that can run the model, otherwise on the CPU.
#pragma once

#include <netra/engine/gpu_model.hpp>

#include <fmt/format.h>

#include <variant>

namespace netra::inline v0 {

enum class backend_choice : u8_t { automatic, cpu, cuda };

struct any_session_options {
    backend_choice backend = backend_choice::automatic;
    u32_t context = 0;                   ///< tokens that the sequence will have at the most; 0: as many as the model allows
    std::optional<dtype> gpu_weights{};  ///< how a GPU keeps matrices; without: f16 where all are stored so, otherwise bf16
    lower_config cpu{};
    gpu_options gpu{};
    load_progress progress{};
};

/// A positions' count that few plans have, so that compiled kernels are found again: powers of two from 2048 on.
constexpr u32_t gpu_context(u32_t wanted, u32_t most) {
    u64_t rounded = 2048;
    while (rounded < wanted) rounded *= 2;
    return wanted == 0 || rounded > most ? most : static_cast<u32_t>(rounded);
}

/// The tokens that follow a prompt on either backend.
class any_generation {
public:
    any_generation(generation g) : of_(std::move(g)) {}      // NOLINT: either is one
    any_generation(gpu_generation g) : of_(std::move(g)) {}  // NOLINT

    std::optional<u32_t> next() {
        return std::visit([](auto& g) { return g.next(); }, of_);
    }
    finish_reason finish() const {
        return std::visit([](const auto& g) { return g.finish(); }, of_);
    }
    const generation_stats& stats() const {
        return std::visit([](const auto& g) -> const generation_stats& { return g.stats(); }, of_);
    }

    token_iterator<any_generation> begin() { return token_iterator(this); }
    std::default_sentinel_t end() const { return {}; }

private:
    std::variant<generation, gpu_generation> of_;
};

/// One sequence on the backend that was chosen when it was made.
class any_session {
public:
    /// @throws model_error or backend_error when the backend asked for cannot run the model
    any_session(opened_model model, const any_session_options& options) {
        if (options.backend != backend_choice::cpu) {
            try {
                use_gpu(model, options);
                return;
            } catch (const std::runtime_error& e) {
                if (options.backend == backend_choice::cuda) throw;
                note_ = "cuda not used: " + std::string(e.what()).substr(0, std::string_view(e.what()).find('\n'));
            }
        }
        if (options.context != 0) model.contract.context = std::min(model.contract.context, options.context);
        cpu_ = std::make_unique<session>(loaded_model(std::move(model), options.progress), options.cpu);
    }

    const char* backend() const { return gpu_ ? "cuda" : "cpu"; }
    /// The GPU's name, or "cpu".
    const std::string& device() const { return device_; }
    /// Why a GPU is not used although it might have been, or what is done differently on it; empty when there is nothing to say.
    const std::string& note() const { return note_; }
    /// The model in the GPU's memory, or null on the CPU.
    gpu_model* gpu() { return model_; }
    u64_t position() const { return gpu_ ? gpu_->position() : cpu_->position(); }
    void reset() { gpu_ ? gpu_->reset() : cpu_->reset(); }
    /// After the prompt's last token and after every token that was drawn; on the CPU after every step.
    std::span<const float> logits() { return gpu_ ? gpu_->logits() : cpu_->logits(); }

    any_generation generate(std::span<const u32_t> prompt, const generate_options& options = {}) {
        if (gpu_) return gpu_->generate(prompt, options);
        return cpu_->generate(prompt, options);
    }

private:
    void use_gpu(opened_model& model, const any_session_options& options) {
        const llama contract = model.contract;
        const dtype weights = options.gpu_weights.value_or(streamed_weights(contract));
        model.contract.context = gpu_context(options.context, contract.context);
        try {
            auto made = std::make_unique<gpu_model>(model, weights, options.gpu, options.progress);
            device_ = made->properties().name;
            model_ = made.get();
            gpu_ = std::make_unique<gpu_session>(
                std::move(made), gpu_session_options{.end_tokens = model.end_tokens, .keep_logits = options.gpu.keep_logits});
        } catch (...) {
            model.contract = contract;
            model_ = nullptr;
            throw;
        }
        std::vector<std::string> others;
        for (const bound_weight& b : model.bound) {
            std::string stored = name_of(b.stored->format);
            const bool rounds = is_matrix(shape_of(contract, b.role)) && b.stored->format != weight_format{weights};
            if (rounds && std::find(others.begin(), others.end(), stored) == others.end()) others.push_back(std::move(stored));
        }
        if (!others.empty()) note_ = fmt::format("weights stored as {} are {} on the GPU", fmt::join(others, " and "), name_of(weights));
        if (const std::string& why = model_->plans().why_rounded; !why.empty())
            note_ += fmt::format("{}activations that would be f16 are rounded to bf16: {}", note_.empty() ? "" : "; ", why);
    }

    std::unique_ptr<session> cpu_;
    std::unique_ptr<gpu_session> gpu_;
    gpu_model* model_ = nullptr;
    std::string device_ = "cpu";
    std::string note_;
};

}  // namespace netra::inline v0
