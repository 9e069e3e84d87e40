// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// emit_kernels FOLDER: writes FOLDER/<entry>.<target>.ptx for contracts of every kind, made at run time by the functions that compilers run;
// every contract for sm_90a, every other one for each of the other targets, which take turns.
#include <netra/codegen/kernel.hpp>

#include "support/module_text.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <tuple>
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

constexpr dtype caches[] = {dtype::f32, dtype::f16, dtype::bf16};

std::vector<rope_append> rope_appends() {
    std::vector<rope_append> all;
    for (const dtype kv : caches)
        for (const rope_pairing pairing : {rope_pairing::halves, rope_pairing::adjacent}) {
            const rope_table table{.rows = 3, .head_dim = 128, .frequencies = {.pairing = pairing}};
            all.push_back({.heads = 32, .kv_heads = 8, .context = 8192, .kv = kv, .table = table});
            all.push_back(all.back());
            all.back().table.frequencies.dims = 96;
            all.back().qk_norm = all.back().norm_plus_one = true;
        }
    return all;
}

/// Heads that share a block in every number, head_dim whole steps or not, one chunk and many, splits, windows.
std::vector<attention> attentions(bool all_formats) {
    std::vector<attention> all;
    for (const dtype kv : {dtype::bf16, dtype::f32, dtype::f16}) {
        if (kv == dtype::f16 && !all_formats) break;
        for (const auto& [heads, kv_heads, head_dim] : {std::tuple{9U, 3U, 64U}, {32U, 8U, 64U}, {32U, 8U, 128U}, {16U, 8U, 128U}, {32U, 4U, 128U}, {6U, 6U, 72U}, {10U, 2U, 256U}, {7U, 1U, 80U}, {14U, 2U, 1024U}, {4U, 2U, 8U}})
            for (const u32_t splits : {1U, 4U})
                all.push_back({.rows = 2, .heads = heads, .kv_heads = kv_heads, .head_dim = head_dim, .context = head_dim == 80 ? 512U : 8192U,
                               .window = head_dim == 72 ? 100U : 0U, .kv = kv, .chunk = heads == 10 ? 4096U : 128U, .splits = splits});
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
    u32_t others = 0;
    for (const target& where : {sm_90a, sm_80, sm_89, sm_100a, sm_120a}) {
        u32_t turn = others++;
        const auto write = [&](const auto& contract) {
            if (where == sm_90a || ++turn % 2 == 0) good = emit(contract, where, argv[1]) && good;
        };
        for (const linear& c : linears(where == sm_90a)) write(c);
        for (const u32_t width : {2048U, 255U}) {
            write(rms_norm{.rows = 3, .width = width, .plus_one = width == 255, .groups = 2, .math = {.order = reduction_order::lanes256}});
            for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh}) write(gated_mul{.rows = 2, .width = width, .act = a});
            for (const weight_format& f : {weight_format(f32), weight_format(f16), weight_format(bf16)}) write(embedding{.rows = 2, .vocab = 1000, .width = width, .weight = f});
        }
        write(sampling{.vocab = 128256});
        for (const u32_t width : {2048U, 255U}) write(add{.rows = 3, .width = width});
        for (const rope_append& c : rope_appends()) write(c);
        for (const attention& c : attentions(where == sm_90a)) {
            write(c);
            if (c.splits != 1) write(combine(c));
        }
    }
    return good ? 0 : 1;
}
