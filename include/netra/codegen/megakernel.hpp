// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model, a device and a configuration become one persistent kernel's text while the user's program is compiled, or a refusal.
#pragma once

#include <netra/codegen/megakernel/kernel.hpp>
#include <netra/codegen/ptx/parts.hpp>
#include <netra/contracts/devices.hpp>
#include <netra/contracts/rejected.hpp>

namespace netra::inline v0 {

/// A persistent kernel that is finished: whoever has the same plan may load it.
struct stream_code {
    stream_plan plan{};
    kernel_image image{};
};

namespace detail {

// note: what is long gets an evaluation of its own, so that compilers need no higher limits
template <auto Model, device Device, stream_config Config>
inline constexpr verdict stream_contract = check(Model, Device, Config);
template <auto Model, device Device, stream_config Config>
inline constexpr stream_kernel kernel_of_stream{fitted_stream(Model, Device, Config)};
template <const stream_kernel& Kernel>
inline constexpr verdict stream_layout = check_layout(Kernel.plan);
template <const stream_kernel& Kernel>
inline constexpr target stream_target = Kernel.plan.where.gpu.code;
template <const stream_kernel& Kernel>
inline constexpr verdict stream_instructions = ptx::check(ptx::requirements_in_parts<Kernel>, stream_target<Kernel>);
template <const stream_kernel& Kernel>
inline constexpr verdict stream_proof = check_stream(Kernel.plan);

/// What check_stream_kernel says.
template <auto Model, device Device, stream_config Config>
consteval verdict stream_verdict() {
    if constexpr (!stream_contract<Model, Device, Config>.ok()) return stream_contract<Model, Device, Config>;
    else {
        constexpr const stream_kernel& kernel = kernel_of_stream<Model, Device, Config>;
        if constexpr (!stream_layout<kernel>.ok()) return stream_layout<kernel>;
        else if constexpr (!stream_instructions<kernel>.ok()) return stream_instructions<kernel>;
        else return stream_proof<kernel>;
    }
}

/// Plan and text of an accepted kernel; a refused one has neither, so that its refusal is all that a compiler says.
template <bool Accepted, auto Model, device Device, stream_config Config>
struct stream_parts {
    static constexpr stream_kernel kernel{};
    static constexpr text<0> assembly{};
};
template <auto Model, device Device, stream_config Config>
struct stream_parts<true, Model, Device, Config> {
    static constexpr const auto& kernel = kernel_of_stream<Model, Device, Config>;
    static constexpr const auto& assembly = ptx::module_text<kernel_of_stream<Model, Device, Config>, stream_target<kernel_of_stream<Model, Device, Config>>>;
};

}  // namespace detail

/// `static_assert(netra::accepted<netra::megakernel<my_model, netra::h200>>)` refuses, with names and numbers, or not at all; `assembly.data()` is
/// then text in .rodata, in which one launch decodes tokens. The same checks as at run time (check_stream_kernel), the same text.
template <auto Model, device Device, stream_config Config = stream_config{}>
struct megakernel {
    static constexpr netra::verdict verdict = detail::stream_verdict<Model, Device, Config>();
    static_assert(require_accepted<verdict>());
    static constexpr auto model = Model;
    static constexpr const auto& plan = detail::stream_parts<verdict.ok(), Model, Device, Config>::kernel.plan;
    static constexpr const auto& assembly = detail::stream_parts<verdict.ok(), Model, Device, Config>::assembly;
    static constexpr kernel_launch launch = detail::stream_parts<verdict.ok(), Model, Device, Config>::kernel.launch();
    static kernel_image image() { return {.text = assembly.data(), .size = assembly.size(), .entry = stream_kernel::entry(), .where = Device.gpu.code, .launch = launch}; }
    static stream_code code() { return {plan, image()}; }
};

}  // namespace netra::inline v0
