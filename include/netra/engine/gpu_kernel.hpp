// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A plan's persistent kernel on a GPU, with the memory that only it uses: words between blocks, orders and tokens of a launch, choices.
#pragma once

#include <netra/backends/cuda.hpp>
#include <netra/codegen/megakernel.hpp>
#include <netra/engine/error.hpp>
#include <netra/engine/string_sink.hpp>

#include <algorithm>
#include <span>

namespace netra::inline v0 {

/// The module of a plan's kernel, written at run time. @throws model_error that says why the plan has none
class stream_kernel_text {
public:
    explicit stream_kernel_text(const stream_plan& p) : where_(p.where.gpu.code), launch_(stream_kernel{p}.launch()) {
        if (const verdict v = check_stream_kernel(p); !v.ok()) throw model_error(sentence(v).d);
        write_stream_kernel(text_, p);
    }
    const std::string& text() const { return text_.s; }
    kernel_image image() const {
        return {.text = text_.s.c_str(), .size = text_.s.size(), .entry = stream_kernel::entry(), .where = where_, .launch = launch_};
    }

private:
    target where_;
    kernel_launch launch_;
    string_sink text_{};
};

/// The kernel among `compiled` that is the plan's, or null.
inline const stream_code* compiled_for(const stream_plan& p, std::span<const stream_code> compiled) {
    const auto found = std::find_if(compiled.begin(), compiled.end(), [&](const stream_code& c) { return c.plan == p; });
    return found == compiled.end() ? nullptr : &*found;
}

/// Up to `steps` steps a launch. Orders and tokens are noted first; they travel with the launch, in its stream, as do the choices back.
class gpu_kernel {
public:
    /// One of `compiled` is used as it is, since the compiler has checked it; otherwise the text is written, and checked, now.
    gpu_kernel(const cuda::gpu& where, const stream_plan& p, u32_t steps, std::span<const stream_code> compiled = {})
        : plan_(p),
          steps_(steps),
          api_(where.api()),
          compiled_(compiled_for(p, compiled) != nullptr),
          code_(where, compiled_ ? compiled_for(p, compiled)->image : stream_kernel_text(p).image(), p.where,
                cuda::module_cache::of_environment()),
          words_(where, word_bytes * words_of(p).end),
          orders_(where, steps * sizeof(step_order)),
          tokens_(where, id_bytes()),
          chosen_(where, id_bytes()),
          of_host_(where, orders_.bytes() + 2 * id_bytes()) {
        words_.fill(0);
        api_.check(api_.event_create(&begin_, 0), "cuEventCreate");
        api_.check(api_.event_create(&end_, 0), "cuEventCreate");
    }
    ~gpu_kernel() {
        for (const cuda::event e : {begin_, end_})
            if (e != nullptr && api_.may_release()) api_.event_destroy(e);
    }
    gpu_kernel(const gpu_kernel&) = delete;
    gpu_kernel& operator=(const gpu_kernel&) = delete;

    const stream_plan& plan() const { return plan_; }
    const cuda::loaded_kernel& code() const { return code_; }
    /// Whether its text was in the program.
    bool compiled() const { return compiled_; }
    u32_t rows() const { return plan_.model.rows; }
    u32_t most_steps() const { return steps_; }
    /// Of the next launch. Tests set it near its wrap.
    u32_t epoch() const { return epoch_; }
    void set_epoch(u32_t epoch) { epoch_ = epoch; }

    /// Rows beyond `tokens` are computed with token 0, but not kept.
    void order(u32_t step, const step_order& o, std::span<const i32_t> tokens) {
        std::memcpy(of_host_.bytes().data() + step * sizeof o, &o, sizeof o);
        i32_t* to = ids(orders_.bytes()) + usz{step} * rows();
        std::fill(std::copy(tokens.begin(), tokens.end(), to), to + rows(), 0);
    }
    /// The greedy choice after a row of the last launch, when that has ended.
    i32_t chosen(u32_t step, u32_t row) const { return ids(orders_.bytes() + id_bytes())[usz{step} * rows() + row]; }

    /// Starts the first `steps` orders. The launch's own memory and epoch are filled in here.
    void start(launch_arguments a, u32_t steps, cuda::stream on) {
        a.words = words_.at(), a.orders = orders_.at(), a.tokens = tokens_.at(), a.chosen = chosen_.at();
        a.steps = steps;
        a.epoch = epoch_;
        epoch_ += epochs_of(plan_, steps);
        const std::span<std::byte> host = of_host_.bytes();
        const usz used = usz{4} * rows() * steps;
        orders_.write_async(host.first(steps * sizeof(step_order)), 0, on);
        tokens_.write_async(host.subspan(orders_.bytes(), used), 0, on);
        api_.check(api_.event_record(begin_, on), "cuEventRecord");
        launch_only(a, on);
        api_.check(api_.event_record(end_, on), "cuEventRecord");
        chosen_.read_async(host.subspan(orders_.bytes() + id_bytes(), used), 0, on);
    }
    /// Nothing but the kernel, with exactly these arguments.
    void launch_only(const launch_arguments& a, cuda::stream on) const {
        const cuda::device_memory values[] = {a.weights, a.words,  a.cache, a.parameters, a.embedding, a.angles, a.orders,     a.tokens,
                                              a.chosen,  a.logits, a.stall, a.trace,      a.steps,     a.epoch,  a.patience_ms};
        code_.launch(values, on);
    }
    /// Milliseconds of the last launch's kernel, when that has ended.
    float last_ms() const {
        float ms = 0.0F;
        api_.check(api_.event_elapsed(&ms, begin_, end_), "cuEventElapsedTime");
        return ms;
    }

private:
    usz id_bytes() const { return usz{4} * plan_.model.rows * steps_; }
    i32_t* ids(usz offset) const { return reinterpret_cast<i32_t*>(of_host_.bytes().data() + offset); }

    stream_plan plan_;
    u32_t steps_;
    const cuda::driver& api_;
    bool compiled_;
    cuda::loaded_kernel code_;
    cuda::buffer_memory words_, orders_, tokens_, chosen_;
    cuda::pinned_memory of_host_;
    cuda::event begin_ = nullptr, end_ = nullptr;
    u32_t epoch_ = 1;
};

}  // namespace netra::inline v0
