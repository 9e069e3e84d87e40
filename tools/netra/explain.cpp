// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include "output_files.hpp"
#include "text_file.hpp"

#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/model_file.hpp>
#include <netra/engine/netra_schedule.hpp>
#include <netra/engine/string_sink.hpp>
#include <netra/schedule/export_dot.hpp>
#include <netra/schedule/export_html.hpp>
#include <netra/schedule/identity.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <system_error>
#include <thread>

namespace netra::tool {
namespace {

struct explain_options {
    std::string model;
    std::string dtype = "as-stored";
    lower_config lowering{.workers = std::clamp(std::thread::hardware_concurrency(), 1U, 32U)};
    bool round_robin = false;
    step_shape step{};
    std::string dot;
    std::string html;
    std::string schedule;
    bool json = false;
};

const std::map<std::string, weight_format>& formats() {
    static const std::map<std::string, weight_format> all{{"f32", f32},   {"f16", f16},   {"bf16", bf16},
                                                          {"q8_0", q8_0}, {"q4_0", q4_0}, {"q4_1", q4_1}};
    return all;
}

/// The element type that a config.json gives its model's weights; fp32 where it gives none.
weight_format format_in_config(const nlohmann::json& config, const std::string& path) {
    for (const char* key : {"dtype", "torch_dtype"}) {
        const auto at = config.find(key);
        if (at == config.end() || at->is_null()) continue;
        if (*at == "float32") return f32;
        if (*at == "float16") return f16;
        if (*at == "bfloat16") return bf16;
        throw model_error(
            fmt::format("{}: {} is {}, which is not float32, float16 or bfloat16; use --dtype to say how the weights are kept", path, key,
                        at->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)));
    }
    return f32;
}

/// The contract of a config.json that stands alone.
llama contract_of_config(const explain_options& options) {
    const nlohmann::json config = parse_config_json(detail::read_text(options.model), options.model);
    if (!config.is_object()) return read_hf_config(config, options.model);
    return read_hf_config(
        config, options.model,
        {.weights = options.dtype == "as-stored" ? format_in_config(config, options.model) : formats().at(options.dtype)});
}

llama contract_of(const explain_options& options) {
    std::error_code ignored;
    if (options.model.ends_with(".json") && std::filesystem::is_regular_file(options.model, ignored)) return contract_of_config(options);
    const std::map<std::string, weight_storage> storages{
        {"as-stored", weight_storage::as_stored}, {"f32", weight_storage::as_f32}, {"bf16", weight_storage::as_bf16}};
    const auto storage = storages.find(options.dtype);
    if (storage == storages.end())
        throw CLI::ValidationError("--dtype",
                                   options.dtype + " is for a config.json without weights; weights are kept as-stored, f32 or bf16");
    return open_model(options.model, {.storage = storage->second}).contract;
}

u64_t tiles_of(const dynamic_schedule& s) {
    u64_t tiles = 0;
    for (const group& g : s.groups) tiles += g.tiles;
    return tiles;
}

template <class Contract>
std::string text_for(const Contract& c) {
    return written([&](auto& out) { describe(out, c); });
}

nlohmann::ordered_json json_of(const cost& c) {
    return {{"weights_read", c.weights_read}, {"activations_read", c.activations_read}, {"activations_written", c.activations_written},
            {"cache_read", c.cache_read},     {"cache_written", c.cache_written},       {"flops", c.flops}};
}

nlohmann::ordered_json json_of(const schedule_view& s, usz index, const step_shape& step) {
    const group_row row = row_of(s, index, step);
    auto waits = nlohmann::ordered_json::array();
    for (const wait_row& w : row.waits)
        waits.push_back({{"first", w.first}, {"last", w.last}, {"count", w.count}, {"threshold", w.threshold}});
    auto words = nlohmann::ordered_json::array();
    for (const u16_t group : s.groups[index].words) words.push_back(group);
    return {{"name", row.name.d},
            {"op", name_of(row.op)},
            {"operation", s.groups[index].op},
            {"layer", s.groups[index].layer},
            {"tiles", row.tiles},
            {"queues", row.queues},
            {"counters", {row.first_counter, row.last_counter}},
            {"waits", waits},
            {"words", words},
            {"cost", json_of(row.cost)}};
}

void print_json(const llama& contract, const dynamic_schedule& s, const explain_options& options) {
    const schedule_view v = view(s);
    nlohmann::ordered_json out = {{"contract", text_for(contract)},
                                  {"identity", identify(contract).d},
                                  {"verdict", name_of(reason::accepted)},
                                  {"step", {{"rows", options.step.rows}, {"past", options.step.past}}},
                                  {"counters", s.counters},
                                  {"arena_bytes", s.arena_bytes},
                                  {"cost", json_of(cost_of(v, options.step))}};
    for (const operation& o : s.operations)
        out["operations"].push_back({{"op", name_of(o.kind)}, {"identity", identify(o).d}, {"contract", text_for(o)}});
    for (usz g = 0; g < s.groups.size(); ++g) out["groups"].push_back(json_of(v, g, options.step));
    for (const buffer& b : s.buffers) {
        nlohmann::ordered_json row = {{"name", b.name.d}, {"kind", name_of(b.kind)}, {"rows", b.rows}, {"row_bytes", b.row_bytes}};
        if (b.kind == buffer_kind::activation) row["arena_offset"] = b.arena;
        out["buffers"].push_back(std::move(row));
    }
    const queue_costs queues(v, options.step);
    for (usz q = 0; q < queues.size(); ++q) out["queues"].push_back({{"tiles", queues.tiles(q)}, {"cost", json_of(queues[q])}});
    fmt::print("{}\n", out.dump(2));
}

void print_tables(const llama& contract, const dynamic_schedule& s, const explain_options& options) {
    const schedule_view v = view(s);
    fmt::print("contract  {}\nidentity  {}\nverdict   {}\n", text_for(contract), identify(contract).d, name_of(reason::accepted));
    fmt::print("schedule  {} groups, {} tiles, {} queues, {} counters, {} bytes of activations\n", s.groups.size(), tiles_of(s), s.queues,
               s.counters, s.arena_bytes);
    fmt::print("step      {} of at most {} rows, {} positions before it; below: bytes that its tiles touch, and its operations\n\n",
               options.step.rows, contract.rows, options.step.past);
    fmt::print("      #  {:19}  contract\n", "identity");
    for (usz i = 0; i < s.operations.size(); ++i) fmt::print("{:7}  {}  {}\n", i, identify(s.operations[i]).d, text_for(s.operations[i]));
    fmt::print("\n{}\n", written([&](auto& out) { write_group_table(out, v, options.step); }));
    fmt::print("{}\n", written([&](auto& out) { write_buffer_table(out, v); }));
    fmt::print("{}", written([&](auto& out) { write_queue_table(out, v, options.step); }));
}

std::string page_of(const dynamic_schedule& s, const explain_options& options) {
    if (const u64_t tiles = tiles_of(s); tiles > most_shown_tasks)
        throw model_error(fmt::format("{}: {} tiles, the most that a page shows is {}; use a larger --tile-outputs", options.model, tiles,
                                      most_shown_tasks));
    const std::string title = std::filesystem::absolute(options.model).lexically_normal().filename().string();
    const std::string whole =
        fmt::format("{}, {} token{} after {} positions", title, options.step.rows, options.step.rows == 1 ? "" : "s", options.step.past);
    return written([&](auto& out) { write_html(out, view(s), {.title = whole.c_str(), .step = options.step}); });
}

void explain(const explain_options& options) {
    constexpr u64_t most_tiles = u64_t{1} << 22;
    const given_path outputs[] = {{"--dot", options.dot}, {"--html", options.html}, {"--schedule", options.schedule}};
    require_apart({"MODEL", options.model}, outputs);
    const llama contract = contract_of(options);
    if (const u64_t needed = options.step.past + options.step.rows; needed > contract.context)
        throw CLI::ValidationError("--past, --rows", fmt::format("a step of {} after {} positions needs a context of {}; this model's is {}",
                                                                 options.step.rows, options.step.past, needed, contract.context));
    lower_config lowering = options.lowering;
    if (options.round_robin) lowering.assignment = queue_assignment::round_robin;
    const dynamic_schedule s = lower_checked(contract, lowering);
    if (const u64_t tiles = tiles_of(s); tiles > most_tiles)
        throw model_error(
            fmt::format("{}: {} tiles, the most that are explained is {}; use a larger --tile-outputs", options.model, tiles, most_tiles));
    if (!options.dot.empty()) write_text(options.dot, written([&](auto& out) { write_dot(out, view(s), options.step); }));
    if (!options.html.empty()) write_text(options.html, page_of(s, options));
    if (!options.schedule.empty()) write_text(options.schedule, schedule_to_json(view(s)).dump(1) + "\n");
    try {
        if (options.json)
            print_json(contract, s, options);
        else
            print_tables(contract, s, options);
        if (std::fflush(stdout) == 0) return;
    } catch (const std::system_error&) {  // from fmt
    }
    throw model_error("standard output cannot be written; is the disk full?");
}

}  // namespace

void add_explain(CLI::App& app) {
    const auto options = std::make_shared<explain_options>();
    CLI::App& command = *app.add_subcommand("explain", "Show a model's contract and the schedule that runs it");
    const auto off = [&](const char* flag, bool& what, const char* help) { command.add_flag(std::string(flag) + "{false}", what, help); };
    lower_config& lowering = options->lowering;
    command.add_option("MODEL", options->model, "A .gguf file, a directory with config.json and *.safetensors, or a config.json alone")
        ->required();
    command.add_option("--threads", lowering.workers, "Worker threads, each with a queue")
        ->check(CLI::Range(1U, max_cpu_workers))
        ->capture_default_str();
    std::vector<std::string> dtypes{"as-stored"};
    for (const auto& [name, format] : formats()) dtypes.push_back(name);
    command.add_option("--dtype", options->dtype, "How weights are kept; a config.json alone takes any, others as-stored, f32 or bf16")
        ->check(CLI::IsMember(dtypes))
        ->capture_default_str();
    command.add_option("--rows", options->step.rows, "Tokens of the step whose cost is shown")
        ->check(CLI::Range(1U, max_rows))
        ->capture_default_str();
    command.add_option("--past", options->step.past, "Positions before that step")
        ->check(CLI::Range(u64_t{0}, max_dimension))
        ->capture_default_str();
    command.add_option("--dot", options->dot, "Write the task groups as a Graphviz graph to this file");
    command.add_option("--html", options->html, "Write the schedule as one HTML page to this file, to be looked at in a browser");
    command.add_option("--schedule", options->schedule, "Write the schedule as JSON to this file; netra check reads it");
    command.add_flag("--json", options->json, "Print one JSON object instead of tables");
    command.add_option("--tile-outputs", lowering.tile_outputs, "Outputs of a projection's tile; 0: one tile a thread")
        ->capture_default_str();
    command.add_option("--kv-splits", lowering.kv_splits, "Attention tiles of a kv head; 0: as many as spread kv heads evenly")
        ->check(CLI::Range(0U, 256U))
        ->capture_default_str();
    off("--no-fuse-norm", lowering.fuse_norm, "Normalise in a group of its own, not in every tile");
    off("--no-fuse-qkv", lowering.fuse_qkv, "A group for each of the three projections");
    off("--no-fuse-gate-up", lowering.fuse_gate_up, "Groups of their own for gate, up and their product");
    off("--no-fuse-residual", lowering.fuse_residual, "Add to the residual stream in a group of its own");
    command.add_flag("--per-head-waits", lowering.per_head_waits,
                     "Attention waits for the tiles of its head only, where tiles do not straddle heads");
    command.add_flag("--round-robin", options->round_robin, "Tile t on queue t modulo threads, instead of neighbours together");
    command.callback([options] { explain(*options); });
}

}  // namespace netra::tool
