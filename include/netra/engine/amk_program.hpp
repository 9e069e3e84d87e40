// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The records of a schedule file in the public format `amk` (AutoMegaKernel 0.2), and what its operations take.
#pragma once

#include <netra/engine/schedule_json.hpp>
#include <netra/engine/task_schedule.hpp>

#include <fmt/format.h>

#include <optional>

namespace netra::inline v0 {

enum class amk_op : u8_t {
    nop,
    copy,
    embed,
    rmsnorm,
    layernorm,
    gemv_tile,
    gemm_tile,
    attention_tile,
    rope,
    silu_mul,
    gelu,
    add,
    mul,
    dequant,
    softmax,
    allreduce_shard,
    kv_append,
    sample_argmax,
    attention_combine,
    fused,
};
enum class amk_dtype : u8_t { float32, float16, bfloat16, float8_e4m3, float8_e5m2, int32, int8, int4, uint8, boolean };
enum class amk_space : u8_t { hbm, global_scratch, smem, register_file };
enum class amk_kind : u8_t { weight, activation, kv_cache, io_input, io_output, constant };

namespace detail {

struct amk_operation {
    const char* name;
    u32_t least_inputs;
    u32_t most_inputs;
    u32_t outputs;
    bool has_kernel;  ///< the device code of the format runs it
    std::array<const char*, 6> required{};
};
inline constexpr amk_operation amk_operations[] = {
    {"NOP", 0, 0, 0, true},
    {"COPY", 1, 1, 1, true},
    {"EMBED", 2, 2, 1, true, {"hidden"}},
    {"RMSNORM", 2, 2, 1, true, {"eps", "hidden"}},
    {"LAYERNORM", 2, 3, 1, false, {"eps", "hidden"}},
    {"GEMV_TILE", 2, 3, 1, true, {"K", "N_tile", "n_off"}},
    {"GEMM_TILE", 2, 3, 1, true, {"M_tile", "K", "N_tile", "n_off"}},
    {"ATTENTION_TILE", 3, 4, 1, true, {"head_dim", "kv_start", "kv_len", "scale", "n_heads", "n_kv_heads"}},
    {"ROPE", 2, 2, 1, true, {"head_dim", "theta"}},
    {"SILU_MUL", 2, 2, 1, true},
    {"GELU", 1, 1, 1, false},
    {"ADD", 2, 2, 1, true},
    {"MUL", 1, 2, 1, false},
    {"DEQUANT", 2, 3, 1, false, {"qdtype", "group"}},
    {"SOFTMAX", 1, 1, 1, false},
    {"ALLREDUCE_SHARD", 1, 8, 1, false},
    {"KV_APPEND", 2, 2, 1, true, {"pos"}},
    {"SAMPLE_ARGMAX", 1, 1, 1, true},
    {"ATTENTION_COMBINE", 2, 8, 1, true},
    {"FUSED", 1, 8, 1, true, {"recipe"}},
};
inline constexpr const char* amk_dtype_names[] = {"F32", "F16", "BF16", "F8E4M3", "F8E5M2", "I32", "I8", "I4", "U8", "BOOL"};
inline constexpr u64_t amk_dtype_bits[] = {32, 16, 16, 8, 8, 32, 8, 4, 8, 8};
inline constexpr const char* amk_space_names[] = {"HBM", "GLOBAL_SCRATCH", "SMEM", "REGISTER"};
inline constexpr const char* amk_kind_names[] = {"WEIGHT", "ACTIVATION", "KV_CACHE", "IO_INPUT", "IO_OUTPUT", "CONST"};
inline constexpr const char* amk_int_params[] = {"K",      "N",      "M",        "N_tile",  "M_tile",     "n_off",    "m_off",
                                                 "hidden", "vocab",  "head_dim", "n_heads", "n_kv_heads", "kv_start", "kv_len",
                                                 "pos",    "qdtype", "flags",    "group",   "dim"};
inline constexpr const char* amk_float_params[] = {"eps", "scale", "theta"};

}  // namespace detail

constexpr const char* name_of(amk_op op) { return detail::amk_operations[static_cast<usz>(op)].name; }
constexpr const char* name_of(amk_dtype t) { return detail::amk_dtype_names[static_cast<usz>(t)]; }
constexpr const char* name_of(amk_kind k) { return detail::amk_kind_names[static_cast<usz>(k)]; }

/// Ids, shapes and references are as the file has them: `check_amk_structure` judges them.
struct amk_buffer {
    i64_t id = 0;
    std::string name;
    amk_kind kind{};
    amk_dtype dtype{};
    amk_space space{};
    std::vector<i64_t> shape;

    u64_t bits() const { return detail::amk_dtype_bits[static_cast<usz>(dtype)]; }
    u64_t elements() const {
        u64_t n = 1;
        for (const i64_t d : shape) n *= static_cast<u64_t>(d);
        return n;
    }
    u64_t bytes() const { return (elements() * bits() + 7) / 8; }
    u64_t dim(usz i) const { return static_cast<u64_t>(shape[i]); }
    u64_t last() const { return shape.empty() ? 1 : static_cast<u64_t>(shape.back()); }
    u64_t rows() const { return elements() / last(); }
    bool read_only() const { return kind == amk_kind::weight || kind == amk_kind::constant || kind == amk_kind::io_input; }
};
struct amk_wait {
    i64_t counter = 0;
    i64_t threshold = 1;
};
struct amk_task {
    i64_t id = 0;
    amk_op op{};
    std::vector<i64_t> inputs{};
    std::vector<i64_t> outputs{};
    i64_t out_counter = 0;
    std::vector<amk_wait> waits{};
    const nlohmann::json* params = nullptr;  ///< an object, or null
    std::optional<i64_t> sm{};
    std::string label{};

    const nlohmann::json* param(const char* key) const {
        if (params == nullptr) return nullptr;
        const auto at = params->find(key);
        return at == params->end() || at->is_null() ? nullptr : &*at;
    }
    /// @pre check_amk_structure found parameters to be of their types
    i64_t whole(const char* key, i64_t fallback = 0) const {
        const auto* p = param(key);
        return p == nullptr ? fallback : p->get<i64_t>();
    }
    double real(const char* key, double fallback = 0) const {
        const auto* p = param(key);
        return p == nullptr ? fallback : p->get<double>();
    }
};
struct amk_page {
    i64_t id = 0;
    amk_space space{};
    i64_t nbytes = 0;
};
struct amk_counter {
    i64_t id = 0;
    i64_t init = 0;
};
/// @pre the JSON that it was read from outlives it
struct amk_program {
    std::vector<amk_buffer> buffers;
    std::vector<amk_counter> counters;
    std::vector<amk_task> tasks;
    bool has_pages = false;
    std::vector<amk_page> pages;
    std::vector<std::pair<i64_t, i64_t>> page_of;  ///< buffer, page
    std::optional<i64_t> num_sms;
    std::optional<i64_t> pos;  ///< of the step, from meta

    /// As in `task 12 (L0.q_proj[t3], GEMV_TILE)`.
    std::string name_of_task(usz i) const {
        const amk_task& t = tasks[i];
        return t.label.empty() ? fmt::format("task {} ({})", i, name_of(t.op))
                               : fmt::format("task {} ({}, {})", i, utf8_text(t.label), name_of(t.op));
    }
    std::string name_of_buffer(usz i) const { return fmt::format("buffer {} ({})", i, utf8_text(buffers[i].name)); }

private:
    static std::string utf8_text(const std::string& s) { return s.size() <= 100 ? s : detail::in_quotes(s); }
};

}  // namespace netra::inline v0
