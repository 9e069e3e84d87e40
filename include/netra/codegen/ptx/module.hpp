// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The text around a kernel's body: version, target, parameters, launch bounds, registers.
#pragma once

#include <netra/codegen/kernel_image.hpp>
#include <netra/codegen/ptx/assembler.hpp>
#include <netra/detail/text.hpp>

namespace netra::inline v0::ptx {

/// A pointer or a 32-bit number that a launch passes.
struct parameter {
    const char* name = "";
    u32_t bits = 64;
};
using parameter_list = static_vector<parameter, 16>;
template <usz N>
constexpr parameter_list pointers(const char* const (&names)[N]) {
    parameter_list made;
    for (const char* name : names) made.push_back({name, 64});
    return made;
}

// A kernel has: name entry(); parameter_list parameters(); kernel_launch launch(); void body(assembler<Sink>&). It may have u32_t
// blocks_at_once(): how many a multiprocessor must hold. Without it ptxas may spill a few registers so that it can hold more.

/// What the body needs, from a run that writes nothing.
template <class Kernel>
constexpr requirements requirements_of(const Kernel& kernel) {
    count_sink nowhere;
    assembler as(nowhere);
    kernel.body(as);
    return as.needs();
}

/// The lowest version that knows the instructions and the target.
constexpr u16_t version_for(const requirements& needs, const target& where) { return needs.isa > where.first_isa ? needs.isa : where.first_isa; }

/// Refuses a body with instructions that the target does not have.
constexpr verdict check(const requirements& needs, const target& where) {
    if (where.isa != instruction_set::ptx) return refuse(reason::unsupported_target, where.name).with(label::expected, needs.sm).with(label::actual, 0);
    if (where.capability < needs.sm || (needs.exact && (where.capability != needs.sm || !where.exact)))
        return refuse(reason::unsupported_target, where.name).with(label::expected, needs.sm).with(label::actual, where.capability);
    return {};
}

namespace detail {

template <class Sink, class Kernel>
constexpr void write_signature(Sink& out, const Kernel& kernel) {
    out.lit(".visible .entry ");
    out.str(kernel.entry().d);
    out.ch('(');
    bool first = true;
    for (const auto& p : kernel.parameters()) {
        out.str(first ? "\n\t.param .u" : ",\n\t.param .u");
        out.dec(p.bits);
        out.ch(' ');
        out.str(p.name);
        first = false;
    }
    out.lit("\n)\n.maxntid ");
    out.dec(kernel.launch().threads);
    out.lit(", 1, 1\n");
    if constexpr (requires { kernel.blocks_at_once(); }) {
        out.lit(".minnctapersm ");
        out.dec(kernel.blocks_at_once());
        out.ch('\n');
    }
}

template <class Sink>
constexpr void write_registers(Sink& out, const requirements& needs) {
    for (usz c = 0; c < register_classes; ++c) {
        if (needs.registers[c] == 0) continue;
        out.lit("\t.reg ");
        out.str(type_of(static_cast<register_class>(c)));
        out.ch(' ');
        out.str(prefix_of(static_cast<register_class>(c)));
        out.ch('<');
        out.dec(needs.registers[c]);
        out.lit(">;\n");
    }
}

}  // namespace detail

/// What stands before the body. @pre `needs` are the kernel's requirements, and check accepts them for the target
template <class Sink, class Kernel>
constexpr void write_head(Sink& out, const Kernel& kernel, const target& where, const requirements& needs) {
    const u16_t version = version_for(needs, where);
    out.lit(".version ");
    out.dec(version / 10U);
    out.ch('.');
    out.dec(version % 10U);
    out.lit("\n.target ");
    out.str(where.name.d);
    out.lit("\n.address_size 64\n\n");
    if (kernel.launch().shared_bytes != 0) out.lit(".extern .shared .align 128 .b8 shared[];\n\n");
    detail::write_signature(out, kernel);
    out.lit("{\n");
    detail::write_registers(out, needs);
}

/// The whole module. @pre as write_head's
template <class Sink, class Kernel>
constexpr void write_module(Sink& out, const Kernel& kernel, const target& where, const requirements& needs) {
    write_head(out, kernel, where, needs);
    assembler as(out);
    kernel.body(as);
    out.lit("}\n");
}

}  // namespace netra::inline v0::ptx
