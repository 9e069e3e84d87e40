// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A GPU for sessions that has no silicon: persistent kernels run in the PTX interpreter, on weights packed as for a GPU.
#pragma once

#include <netra/engine/gpu_kernel.hpp>
#include <netra/engine/gpu_plan.hpp>
#include <netra/engine/gpu_session.hpp>
#include <netra/engine/stream_trace.hpp>

#include "support/ptx/machine.hpp"

namespace netra::test {

/// A device of `blocks` multiprocessors with the instructions of `code`.
inline device tiny_gpu(u32_t blocks, const target& code = sm_90a) {
    device d{.name = "interpreter", .isa = instruction_set::ptx, .workers = blocks, .shared_bytes = 232448};
    d.gpu = {.code = code, .capability = code.capability};
    return d;
}

class interpreted_steps final : public gpu_steps {
public:
    interpreted_steps(const opened_model& model, dtype weights, const device& where, const gpu_options& options, u64_t seed)
        : options_(options), plans_(plan_for(model.contract, weights, where, options)), machine_(seed) {
        const stream_packer packer(plans_.decode, model);
        const stream_plan& p = plans_.decode;
        const u64_t stride = stream_stride(p);
        std::vector<std::byte> streams(p.blocks * stride);
        for (u32_t b = 0; b < p.blocks; ++b) packer.pack_block(b, std::span(streams).subspan(b * stride, stride));
        std::vector<u16_t> embedding(u64_t{p.model.vocab} * p.model.hidden);
        packer.embedding_rows(0, embedding);
        keep_from_f16(plans_, packer, options.stream.activations);
        decode_ = make(plans_.decode);
        if (plans_.prompt) prompt_ = make(*plans_.prompt);
        shared_.weights = machine_.upload(streams, "weights");
        shared_.cache = machine_.allocate(2 * kv_bytes(p), "cache");
        machine_.fill(shared_.cache, 0, 2 * kv_bytes(p));
        shared_.parameters = machine_.upload(packer.parameters(), "parameters");
        shared_.embedding = machine_.upload(embedding, "embedding");
        shared_.angles = machine_.upload(packer.rope_angles(), "angles");
        shared_.stall = machine_.upload(std::vector<stall_record>(1), "stall");
        if (options.stream.trace)
            shared_.trace = machine_.upload(std::vector<trace_record>(memory_needs(plans_, options).trace / sizeof(trace_record)), "trace");
        logits_ = machine_.allocate(4ULL * p.model.vocab * std::max(options.steps, prompt_rows()), "logits");
    }

    const gpu_plans& plans() const { return plans_; }
    simt::machine& machine() { return machine_; }
    /// Of the last launch.
    std::vector<trace_span> trace() {
        const u64_t records = u64_t{plans_.decode.blocks} * traced_tasks(plans_.decode) * traced_steps_;
        return spans_of(plans_.decode, machine_.read<trace_record>(shared_.trace, records), traced_steps_);
    }
    void set_epoch(u32_t epoch) { decode_.epoch = prompt_.epoch = epoch; }

    u64_t context() const override { return plans_.decode.model.context; }
    u64_t vocab() const override { return plans_.decode.model.vocab; }
    u32_t prompt_rows() const override { return plans_.prompt ? plans_.prompt->model.rows : 1; }
    u32_t most_steps() const override { return options_.steps; }
    bool draws() const override { return netra::draws(plans_.decode); }
    void read(std::span<const i32_t> tokens, u64_t position) override {
        kernel& k = plans_.prompt ? prompt_ : decode_;
        const usz rows = k.plan.model.rows;
        for (usz i = 0; i < tokens.size(); i += rows) add(k, position + i, tokens.subspan(i, std::min(rows, tokens.size() - i)), 0);
        launch(k, false);
    }
    i32_t read_last(std::span<const i32_t> tokens, u64_t position) override {
        kernel& k = tokens.size() == 1 || !plans_.prompt ? decode_ : prompt_;
        add(k, position, tokens, 1);
        row_ = tokens.size() - 1;
        return launch(k, true).at(row_);
    }
    void decode(i32_t token, u64_t position, std::span<i32_t> chosen, bool keep_logits, const sampling_parameters& how = {}) override {
        for (usz s = 0; s < chosen.size(); ++s) {
            add(decode_, position + s, {&token, 1}, 1);
            order_draw(decode_.orders.back(), how);
            token = -1;
        }
        row_ = 0;
        const std::vector<i32_t> made = launch(decode_, keep_logits);
        std::copy(made.begin(), made.end(), chosen.begin());
    }
    std::span<const float> logits(u32_t step) override {
        const std::vector<float> now = machine_.read<float>(logits_ + 4 * vocab() * (step * rows_ + row_), vocab());
        kept_.assign(now.begin(), now.end());  // at the same place again
        return kept_;
    }

private:
    struct kernel {
        stream_plan plan{};
        simt::program code{};
        kernel_launch shape{};
        u64_t words = 0;
        u32_t epoch = 1;
        std::vector<step_order> orders{};  ///< of the next launch
        std::vector<i32_t> tokens{};
    };

    kernel make(const stream_plan& p) {
        const stream_kernel_text text(p);
        kernel k{.plan = p, .code = simt::parse(text.text()), .shape = text.image().launch};
        k.words = machine_.upload(std::vector<u64_t>(words_of(p).end), "words");
        return k;
    }
    static void add(kernel& k, u64_t position, std::span<const i32_t> tokens, u32_t head) {
        k.orders.push_back({.position = static_cast<u32_t>(position), .live = static_cast<u32_t>(tokens.size()), .head = head});
        for (u32_t r = 0; r < k.plan.model.rows; ++r) k.tokens.push_back(r < tokens.size() ? tokens[r] : 0);
    }
    /// What was chosen after every row.
    std::vector<i32_t> launch(kernel& k, bool keep_logits) {
        const usz steps = k.orders.size();
        launch_arguments a = shared_;
        a.words = k.words;
        a.orders = machine_.upload(k.orders, "orders");
        a.tokens = machine_.upload(k.tokens, "tokens");
        a.chosen = machine_.allocate(4 * k.tokens.size(), "chosen");
        a.logits = keep_logits ? logits_ : 0;
        a.steps = static_cast<u32_t>(steps);
        a.epoch = k.epoch;
        k.epoch += epochs_of(k.plan, a.steps);
        const u64_t arguments[] = {a.weights, a.words,  a.cache, a.parameters, a.embedding, a.angles, a.orders,     a.tokens,
                                   a.chosen,  a.logits, a.stall, a.trace,      a.steps,     a.epoch,  a.patience_ms};
        machine_.launch(k.code, k.shape.blocks, k.shape.threads, k.shape.shared_bytes, arguments);
        if (const stall_record r = machine_.read<stall_record>(a.stall, 1).front(); r.state != stall_none) {
            text<400> said;
            write_stall(said, r,
                        {.groups = block_tasks,
                         .group_count = static_cast<u32_t>(std::size(block_tasks)),
                         .roles = block_roles,
                         .role_count = static_cast<u32_t>(std::size(block_roles))});
            throw backend_error(said.d);
        }
        rows_ = k.plan.model.rows;
        traced_steps_ = a.steps;
        std::vector<i32_t> chosen = machine_.read<i32_t>(a.chosen, k.tokens.size());
        k.orders.clear();
        k.tokens.clear();
        return chosen;
    }

    gpu_options options_;
    gpu_plans plans_;
    simt::machine machine_;
    kernel decode_;
    kernel prompt_;
    launch_arguments shared_{};
    u64_t logits_ = 0;
    std::vector<float> kept_;
    usz rows_ = 1;
    usz row_ = 0;
    u32_t traced_steps_ = 0;
};

}  // namespace netra::test
