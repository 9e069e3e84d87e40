// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The GPU of tests, where the machine has one.
#pragma once

#include <netra/backends/cuda.hpp>
#include <netra/codegen/kernel.hpp>

#include "support/dice.hpp"
#include "support/module_text.hpp"
#include "support/operation_cases.hpp"
#include "support/skip.hpp"

#include <cstdio>
#include <memory>
#include <vector>

namespace netra::test {

/// GPU 0, or null with the reason printed; the program then counts as skipped.
inline std::unique_ptr<cuda::gpu> open_gpu() {
    try {
        return std::make_unique<cuda::gpu>();
    } catch (const backend_error& e) {
        std::printf("skipped: %s\n", e.what());
        skipped = true;
        return nullptr;
    }
}

/// The newest target of netra that runs on a GPU.
inline target target_of(const cuda::gpu& where) {
    const int capability = where.capability();
    for (const target& t : {sm_120a, sm_100a, sm_90a})
        if (t.capability == capability) return t;
    return capability >= 89 ? sm_89 : sm_80;
}

template <class T>
cuda::buffer_memory upload(const cuda::gpu& where, const std::vector<T>& from) {
    cuda::buffer_memory made(where, from.size() * sizeof(T));
    made.write(std::as_bytes(std::span(from)));
    return made;
}

/// Runs a contract's kernel on copies of the inputs; the output's bytes are all ones before.
template <class Out, class Contract, class... In>
std::vector<Out> run_kernel(const cuda::gpu& where, const Contract& contract, usz outputs, const std::vector<In>&... inputs) {
    const module_text made(kernel_of(contract), target_of(where));
    const cuda::loaded_kernel kernel(where, made.image());
    const cuda::buffer_memory copies[] = {upload(where, inputs)...};
    std::vector<Out> out(outputs);
    cuda::buffer_memory on_out(where, outputs * sizeof(Out));
    on_out.fill(0xff);
    std::vector<cuda::device_memory> arguments;
    for (const auto& c : copies) arguments.push_back(c.at());
    arguments.push_back(on_out.at());
    kernel.launch(arguments);
    where.synchronize();
    on_out.read(std::as_writable_bytes(std::span(out)));
    return out;
}

}  // namespace netra::test
