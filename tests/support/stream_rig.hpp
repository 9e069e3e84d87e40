// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A persistent kernel of a random model in the PTX interpreter, and the CPU backend on the same weights.
#pragma once

#include <netra/codegen/megakernel/kernel.hpp>
#include <netra/contracts/devices.hpp>
#include <netra/engine/session.hpp>
#include <netra/engine/stream_weights.hpp>
#include <netra/engine/string_sink.hpp>

#include "support/memory_model.hpp"
#include "support/ptx/machine.hpp"

#include <cmath>
#include <functional>

namespace netra::test {

/// What a launch of the interpreter left behind.
struct stream_run {
    std::vector<i32_t> chosen;
    std::vector<float> logits;  ///< [steps][rows][vocab]
    stall_record stall{};
};

class stream_rig {
public:
    /// `edit(model)` changes the random weights.
    stream_rig(const stream_plan& p, u64_t seed, const std::function<void(memory_model&)>& edit = {})
        : plan_(p), dice_(seed), model_(make_memory_model(p.model, dice_)), machine_(seed) {
        if (edit) edit(model_);
        const stream_packer packer(plan_, model_.opened);
        const u64_t stride = stream_stride(plan_);
        std::vector<std::byte> streams(stride * plan_.blocks);
        for (u32_t b = 0; b < plan_.blocks; ++b) packer.pack_block(b, std::span(streams).subspan(b * stride, stride));
        std::vector<u16_t> embedding(u64_t{plan_.model.vocab} * plan_.model.hidden);
        packer.embedding_rows(0, embedding);
        weights_ = machine_.upload(streams, "weights");
        words_ = machine_.allocate(words_of(plan_).end * word_bytes, "words");
        machine_.fill(words_, 0, words_of(plan_).end * word_bytes);
        cache_ = machine_.allocate(2 * kv_bytes(plan_), "cache");
        parameters_ = machine_.upload(packer.parameters(), "parameters");
        embedding_ = machine_.upload(embedding, "embedding");
        angles_ = machine_.upload(packer.rope_angles(), "angles");
        stall_ = machine_.allocate(sizeof(stall_record), "stall");
        machine_.fill(stall_, 0, sizeof(stall_record));
        text_ = written([&](auto& to) { write_stream_kernel(to, plan_); });
        code_ = simt::parse(text_);
    }
    /// The kernel without the lines that hold `what`: how many there were.
    usz remove_lines(const std::string& what) {
        usz removed = 0;
        for (usz at = text_.find(what); at != std::string::npos; at = text_.find(what)) {
            const usz begin = text_.rfind('\n', at) + 1;
            text_.erase(begin, text_.find('\n', at) + 1 - begin);
            ++removed;
        }
        code_ = simt::parse(text_);
        return removed;
    }

    simt::machine& machine() { return machine_; }
    dice& random() { return dice_; }
    u64_t words() const { return words_; }
    void set_epoch(u32_t epoch) { epoch_ = epoch; }
    void set_final_norm(float value) {
        machine_.write(parameters_ + 4 * parameters_of(plan_).final_norm, std::vector<float>(plan_.model.hidden, value));
    }
    void clear_stall() { machine_.fill(stall_, 0, sizeof(stall_record)); }

    stream_run run(const std::vector<step_order>& orders, const std::vector<i32_t>& tokens, u32_t patience_ms = 100000) {
        const auto steps = static_cast<u32_t>(orders.size());
        const u64_t results = u64_t{steps} * plan_.model.rows;
        const u64_t chosen = machine_.allocate(4 * results, "chosen");
        const u64_t logits = machine_.allocate(4 * results * plan_.model.vocab, "logits");
        machine_.launch(code_, plan_.blocks, block_threads, shared_of(plan_).end,
                        {weights_, words_, cache_, parameters_, embedding_, angles_, machine_.upload(orders, "orders"), machine_.upload(tokens, "tokens"), chosen,
                         logits, stall_, 0, steps, epoch_, patience_ms});
        epoch_ += epochs_of(plan_, steps);
        return {machine_.read<i32_t>(chosen, results), machine_.read<float>(logits, results * plan_.model.vocab),
                machine_.read<stall_record>(stall_, 1).front()};
    }

    /// Tokens in passes of the plan's rows; the last pass may have fewer. `headless`: only the last pass has a head.
    stream_run run_tokens(std::span<const i32_t> tokens, u32_t position = 0, bool headless = false) {
        const u32_t rows = plan_.model.rows;
        const auto count = static_cast<u32_t>(tokens.size());
        std::vector<step_order> orders;
        for (u32_t at = 0; at < count; at += rows)
            orders.push_back({.position = position + at, .live = std::min(rows, count - at), .head = headless && at + rows < count ? 0U : 1U});
        std::vector<i32_t> padded(orders.size() * rows);
        std::copy(tokens.begin(), tokens.end(), padded.begin());
        return run(orders, padded);
    }

    /// The CPU's logits after each token.
    std::vector<std::vector<float>> expected(std::span<const i32_t> tokens) {
        if (!cpu_) cpu_ = std::make_unique<session>(loaded_model(std::move(model_.opened)), lower_config{.workers = 1});
        cpu_->reset();
        std::vector<std::vector<float>> all;
        for (const i32_t t : tokens) {
            const std::vector<u32_t> one{static_cast<u32_t>(t)};
            cpu_->generate(one).next();
            all.emplace_back(cpu_->logits().begin(), cpu_->logits().end());
        }
        return all;
    }

private:
    stream_plan plan_;
    dice dice_;
    memory_model model_;
    simt::machine machine_;
    std::string text_;
    simt::program code_;
    std::unique_ptr<session> cpu_;
    u64_t weights_ = 0, words_ = 0, cache_ = 0, parameters_ = 0, embedding_ = 0, angles_ = 0, stall_ = 0;
    u32_t epoch_ = 1;
};

/// A GPU of `blocks` multiprocessors.
constexpr device small_gpu(u32_t blocks) {
    device d = h200;
    d.workers = blocks;
    return d;
}

}  // namespace netra::test
