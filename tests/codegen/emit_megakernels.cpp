// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// emit_megakernels FOLDER [all]: writes FOLDER/<model>-<rows>-<weights>-<copies>-<device>.<target>.ptx for persistent kernels of several models,
// made at run time by the functions that compilers run, and prints one line about each: name, threads, bytes of shared memory, the most there
// are; or name and why there is none. `all`: every combination, for which ptxas needs half an hour.
#include <netra/codegen/megakernel/kernel.hpp>
#include <netra/contracts/devices.hpp>

#include "support/module_text.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

using namespace netra;

namespace {

struct named_model {
    const char* name;
    llama model;
};
constexpr named_model models[] = {
    {"smollm2", {.hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .context = 8192, .tied_head = true}},
    {"llama1b", {.hidden = 2048, .layers = 16, .heads = 32, .kv_heads = 8, .head_dim = 64, .intermediate = 8192, .vocab = 128256, .context = 8192, .tied_head = true}},
    {"llama8b", {.hidden = 4096, .layers = 32, .heads = 32, .kv_heads = 8, .head_dim = 128, .intermediate = 14336, .vocab = 128256, .context = 8192}},
    {"qwen3", {.hidden = 1024, .layers = 28, .heads = 16, .kv_heads = 8, .head_dim = 128, .intermediate = 3072, .vocab = 151936, .context = 8192, .tied_head = true, .qk_norm = true}},
    {"qwen3b4", {.hidden = 2560, .layers = 36, .heads = 32, .kv_heads = 8, .head_dim = 128, .intermediate = 9728, .vocab = 151936, .context = 8192, .tied_head = true, .qk_norm = true}},
    {"wide", {.hidden = 2560, .layers = 34, .heads = 8, .kv_heads = 4, .head_dim = 256, .intermediate = 10240, .vocab = 262144, .context = 8192, .act = activation::gelu_tanh,
              .tied_head = true, .qk_norm = true, .norm_plus_one = true, .window = 1024}},
    // biases, windows, adjacent pairs, a last chunk that is not full, odd widths, more query heads than a warp treats at once
    {"odd", {.hidden = 2312, .layers = 3, .heads = 14, .kv_heads = 2, .head_dim = 20, .intermediate = 4099, .vocab = 50257, .context = 5000, .rope = {.dims = 8, .pairing = rope_pairing::adjacent},
             .act = activation::gelu_tanh, .qkv_bias = true, .o_bias = true, .mlp_bias = true, .qk_norm = true, .norm_plus_one = true, .window = 1000, .first_window_layer = 1}},
    // the most registers: long heads, and heads that leave lanes idle, many to a kv head, beside inputs of several chunks
    {"heads192", {.hidden = 3524, .layers = 2, .heads = 56, .kv_heads = 7, .head_dim = 192, .intermediate = 4969, .vocab = 50257, .context = 5000, .qk_norm = true}},
    {"heads96", {.hidden = 4366, .layers = 2, .heads = 4, .kv_heads = 1, .head_dim = 96, .intermediate = 6243, .vocab = 50257, .context = 5000,
                 .rope = {.pairing = rope_pairing::adjacent}, .qk_norm = true}},
};
constexpr device devices[] = {a100, l4, h200, b200, rtx5090};

std::string name_of_case(const named_model& m, u32_t rows, bool half, bool bulk, const device& d) {
    return std::string(m.name) + "-" + std::to_string(rows) + (half ? "-f16-" : "-bf16-") + (bulk ? "bulk-" : "lanes-") + d.name.d;
}

bool emit(const named_model& of, u32_t rows, bool half, bool bulk, const device& d, const std::string& folder) {
    llama m = of.model;
    m.rows = rows;
    m.weights = half ? f16 : bf16;
    m.kv = bf16;
    const stream_plan p = fitted_stream(m, d, {.copies = bulk ? copy_path::bulk : copy_path::cp_async});
    const std::string name = name_of_case(of, rows, half, bulk, d);
    if (const verdict v = check_stream_kernel(p); !v.ok()) {
        std::printf("%s refused: %s\n", name.c_str(), sentence(v).d);
        return v.why == reason::too_large && v[label::limit] == d.shared_bytes && v[label::value] > d.shared_bytes;
    }
    const test::module_text made(stream_kernel{p}, d.gpu.code);
    std::ofstream file(folder + "/" + name + "." + d.gpu.code.name.d + ".ptx");
    file << made.text();
    const kernel_launch launch = made.image().launch;
    std::printf("%s %u %u %llu\n", name.c_str(), launch.threads, launch.shared_bytes, d.shared_bytes);
    return file.good();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const bool all = argc == 3 && std::strcmp(argv[2], "all") == 0;
    bool good = true;
    u32_t turn = 0;
    for (const named_model& m : models)
        for (const device& d : devices)
            for (const u32_t rows : {1U, 2U, 4U, 8U, 16U})
                for (const bool half : {false, true})
                    for (const bool bulk : {true, false}) {
                        if (bulk && d.gpu.capability < 90) continue;
                        if (!all && ++turn % 17 != 0) continue;
                        good = emit(m, rows, half, bulk, d, argv[1]) && good;
                    }
    return good ? 0 : 1;
}
