// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A contract and a target become finished assembly text while the user's program is compiled, or a refusal.
#pragma once

#include <netra/codegen/ops/add.hpp>
#include <netra/codegen/ops/attention.hpp>
#include <netra/codegen/ops/embedding.hpp>
#include <netra/codegen/ops/gated_mul.hpp>
#include <netra/codegen/ops/linear.hpp>
#include <netra/codegen/ops/rms_norm.hpp>
#include <netra/codegen/ops/rope_append.hpp>
#include <netra/codegen/ops/sampling.hpp>
#include <netra/contracts/rejected.hpp>

namespace netra::inline v0 {

namespace detail {

template <auto Contract>
inline constexpr auto kernel_for = kernel_of(Contract);
template <auto Contract>
inline constexpr ptx::requirements needs_of = ptx::requirements_of(kernel_for<Contract>);

template <auto Contract, target Where>
struct kernel_text {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        ptx::write_module(out, kernel_for<Contract>, Where, needs_of<Contract>);
    }
};

template <auto Contract, target Where>
constexpr verdict kernel_verdict() {
    if constexpr (requires { check_kernel(Contract); }) {
        const verdict v = check_kernel(Contract);
        return v.ok() ? ptx::check(needs_of<Contract>, Where) : v;
    } else {
        return refuse(reason::no_kernel, "contract", "this operation");
    }
}

}  // namespace detail

/// `netra::kernel<netra::linear{...}, netra::sm_90a>::assembly.data()` is text in .rodata; a contract or target without a kernel is a compile
/// error that says why.
template <auto Contract, target Where>
struct kernel {
    static constexpr netra::verdict verdict = detail::kernel_verdict<Contract, Where>();
    static_assert(require_accepted<verdict>());
    static constexpr auto tactic = detail::kernel_for<Contract>.tactic;
    static constexpr kernel_launch launch = detail::kernel_for<Contract>.launch();
    static constexpr const auto& assembly = text_of<detail::kernel_text<Contract, Where>>;
    static kernel_image image() {
        return {.text = assembly.data(), .size = assembly.size(), .entry = detail::kernel_for<Contract>.entry(), .where = Where, .launch = launch};
    }
};

}  // namespace netra::inline v0
