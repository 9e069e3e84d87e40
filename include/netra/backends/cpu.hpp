// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The CPU backend: runs a checked schedule with one thread a queue. The oracle, and the default where there is no GPU.
#pragma once

#include <netra/backends/cpu/execute.hpp>
#include <netra/backends/cpu/team.hpp>
#include <netra/schedule/check.hpp>

#include <cstdlib>
#include <memory>

namespace netra::inline v0 {

/// A schedule bound to its weights, with an arena and caches of its own. One step at a time, from one thread at a time.
class cpu_program {
  public:
    /// `weights[i]` is byte 0 of buffer i where that is a weight, ignored elsewhere; the caller keeps schedule and weights alive.
    /// @throws backend_error when the checker refuses, a weight is missing or the workers cannot be started
    cpu_program(const accepted_schedule& schedule, const std::vector<const void*>& weights)
        : schedule_(schedule.view()), run_(schedule_, bind(weights)), team_(schedule_) {
        team_.start(run_);
    }
    /// Checks the schedule first.
    cpu_program(const schedule_view& schedule, const std::vector<const void*>& weights) : cpu_program(accept_or_throw(schedule), weights) {}

    /// Rows of a step at the most, and positions of the caches.
    u32_t max_rows() const { return rows_; }
    u64_t context() const { return context_; }
    u64_t vocab() const { return vocab_; }

    /// Runs one step and returns the chosen token, or -1 when the input does not ask for one.
    /// @throws backend_error before anything runs when rows, positions, tokens or sampling parameters are out of range
    i32_t step(const cpu::step_input& input) {
        check_input(input);
        run_.begin_step(input);
        team_.step(run_);
        return input.choose ? *reinterpret_cast<const i32_t*>(next_) : -1;
    }

    /// Of the last row of the last step that asked for a token.
    std::span<const float> logits() const { return {reinterpret_cast<const float*>(logits_), vocab_}; }

  private:
    struct deallocate {
        void operator()(u8_t* p) const { std::free(p); }
    };
    using memory = std::unique_ptr<u8_t[], deallocate>;

    static accepted_schedule accept_or_throw(const schedule_view& s) {
        verdict found;
        const accepted_schedule accepted = accepted_schedule::accept(s, found);
        if (!found.ok()) throw backend_error(found);
        return accepted;
    }
    u8_t* allocate(u64_t bytes, const char* what) {
        constexpr u64_t line = 64;
        void* p = std::calloc(bytes + line, 1);  // note: untouched pages of a large block cost nothing
        if (p == nullptr) throw backend_error("cannot allocate " + std::to_string(bytes) + " bytes for " + what + "; use a shorter context");
        owned_.emplace_back(static_cast<u8_t*>(p));
        return reinterpret_cast<u8_t*>((reinterpret_cast<std::uintptr_t>(p) + line - 1) / line * line);
    }
    std::vector<u8_t*> bind(const std::vector<const void*>& weights) {
        std::vector<u8_t*> at(schedule_.buffer_count);
        u8_t* arena = allocate(schedule_.arena_bytes, "activations");
        for (usz i = 0; i < schedule_.buffer_count; ++i) {
            const buffer& b = schedule_.buffers[i];
            switch (b.kind) {
                case buffer_kind::activation: at[i] = arena + b.arena; break;
                case buffer_kind::state: at[i] = allocate(bytes(b), b.name.d); break;
                case buffer_kind::output: at[i] = allocate(bytes(b), b.name.d); break;
                case buffer_kind::input: break;
                case buffer_kind::weight:
                    if (i >= weights.size() || weights[i] == nullptr) throw backend_error(std::string("weight ") + b.name.d + " is not bound");
                    at[i] = const_cast<u8_t*>(static_cast<const u8_t*>(weights[i]));  // note: the checker proved that nothing writes it
            }
        }
        note_shapes(at);
        return at;
    }
    void note_shapes(const std::vector<u8_t*>& at) {
        for (usz g = 0; g < schedule_.group_count; ++g) {
            const group& of = schedule_.groups[g];
            const operation& o = schedule_.op_of(of);
            if (o.words) throw backend_error(std::string("task group ") + of.name.d + " exchanges words, which the CPU's kernels do not; lower the model for the CPU");
            refuse_other_inputs(of, o.kind);
            refuse_other_orders(of, o);
            if (o.kind == op_kind::embedding) rows_ = o.embed.rows, tokens_ = o.embed.vocab;
            if (o.kind == op_kind::rope_append) context_ = o.append.context;
            if (o.kind == op_kind::sampling) {
                vocab_ = o.sample.vocab;
                logits_ = at[of.accesses[0].buffer];
                next_ = at[of.accesses[1].buffer];
            }
        }
    }
    /// Inputs have no memory: the embedding and the rope table take theirs from the step.
    void refuse_other_inputs(const group& of, op_kind kind) const {
        if (kind == op_kind::embedding || kind == op_kind::rope_table) return;
        for (const auto& a : of.accesses)
            if (schedule_.buffers[a.buffer].kind == buffer_kind::input)
                throw backend_error(std::string("task group ") + of.name.d + " reads the input " + schedule_.buffers[a.buffer].name.d +
                                    "; on the CPU only the embedding and the rope table read inputs, so pass it as a weight");
    }
    static void refuse_other_orders(const group& of, const operation& o) {
        const auto refuse_other = [&](const numerics& math) {
            if (math.order != reduction_order::lanes16)
                throw backend_error(std::string("task group ") + of.name.d + " asks for a reduction order that the CPU's kernels do not have; use lanes16");
        };
        if (o.kind == op_kind::rms_norm) refuse_other(o.norm.math);
        if (o.kind != op_kind::projection) return;
        if (o.project.norm) refuse_other(o.project.before.math);
        for (const auto& p : o.project.parts) refuse_other(p.math);
    }
    void check_input(const cpu::step_input& in) const {
        const auto number = [](u64_t v) { return std::to_string(v); };
        if (in.tokens.empty() || in.tokens.size() > rows_) throw backend_error("a step of " + number(in.tokens.size()) + " tokens; it takes 1 to " + number(rows_));
        if (in.position > context_ || in.tokens.size() > context_ - in.position)
            throw backend_error("positions " + number(in.position) + " and up (" + number(in.tokens.size()) + " of them) leave the context of " + number(context_));
        for (const i32_t t : in.tokens)
            if (t < 0 || static_cast<u64_t>(t) >= tokens_) throw backend_error("token " + std::to_string(t) + " is outside the vocabulary of " + number(tokens_));
        if (const verdict v = check(in.sampling); !v.ok()) throw backend_error(sentence(v).d);
    }

    schedule_view schedule_;
    std::vector<memory> owned_;
    u8_t* logits_ = nullptr;
    u8_t* next_ = nullptr;
    u32_t rows_ = 0;
    u64_t context_ = 0;
    u64_t vocab_ = 0;
    u64_t tokens_ = 0;
    cpu::executor run_;
    cpu::team team_;
};

}  // namespace netra::inline v0
