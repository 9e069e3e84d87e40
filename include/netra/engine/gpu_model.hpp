// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model in the memory of a GPU, with the persistent kernels that run it.
#pragma once

#include <netra/engine/gpu_kernel.hpp>
#include <netra/engine/gpu_plan.hpp>
#include <netra/engine/gpu_session.hpp>
#include <netra/engine/stream_trace.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

/// Weights, caches and kernels of one model on one GPU. One launch at a time, from the thread that made it.
class gpu_model final : public gpu_steps {
public:
    /// `weights` is bf16 or f16; the model's tensors may have any format. Afterwards the model is not read any more.
    /// @throws model_error when the model has no such kernel or does not fit, backend_error when the GPU cannot be used
    gpu_model(const opened_model& model, dtype weights, const gpu_options& options = {}, const load_progress& progress = {})
        : options_(options),
          gpu_(options.device),
          properties_(gpu_.properties()),
          record_(device_of(properties_)),
          plans_(plan_for(model.contract, weights, record_, options)),
          needs_(require_needs()),
          watch_(gpu_, {.groups = block_tasks,
                        .group_count = static_cast<u32_t>(std::size(block_tasks)),
                        .roles = block_roles,
                        .role_count = static_cast<u32_t>(std::size(block_roles))}),
          stream_(gpu_),
          weights_(gpu_, needs_.weights),
          embedding_(gpu_, needs_.embedding),
          cache_(gpu_, needs_.cache),
          parameters_(gpu_, needs_.parameters),
          angles_(gpu_, needs_.angles),
          logits_(gpu_, needs_.logits),
          trace_(gpu_, needs_.trace),
          logits_of_host_(gpu_, 4ULL * plans_.decode.model.vocab) {
        cache_.fill(0);
        const stream_packer packer(plans_.decode, model);
        upload(packer, progress);
        keep_from_f16(plans_, packer, options.stream.activations);
        decode_.emplace(gpu_, plans_.decode, options.steps, options.compiled);
        if (plans_.prompt) prompt_.emplace(gpu_, *plans_.prompt, options.steps, options.compiled);
        gpu_.synchronize();
    }

    const cuda::gpu& where() const { return gpu_; }
    const cuda::gpu_properties& properties() const { return properties_; }
    const device& record() const { return record_; }
    const gpu_plans& plans() const { return plans_; }
    const gpu_memory_needs& memory() const { return needs_; }

    u64_t context() const override { return plans_.decode.model.context; }
    u64_t vocab() const override { return plans_.decode.model.vocab; }
    u32_t prompt_rows() const override { return plans_.prompt ? plans_.prompt->model.rows : 1; }
    u32_t most_steps() const override { return options_.steps; }
    bool draws() const override { return netra::draws(plans_.decode); }

    void read(std::span<const i32_t> tokens, u64_t position) override {
        gpu_kernel& k = prompt_ ? *prompt_ : *decode_;
        u32_t steps = 0;
        for (; !tokens.empty(); ++steps) {
            const auto live = static_cast<u32_t>(std::min<usz>(k.rows(), tokens.size()));
            k.order(steps, {.position = static_cast<u32_t>(position), .live = live, .head = 0}, tokens.first(live));
            position += live;
            tokens = tokens.subspan(live);
        }
        launch(k, steps, false);
    }
    i32_t read_last(std::span<const i32_t> tokens, u64_t position) override {
        gpu_kernel& k = tokens.size() == 1 || !prompt_ ? *decode_ : *prompt_;
        const auto live = static_cast<u32_t>(tokens.size());
        k.order(0, {.position = static_cast<u32_t>(position), .live = live}, tokens);
        launch(k, 1, true);
        row_ = live - 1;
        return k.chosen(0, row_);
    }
    void decode(i32_t token, u64_t position, std::span<i32_t> chosen, bool keep_logits, const sampling_parameters& how = {}) override {
        const auto steps = static_cast<u32_t>(chosen.size());
        for (u32_t s = 0; s < steps; ++s) {
            step_order o{.position = static_cast<u32_t>(position) + s};
            order_draw(o, how);
            decode_->order(s, checked_draw(o, *decode_), {&token, 1});
            token = -1;  // what the step before chose
        }
        launch(*decode_, steps, keep_logits);
        row_ = 0;
        for (u32_t s = 0; s < steps; ++s) chosen[s] = decode_->chosen(s, 0);
    }
    std::span<const float> logits(u32_t step) override { return logits(step, row_); }

    /// For comparisons and measurements: any orders, with as many tokens each as the kernel has rows, in one launch. Logits of several
    /// steps are kept only where gpu_options says so.
    void run(bool prompt, std::span<const step_order> orders, std::span<const i32_t> tokens, bool keep_logits) {
        gpu_kernel& k = kernel(prompt);
        if (orders.empty() || orders.size() > options_.steps || tokens.size() != orders.size() * k.rows())
            throw model_error(fmt::format("{} orders with {} tokens; 1 to {} orders with {} tokens each are possible", orders.size(),
                                          tokens.size(), options_.steps, k.rows()));
        for (u32_t s = 0; s < orders.size(); ++s) k.order(s, checked_draw(orders[s], k), checked(orders[s], s, tokens.subspan(usz{s} * k.rows(), k.rows())));
        launch(k, static_cast<u32_t>(orders.size()), keep_logits);
    }
    /// The kernel for prompts or the one for single tokens. @throws model_error when there is no kernel for prompts
    gpu_kernel& kernel(bool prompt) {
        if (prompt && !prompt_) throw model_error("this model has no kernel for prompts: " + plans_.why_fewer);
        return prompt ? *prompt_ : *decode_;
    }
    /// After a row of the last launch, which kept them.
    std::span<const float> logits(u32_t step, u32_t row) {
        const std::span<std::byte> to = logits_of_host_.bytes();
        if (row >= logits_rows_ || step >= logits_steps_)
            throw model_error(fmt::format("logits of step {}, row {}; the last launch kept those of {} steps, {} rows", step, row,
                                          logits_steps_, logits_rows_));
        logits_.read(to, (u64_t{step} * logits_rows_ + row) * to.size());
        return {reinterpret_cast<const float*>(to.data()), vocab()};
    }
    /// What the blocks did in the last launch, when gpu_options.stream asks for a trace.
    std::vector<trace_span> trace() const {
        std::vector<trace_record> records(traced_steps_ * u64_t{plans_.decode.blocks} * traced_tasks(plans_.decode));
        if (trace_.bytes() == 0) return {};
        trace_.read(std::as_writable_bytes(std::span(records)), 0);
        return spans_of(plans_.decode, records, traced_steps_);
    }
    /// Arguments of a launch, those aside that belong to the kernel.
    launch_arguments arguments(bool keep_logits) const {
        launch_arguments a;
        a.weights = weights_.at(), a.cache = cache_.at(), a.parameters = parameters_.at(), a.embedding = embedding_.at(),
        a.angles = angles_.at();
        a.logits = keep_logits ? logits_.at() : 0;
        a.stall = watch_.at();
        a.trace = trace_.at();
        a.patience_ms = options_.patience_ms;
        return a;
    }
    /// Waits for what was started. @throws backend_error when a kernel gave up or did not end
    void wait(const gpu_kernel& k) { cuda::wait_within(gpu_.api(), stream_, cuda::seconds(options_.limit_s), k.code().entry(), &watch_); }
    cuda::stream stream() const { return stream_; }

private:
    gpu_memory_needs require_needs() const {
        const gpu_memory_needs needs = memory_needs(plans_, options_);
        require_memory(needs, gpu_.free_memory(), plans_.decode.model.context);
        return needs;
    }
    static const step_order& checked_draw(const step_order& o, const gpu_kernel& k) {
        if (o.head == drawing_head && !netra::draws(k.plan()))
            throw model_error(
                k.rows() > 1 ? fmt::format("an order that draws for a kernel of {} tokens a step, whose choices are greedy; draw from its logits", k.rows())
                             : "an order that draws for a kernel whose blocks have no room for their logits; draw from them on the host");
        return o;
    }
    std::span<const i32_t> checked(const step_order& o, u32_t step, std::span<const i32_t> tokens) const {
        if (o.live == 0 || o.live > tokens.size() || o.position > context() || o.live > context() - o.position)
            throw model_error(fmt::format("an order of {} tokens at position {}; 1 to {} within {} positions are possible", o.live,
                                          o.position, tokens.size(), context()));
        for (const i32_t t : tokens)
            if (t >= static_cast<i32_t>(vocab()) || (t < 0 && (step == 0 || tokens.size() != 1)))
                throw model_error(fmt::format("token {} of step {} is outside the vocabulary of {}", t, step, vocab()));
        return tokens;
    }
    void launch(gpu_kernel& k, u32_t steps, bool keep_logits) {
        logits_rows_ = logits_steps_ = 0;
        if (keep_logits && u64_t{4} * vocab() * k.rows() * steps > logits_.bytes())
            throw model_error(
                fmt::format("logits of {} steps have no room; ask for them in gpu_options (keep_logits), or run one step", steps));
        trace_.fill_async(0, stream_);
        k.start(arguments(keep_logits), steps, stream_);
        wait(k);
        if (keep_logits) logits_rows_ = k.rows(), logits_steps_ = steps;
        traced_steps_ = steps;
    }

    /// Packs into one half of the staging memory while the other is copied.
    void upload(const stream_packer& packer, const load_progress& progress) {
        const u64_t stride = stream_stride(packer.plan());
        const u64_t width = 2ULL * packer.plan().model.hidden;
        const u32_t vocab = packer.plan().model.vocab;
        const u32_t rows = static_cast<u32_t>(std::clamp<u64_t>(stride / width, 1, vocab));
        const usz total = packer.plan().blocks + (vocab + rows - 1) / rows;
        cuda::pinned_memory halves[2] = {{gpu_, std::max(stride, rows * width)}, {gpu_, std::max(stride, rows * width)}};
        const cuda::work_stream streams[2] = {cuda::work_stream(gpu_), cuda::work_stream(gpu_)};
        for (usz i = 0; i < total; ++i) {
            streams[i % 2].synchronize();
            const std::span<std::byte> half = halves[i % 2].bytes();
            if (i < packer.plan().blocks) {
                packer.pack_block(static_cast<u32_t>(i), half.first(stride), options_.workers);
                weights_.write_async(half.first(stride), i * stride, streams[i % 2]);
            } else {
                const auto first = static_cast<u32_t>((i - packer.plan().blocks) * rows);
                const u64_t bytes = std::min(rows, vocab - first) * width;
                packer.embedding_rows(first, {reinterpret_cast<u16_t*>(half.data()), bytes / 2}, options_.workers);
                embedding_.write_async(half.first(bytes), first * width, streams[i % 2]);
            }
            if (progress) progress(i + 1, total);
        }
        const std::vector<float> parameters = packer.parameters();
        parameters_.write(std::as_bytes(std::span(parameters)));
        const std::vector<float> angles = packer.rope_angles(options_.workers);
        angles_.write(std::as_bytes(std::span(angles)));
        for (const auto& s : streams) s.synchronize();
    }

    gpu_options options_;
    cuda::gpu gpu_;
    cuda::gpu_properties properties_;
    device record_;
    gpu_plans plans_;
    gpu_memory_needs needs_;
    cuda::stall_watch watch_;
    cuda::work_stream stream_;
    std::optional<gpu_kernel> decode_, prompt_;  ///< made when the weights are known
    cuda::buffer_memory weights_, embedding_, cache_, parameters_, angles_, logits_, trace_;
    cuda::pinned_memory logits_of_host_;
    u32_t row_ = 0;  ///< that the last launch was for
    u32_t logits_rows_ = 0, logits_steps_ = 0;
    u32_t traced_steps_ = 0;  ///< of the last launch
};

}  // namespace netra::inline v0
