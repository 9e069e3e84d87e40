// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "conformance.hpp"

#include "conformance_checks.hpp"
#include "gpu_clocks.hpp"
#include "output_files.hpp"
#include "text_file.hpp"

#include <netra/engine/any_session.hpp>
#include <netra/engine/model_file.hpp>
#include <netra/engine/npy.hpp>
#include <netra/engine/text.hpp>

#include <charconv>
#include <set>

namespace netra::tool {
namespace {

constexpr int nothing_to_check = 77;

struct conformance_options {
    std::vector<std::string> models;
    conformance_limits limits{};
    std::vector<std::string> only;
    std::vector<std::string> checks;
    bool large = false;
    gpu_options gpu{};
    std::string json;
    std::string commit;
    std::string ids;
    std::string logits;
    u32_t rows = 1;
    std::string activations = activation_parts_names[0];
    std::string copies = "auto";
    u32_t kv_splits = 0;
    u32_t ring_slots = 0;
    u32_t in_flight = stream_config{}.bytes_in_flight / 1024;
    std::string dtype = "bf16";
};

bool wanted(const conformance_options& options, conformance_check c) {
    return options.checks.empty() || std::find(options.checks.begin(), options.checks.end(), name_of(c)) != options.checks.end();
}
bool wanted(const conformance_options& options, const conformance_case& c) {
    if (options.only.empty()) return !c.large || options.large;
    return std::find(options.only.begin(), options.only.end(), c.name) != options.only.end();
}
std::vector<conformance_task> tasks_of(const conformance_options& options, const conformance_case& c, u32_t capability) {
    std::vector<conformance_task> all = tasks_of(c, options.gpu, capability);
    std::erase_if(all, [&](const conformance_task& t) { return !wanted(options, t.check); });
    return all;
}

/// A GPU that did not come back from a kernel is lost for this process.
bool is_lost() { return !cuda::driver::get().may_release(); }

/// Runs `body`; what it throws is a failed result.
template <class Body>
void guarded(conformance_report& report, const char* check, const std::string& model, const Body& body) {
    std::string said;
    try {
        return body();
    } catch (const std::runtime_error& e) {
        said = e.what();
    } catch (const std::bad_alloc&) {
        said = "out of memory";
    }
    report.add(check, model, false, said, {{"error", said}});
}

/// Compiles all kernels of the checks at once, so that the cache has them when they are asked for.
void compile_kernels(const std::vector<conformance_case>& cases, const conformance_options& options, const device& where,
                     u32_t capability) {
    if (!cuda::module_cache::of_environment().on()) return;
    std::set<std::string> known;
    std::vector<stream_plan> plans;
    for (const conformance_case& c : cases) {
        if (!wanted(options, c)) continue;
        for (const conformance_task& t : tasks_of(options, c, capability))
            for (const bool delayed : {false, true}) {
                gpu_options how = t.how;
                how.stream.delays = delayed;
                if (delayed && t.check != conformance_check::delays) continue;
                try {
                    const gpu_plans made = plan_for(c.model, c.model.weights.q.element, where, how);
                    for (const stream_plan* p : {&made.decode, made.prompt ? &*made.prompt : nullptr})
                        if (p != nullptr && known.insert(stream_kernel_text(*p).text()).second) plans.push_back(*p);
                } catch (const model_error&) {  // the check itself says so
                }
            }
    }
    const double began = netra::detail::seconds_now();
    detail::in_parts(plans.size(), std::min<u32_t>(options.gpu.workers, static_cast<u32_t>(plans.size())), [&](u64_t first, u64_t last) {
        const cuda::gpu here(options.gpu.device);
        for (u64_t i = first; i < last; ++i) {
            const stream_kernel_text text(plans[i]);
            try {
                const cuda::loaded_kernel compiled(here, text.image(), plans[i].where, cuda::module_cache::of_environment());
            } catch (const backend_error&) {  // the check itself says so
            }
        }
    });
    fmt::print("{} kernels compiled in {:.1f} s\n", plans.size(), netra::detail::seconds_now() - began);
    std::fflush(stdout);
}

void check_case(const conformance_case& c, const conformance_options& options, u32_t capability, conformance_report& report) {
    const std::vector<conformance_task> tasks = tasks_of(options, c, capability);
    if (tasks.empty()) return;
    guarded(report, "model", c.name, [&] {
        const random_model weights(c.model, options.limits.seed, options.gpu.workers);
        const conformance_subject subject{.name = c.name,
                                          .weights = c.model.weights.q.element,
                                          .open = [&](dtype kv) { return weights.open(kv); },
                                          .workers = options.gpu.workers};
        conformance_limits limits = options.limits;
        if (c.large) limits.greedy = std::min(limits.greedy, 8U);
        conformance_checks checks(subject, limits, c.positions, report);
        for (const conformance_task& t : tasks) {
            if (is_lost()) throw backend_error("the GPU has not come back from a kernel; what is left is not run");
            guarded(report, name_of(t.check), c.name, [&] { checks.run(t); });
        }
    });
}

/// What is asked of a model that has a tokenizer; ids of one that has none are random.
std::vector<std::vector<u32_t>> prompts_for(const opened_model& model) {
    std::vector<std::vector<u32_t>> prompts;
    if (!model.tokenizer.empty()) {
        const tokenizer tokens = open_tokenizer(model);
        for (const char* text : {"Explain gravity in three sentences.", "Write a function that adds two numbers.", "1, 2, 3, 4, 5,",
                                 "The capital of France is", "Once upon a time", "List five colours.", "What is 17 times 23?",
                                 "Translate to German: good morning"})
            prompts.push_back(tokens.encode_with_bos(text));
        return prompts;
    }
    u64_t state = 1;
    for (usz length = 1; length <= 50; length += 7) {
        std::vector<u32_t>& p = prompts.emplace_back(length);
        for (u32_t& id : p) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            id = static_cast<u32_t>((state >> 33) % model.contract.vocab);
        }
    }
    return prompts;
}

opened_model open_as(const std::string& path, dtype weights, dtype kv, u32_t context) {
    return open_model(path, {.context = context, .kv = kv, .storage = weights == f16 ? weight_storage::as_f16 : weight_storage::as_bf16});
}

void check_model(const std::string& path, const conformance_options& options, conformance_report& report) {
    const u32_t most = open_model(path).contract.context;
    const u32_t context = gpu_context(128 + options.limits.greedy, most);
    for (const dtype weights : {bf16, f16}) {
        const conformance_subject subject{
            .name = fmt::format("{}, {}", std::filesystem::path(path).filename().string(), netra::name_of(weights)),
            .weights = weights,
            .open = [&](dtype kv) { return open_as(path, weights, kv, context); },
            .workers = options.gpu.workers};
        conformance_checks checks(subject, options.limits, 40, report);
        gpu_options how = options.gpu;
        how.keep_logits = true;
        for (const u32_t rows : {4U, 16U}) {
            how.prompt_rows = rows;
            const auto run = [&](conformance_check c, const auto& body) {
                if (!wanted(options, c)) return;
                if (is_lost()) throw backend_error("the GPU has not come back from a kernel; what is left is not run");
                guarded(report, name_of(c), subject.name, body);
            };
            run(conformance_check::logits, [&] { checks.run({conformance_check::logits, how, rows == 4}); });
            run(conformance_check::greedy, [&] { checks.greedy(how, prompts_for(subject.open(bf16))); });
            if (rows == 16) run(conformance_check::bits, [&] { checks.bits(how); });
        }
    }
}

std::vector<u32_t> read_ids(const std::string& path, u32_t vocab) {
    const mapped_file file(path);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());  // NOLINT: bytes are characters
    std::vector<u32_t> ids;
    for (usz at = 0; (at = text.find_first_not_of(", \t\r\n", at)) != std::string_view::npos;) {
        const usz end = std::min(text.find_first_of(", \t\r\n", at), text.size());
        u32_t id = 0;
        const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, id);
        if (error != std::errc{} || stop != text.data() + end || id >= vocab)
            throw model_error(fmt::format("{}: '{}' is no token of a vocabulary of {}; numbers such as 1,2,3 are expected", path,
                                          utf8::printable(text.substr(at, std::min<usz>(end - at, 40))), vocab));
        ids.push_back(id);
        at = end;
    }
    if (ids.empty()) throw model_error(path + ": no token ids in it; write numbers such as 1,2,3");
    return ids;
}

/// The GPU's logits after each of the given tokens, for comparisons with other programs.
int write_logits(const conformance_options& options) {
    const dtype weights = options.dtype == "f16" ? f16 : bf16;
    opened_model opened = open_as(options.models[0], weights, bf16, 0);
    const std::vector<u32_t> ids = read_ids(options.ids, opened.contract.vocab);
    if (ids.size() > opened.contract.context)
        throw model_error(fmt::format("{}: {} tokens, but the model's context is {}", options.ids, ids.size(), opened.contract.context));
    opened.contract.context = gpu_context(static_cast<u32_t>(ids.size()), opened.contract.context);
    gpu_options how = options.gpu;
    how.prompt_rows = options.rows;
    how.keep_logits = true;
    how.stream.activations = activation_parts_of(options.activations);
    how.stream.copies = options.copies == "bulk"       ? copy_path::bulk
                        : options.copies == "cp_async" ? copy_path::cp_async
                                                       : copy_path::automatic;
    how.stream.kv_splits = options.kv_splits;
    how.stream.ring_slots = options.ring_slots;
    how.stream.bytes_in_flight = options.in_flight * 1024;
    const u32_t vocab = opened.contract.vocab;
    const double began = netra::detail::seconds_now();
    gpu_model m(opened, weights, how);
    if (options.rows != 1 && m.prompt_rows() != options.rows) throw model_error(m.plans().why_fewer);
    const double loaded = netra::detail::seconds_now();
    std::vector<float> all(ids.size() * vocab);
    run_with_logits(m, options.rows != 1, ids, [&](usz i, i32_t, std::span<const float> got) {
        std::copy(got.begin(), got.end(), all.begin() + static_cast<std::ptrdiff_t>(i * vocab));
    });
    const u64_t shape[] = {ids.size(), vocab};
    write_npy(options.logits, shape, all);
    fmt::print("{}: logits after {} tokens, {} a step, {} bits of an activation; loaded in {:.1f} s, run in {:.1f} s\n", options.logits,
               ids.size(), options.rows, activation_bits(m.kernel(options.rows != 1).plan()), loaded - began, netra::detail::seconds_now() - loaded);
    return 0;
}

nlohmann::ordered_json machine_of(const cuda::gpu& where, const gpu_clocks& idle, const gpu_clocks& after,
                                  const conformance_options& options) {
    const cuda::gpu_properties p = where.properties();
    return {{"device", p.name},
            {"record", device_of(p).name.d},
            {"compute_capability", p.capability},
            {"multiprocessors", p.multiprocessors},
            {"cuda_version_of_driver", cuda::cuda_version(p.driver_version)},
            {"driver", idle.driver.empty() ? cuda::driver_build() : idle.driver},
            {"most_mhz_of_driver", where.get(cuda::attribute::clock_khz) / 1000},
            {"mhz_before", idle.multiprocessors},
            {"mhz_after", after.multiprocessors},
            {"mhz_most", after.multiprocessors_most},
            {"memory_mhz", after.memory},
            {"commit", options.commit}};
}

int conformance(const conformance_options& options) {
    const given_path outputs[] = {{"--json", options.json}, {"--logits-out", options.logits}};
    require_apart({"--ids", options.ids.empty() ? options.json + "/" : options.ids}, outputs);
    for (const std::string& model : options.models) require_apart({"MODEL", model}, outputs);
    require_folders(outputs);
    if (!options.logits.empty() && options.models.size() != 1) throw CLI::ValidationError("--logits-out", "takes one MODEL");
    std::unique_ptr<cuda::gpu> where;
    try {
        where = std::make_unique<cuda::gpu>(options.gpu.device);
    } catch (const backend_error& e) {
        fmt::print(stderr, "netra conformance: nothing is checked: {}\n", e.what());
        return nothing_to_check;
    }
    if (!options.logits.empty()) return write_logits(options);

    const auto index = static_cast<unsigned>(options.gpu.device);
    const gpu_clocks idle = read_gpu_clocks(index);
    const cuda::gpu_properties properties = where->properties();
    fmt::print("{}, {} multiprocessors, driver {} (CUDA {}), {} MHz\n", properties.name, properties.multiprocessors,
               idle.driver.empty() ? "unknown" : idle.driver, cuda::cuda_version(properties.driver_version), idle.multiprocessors);
    conformance_report report;
    const double began = netra::detail::seconds_now();
    if (options.models.empty()) {
        const std::vector<conformance_case> cases = conformance_cases();
        compile_kernels(cases, options, device_of(properties), properties.capability);
        for (const conformance_case& c : cases)
            if (wanted(options, c) && !is_lost()) check_case(c, options, properties.capability, report);
    }
    for (const std::string& path : options.models) guarded(report, "model", path, [&] { check_model(path, options, report); });
    const double took = netra::detail::seconds_now() - began;
    fmt::print("{} checks passed, {} failed, in {:.1f} s\n", report.passed(), report.failed(), took);
    if (!options.json.empty()) {
        nlohmann::ordered_json out = machine_of(*where, idle, read_gpu_clocks(index), options);
        out.update(nlohmann::ordered_json{{"seconds", took},
                                          {"launches", options.limits.launches},
                                          {"seed", options.limits.seed},
                                          {"passed", report.passed()},
                                          {"failed", report.failed()},
                                          {"checks", report.results()}});
        write_text(options.json, out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
    if (report.passed() + report.failed() == 0) throw CLI::ValidationError("--only, --checks", "no check has such names");
    return report.failed() == 0 ? 0 : 1;
}

}  // namespace

void add_conformance(CLI::App& app, int& status) {
    const auto options = std::make_shared<conformance_options>();
    CLI::App& command =
        *app.add_subcommand("conformance", "Check that the GPU computes what the CPU backend does, and the same bits every time");
    std::vector<std::string> names;
    for (const conformance_case& c : conformance_cases()) names.push_back(c.name);
    CLI::Option* const models =
        command
            .add_option("MODEL", options->models, ".gguf files, or directories with config.json and *.safetensors; without, models of random weights")
            ->check(CLI::ExistingPath);
    command.add_option("--only", options->only, "Of the models of random weights only these")
        ->delimiter(',')
        ->check(CLI::IsMember(names))
        ->excludes(models);
    command.add_flag("--large", options->large,
                     "Also models of random weights as large as SmolLM2-135M, Qwen3-0.6B, Llama-3.2-1B and Llama-3.1-8B");
    command.add_option("--checks", options->checks, "Only these checks")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(conformance_check_names), std::end(conformance_check_names))));
    command.add_option("--launches", options->limits.launches, "Launches whose bits are compared")
        ->check(CLI::Range(1U, 1U << 24))
        ->capture_default_str();
    command.add_option("--tokens", options->limits.tokens, "Tokens of the long loop")
        ->check(CLI::Range(u64_t{1}, u64_t{1} << 40))
        ->capture_default_str();
    command.add_option("--greedy", options->limits.greedy, "Tokens after each prompt")->check(CLI::Range(1U, 256U))->capture_default_str();
    command.add_option("--longest", options->limits.longest, "Positions of the longest sequence, at the most")
        ->check(CLI::Range(1U, 16384U))
        ->capture_default_str();
    command.add_option("--seed", options->limits.seed, "Of weights and tokens")->capture_default_str();
    command.add_option("--threads", options->gpu.workers, "Threads of the CPU backend")
        ->check(CLI::Range(1U, max_cpu_workers))
        ->capture_default_str();
    command.add_option("--device", options->gpu.device, "Which GPU")->check(CLI::Range(0, 1023))->capture_default_str();
    command.add_option("--patience", options->gpu.patience_ms, "Milliseconds after which a kernel that waits gives up")
        ->check(CLI::Range(1U, 600000U))
        ->capture_default_str();
    command.add_flag("--race-check", options->gpu.stream.race_check,
                     "For compute-sanitizer --tool racecheck: kernels whose barriers it understands, with the same bits");
    command.add_option("--json", options->json, "Write the results to this file");
    command.add_option("--commit", options->commit, "The revision of the sources, for the results")->envname("NETRA_COMMIT");
    CLI::Option* const logits =
        command
            .add_option("--logits-out", options->logits, "Check nothing, but write the GPU's logits after each token of --ids to this .npy file")
            ->needs(models);
    const auto add = [&](const char* name, auto& value, const char* about) { return command.add_option(name, value, about)->needs(logits); };
    logits->needs(add("--ids", options->ids, "A file of token ids")->check(CLI::ExistingFile));
    add("--rows", options->rows, "Tokens a step")->check(CLI::IsMember({1, 2, 4, 8, 16}))->capture_default_str();
    add("--activations", options->activations, "Rounded to the weights' format (single), with high and low parts, or one f16 number (half)")
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(activation_parts_names), std::end(activation_parts_names))))
        ->capture_default_str();
    add("--copies", options->copies, "How weights are copied")->check(CLI::IsMember({"auto", "bulk", "cp_async"}))->capture_default_str();
    add("--dtype", options->dtype, "How matrices are kept")->check(CLI::IsMember({"bf16", "f16"}))->capture_default_str();
    add("--kv-splits", options->kv_splits, "Blocks that share a kv head; 0: as many as there are")->check(CLI::Range(0U, most_kv_splits));
    add("--ring-slots", options->ring_slots, "Slots of a block's ring of weights, 2 to 16; 0: as many as fit")->check(CLI::Range(0U, most_ring_slots));
    add("--in-flight", options->in_flight, "Kilobytes of a block's weights under way")->check(CLI::Range(1U, 1024U))->capture_default_str();
    for (CLI::Option* const o : command.get_options())
        if (o != logits && o->get_needs().contains(logits)) o->group("With --logits-out");
    command.callback([options, &status] {
        options->gpu.limit_s = std::max(options->gpu.limit_s, 4e-3 * options->gpu.patience_ms);
        status = conformance(*options);
    });
}

}  // namespace netra::tool
