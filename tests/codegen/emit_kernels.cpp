// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// emit_kernels FOLDER: writes FOLDER/<entry>.<target>.ptx for contracts of every kind, made at run time by the functions that compilers run.
#include <netra/codegen/kernel.hpp>

#include "support/module_text.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace netra;

namespace {

/// Shapes of models, and odd ones: rows that are not aligned, tiles that are not full, terms left over.
std::vector<linear> linears(bool all_formats) {
    std::vector<linear> all;
    for (const weight_format& format : {weight_format(bf16), weight_format(f16), weight_format(f32)}) {
        for (const u32_t rows : {1U, 3U, 4U, 16U})
            for (const auto& [out, in] : {std::pair{4096U, 4096U}, {576U, 1536U}, {7U, 50U}, {33U, 255U}})
                all.push_back({.rows = rows, .out = out, .in = in, .weight = format, .bias = out % 2 == 1, .math = {.order = reduction_order::lanes256}});
        if (!all_formats) break;
    }
    return all;
}

template <class Contract>
bool emit(const Contract& contract, const target& where, const std::string& folder) {
    verdict v = check_kernel(contract);
    const test::module_text made(kernel_of(contract), where);
    if (v.ok()) v = made.verdict();
    if (!v.ok()) {
        std::fprintf(stderr, "%s\n", sentence(v).d);
        return false;
    }
    std::ofstream file(folder + "/" + made.image().entry.d + "." + where.name.d + ".ptx");
    file << made.text();
    return file.good();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    bool good = true;
    for (const target& where : {sm_80, sm_89, sm_90a, sm_100a, sm_120a}) {
        const auto write = [&](const auto& contract) { good = emit(contract, where, argv[1]) && good; };
        for (const linear& c : linears(where == sm_90a)) write(c);
        for (const u32_t width : {2048U, 255U}) {
            write(rms_norm{.rows = 3, .width = width, .plus_one = width == 255, .groups = 2, .math = {.order = reduction_order::lanes256}});
            for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh}) write(gated_mul{.rows = 2, .width = width, .act = a});
            for (const weight_format& f : {weight_format(f32), weight_format(f16), weight_format(bf16)}) write(embedding{.rows = 2, .vocab = 1000, .width = width, .weight = f});
        }
        write(sampling{.vocab = 128256});
    }
    return good ? 0 : 1;
}
