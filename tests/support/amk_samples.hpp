// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Small programs in the `amk` format: one step of a decoder that is safe, and a builder for others.
#pragma once

#include <netra/engine/amk_schedule.hpp>
#include <netra/engine/amk_shapes.hpp>

#include <string>
#include <vector>

namespace netra::test {

using ids = std::vector<int>;

struct amk_builder {
    nlohmann::json program{{"ir_version", "0.2.0"},
                           {"abi_version", "0.2"},
                           {"meta", nlohmann::json::object()},
                           {"target", nullptr},
                           {"buffers", nlohmann::json::array()},
                           {"counters", nlohmann::json::array()},
                           {"tasks", nlohmann::json::array()},
                           {"pages", nullptr},
                           {"config", nullptr}};

    int buffer(const char* kind, ids shape, const char* dtype = "F32") {
        auto& all = program["buffers"];
        const int id = static_cast<int>(all.size());
        all.push_back({{"id", id},
                       {"name", "b" + std::to_string(id)},
                       {"kind", kind},
                       {"dtype", dtype},
                       {"shape", shape},
                       {"space", "HBM"},
                       {"source", nullptr}});
        return id;
    }
    int counter(i64_t init = 0) {
        auto& all = program["counters"];
        const int id = static_cast<int>(all.size());
        all.push_back({{"id", id}, {"init", init}, {"note", ""}});
        return id;
    }
    struct until {
        int counter = 0;
        i64_t threshold = 1;
    };
    /// Returns the index of the task.
    int task(const char* op, ids inputs, ids outputs, int counter, std::vector<until> waits = {},
             nlohmann::json params = nlohmann::json::object(), int sm = -1) {
        auto& all = program["tasks"];
        const int id = static_cast<int>(all.size());
        auto list = nlohmann::json::array();
        for (const until& w : waits) list.push_back({{"counter", w.counter}, {"threshold", w.threshold}});
        all.push_back({{"id", id},
                       {"op", op},
                       {"inputs", inputs},
                       {"outputs", outputs},
                       {"out_counter", counter},
                       {"waits", list},
                       {"params", params.is_null() ? nlohmann::json::object() : params},
                       {"sm", nullptr},
                       {"est_bytes", 0},
                       {"est_flops", 0},
                       {"label", "t" + std::to_string(id)}});
        if (sm >= 0) all.back()["sm"] = sm;
        return id;
    }
    /// A task with a counter of its own, which is returned.
    int step(const char* op, ids inputs, ids outputs, std::vector<until> waits = {}, nlohmann::json params = nlohmann::json::object()) {
        const int c = counter();
        task(op, std::move(inputs), std::move(outputs), c, std::move(waits), std::move(params));
        return c;
    }
    nlohmann::json& at(int task) { return program["tasks"][static_cast<usz>(task)]; }
};

inline nlohmann::json tile_params(int k, int n_off, int n_tile) { return {{"K", k}, {"n_off", n_off}, {"N_tile", n_tile}}; }

/// The tasks of `amk_decoder` that tests change.
struct decoder_tasks {
    static constexpr int embed = 0, norm = 1, q = 2, k = 3, v = 4, q_heads = 5, rope_q = 7, append_k = 9, append_v = 10, attention = 11,
                         residual = 13, head_0 = 14, head_1 = 15, sample = 16;
};

/// Embedding, one attention layer, two tiles of logits, the next token: safe.
inline amk_builder amk_decoder() {
    amk_builder b;
    b.program["meta"] = {{"model", "sample"}, {"pos", 3}};
    const int token = b.buffer("IO_INPUT", {1}, "I32");
    const int pos = b.buffer("IO_INPUT", {1}, "I32");
    const int table = b.buffer("WEIGHT", {16, 8});
    const int h = b.buffer("ACTIVATION", {1, 8});
    const int norm = b.buffer("WEIGHT", {8});
    const int x = b.buffer("ACTIVATION", {1, 8});
    const int wq = b.buffer("WEIGHT", {8, 8});
    const int wk = b.buffer("WEIGHT", {4, 8});
    const int wv = b.buffer("WEIGHT", {4, 8});
    const int q = b.buffer("ACTIVATION", {1, 8});
    const int k = b.buffer("ACTIVATION", {1, 4});
    const int v = b.buffer("ACTIVATION", {1, 4});
    const int qh = b.buffer("ACTIVATION", {2, 4});
    const int kh = b.buffer("ACTIVATION", {1, 1, 4});
    const int qr = b.buffer("ACTIVATION", {2, 4});
    const int kr = b.buffer("ACTIVATION", {1, 1, 4});
    const int keys = b.buffer("KV_CACHE", {6, 1, 4});
    const int values = b.buffer("KV_CACHE", {6, 1, 4});
    const int attended = b.buffer("ACTIVATION", {1, 8});
    const int wo = b.buffer("WEIGHT", {8, 8});
    const int o = b.buffer("ACTIVATION", {1, 8});
    const int head = b.buffer("WEIGHT", {16, 8});
    const int logits = b.buffer("ACTIVATION", {1, 16});
    const int next = b.buffer("IO_OUTPUT", {1}, "I32");

    const int c_h = b.step("EMBED", {token, table}, {h}, {}, {{"hidden", 8}});
    const int c_x = b.step("RMSNORM", {h, norm}, {x}, {{c_h}}, {{"eps", 1e-6}, {"hidden", 8}});
    const int c_q = b.step("GEMV_TILE", {x, wq}, {q}, {{c_x}}, tile_params(8, 0, 8));
    const int c_k = b.step("GEMV_TILE", {x, wk}, {k}, {{c_x}}, tile_params(8, 0, 4));
    const int c_v = b.step("GEMV_TILE", {x, wv}, {v}, {{c_x}}, tile_params(8, 0, 4));
    const int c_qh = b.step("EMBED", {token, q}, {qh}, {{c_q}}, {{"hidden", 4}});
    const int c_kh = b.step("EMBED", {token, k}, {kh}, {{c_k}}, {{"hidden", 4}});
    const int c_qr = b.step("ROPE", {qh, pos}, {qr}, {{c_qh}}, {{"head_dim", 4}, {"theta", 10000.0}});
    const int c_kr = b.step("ROPE", {kh, pos}, {kr}, {{c_kh}}, {{"head_dim", 4}, {"theta", 10000.0}});
    const int c_keys = b.step("KV_APPEND", {kr, keys}, {keys}, {{c_kr}}, {{"pos", 3}});
    const int c_values = b.step("KV_APPEND", {v, values}, {values}, {{c_v}}, {{"pos", 3}});
    const int c_a = b.step("ATTENTION_TILE", {qr, keys, values}, {attended}, {{c_qr}, {c_keys}, {c_values}},
                           {{"head_dim", 4}, {"kv_start", 0}, {"kv_len", 4}, {"scale", 0.5}, {"n_heads", 2}, {"n_kv_heads", 1}});
    const int c_o = b.step("GEMV_TILE", {attended, wo}, {o}, {{c_a}}, tile_params(8, 0, 8));
    const int c_sum = b.step("ADD", {h, o}, {h}, {{c_o}, {c_h}});
    const int c_logits = b.counter();
    b.task("GEMV_TILE", {h, head}, {logits}, c_logits, {{c_sum}}, tile_params(8, 0, 8));
    b.task("GEMV_TILE", {h, head}, {logits}, c_logits, {{c_sum}}, tile_params(8, 8, 8));
    b.step("SAMPLE_ARGMAX", {logits}, {next}, {{c_logits, 2}});
    return b;
}

/// The faults that reading, structure, bounds and shapes of a program give, each `reason: sentence`.
inline std::string amk_faults(const nlohmann::json& program) {
    schedule_faults faults;
    const std::string file = "test.json";
    const amk_program p = read_amk({program, file}, faults);
    if (faults.empty()) check_amk_structure(p, faults);
    if (faults.empty()) expand_amk(p, faults);
    if (faults.empty()) check_amk_shapes(p, faults);
    std::string all;
    for (const auto& f : faults.list()) all += f.reason + ": " + f.sentence + "\n";
    return all;
}

}  // namespace netra::test
