// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Writes the body of a kernel instruction by instruction, hands out registers and labels, notes what the instructions need.
#pragma once

#include <netra/codegen/ptx/opcode.hpp>
#include <netra/codegen/ptx/operand.hpp>

namespace netra::inline v0::ptx {

/// What a body needs of the module around it: registers to declare, the PTX version, the target.
struct requirements {
    u32_t registers[register_classes]{};
    u16_t isa = 60;
    u16_t sm = 50;
    bool exact = false;  ///< the target must be an "a" form
    friend constexpr bool operator==(const requirements&, const requirements&) = default;
};

/// How far a body has come.
struct body_state {
    requirements needs{};
    u32_t labels = 0;
};

/// `as(op::add_u32, sum, sum, 1U)` writes one line. Sinks are those of detail/text.hpp.
template <class Sink>
class assembler {
  public:
    constexpr explicit assembler(Sink& out) : out_(out) {}

    constexpr reg fresh(register_class kind) { return {kind, needs_.registers[static_cast<usz>(kind)]++}; }
    constexpr reg predicate() { return fresh(register_class::predicate); }
    constexpr reg b16() { return fresh(register_class::b16); }
    constexpr reg b32() { return fresh(register_class::b32); }
    constexpr reg b64() { return fresh(register_class::b64); }
    constexpr reg f32() { return fresh(register_class::f32); }
    template <usz N>
    constexpr fragment<N> fragment_of(register_class kind) {
        fragment<N> made;
        for (usz i = 0; i < N; ++i) made[i] = fresh(kind);
        return made;
    }
    constexpr code_label new_label() { return {labels_++}; }

    template <class... Operands>
    constexpr void operator()(const opcode& what, const Operands&... operands) {
        out_.ch('\t');
        finish(what, operands...);
    }
    /// The instruction only where `guard` is true, or false.
    template <class... Operands>
    constexpr void when(reg guard, const opcode& what, const Operands&... operands) { guarded("@", guard, what, operands...); }
    template <class... Operands>
    constexpr void unless(reg guard, const opcode& what, const Operands&... operands) { guarded("@!", guard, what, operands...); }
    constexpr void place(code_label here) {
        write(out_, here);
        out_.lit(":\n");
    }

    /// A stretch of the body that a compiler may write in an evaluation of its own, see codegen/ptx/parts.hpp: nothing that `write` sets is used
    /// outside of it.
    template <class Write>
    constexpr void part(Write&& write) {
        if constexpr (requires(body_state s) { out_.skips(s); }) {
            body_state state{needs_, labels_};
            if (!out_.skips(state)) {
                write();
                state = {needs_, labels_};
            }
            needs_ = state.needs;
            labels_ = state.labels;
            out_.end_part(state);
        } else {
            write();
        }
    }

    constexpr const requirements& needs() const { return needs_; }

  private:
    template <class... Operands>
    constexpr void guarded(const char* how, reg guard, const opcode& what, const Operands&... operands) {
        out_.ch('\t');
        out_.str(how);
        write(out_, guard);
        out_.ch(' ');
        finish(what, operands...);
    }
    template <class... Operands>
    constexpr void finish(const opcode& what, const Operands&... operands) {
        out_.str(what.text);
        bool first = true;
        ((out_.str(first ? " " : ", "), first = false, write(out_, operands)), ...);
        out_.lit(";\n");
        if (what.isa > needs_.isa) needs_.isa = what.isa;
        if (what.sm > needs_.sm) needs_.sm = what.sm;
        needs_.exact = needs_.exact || what.exact;
    }

    Sink& out_;
    requirements needs_{};
    u32_t labels_ = 0;
};

}  // namespace netra::inline v0::ptx
