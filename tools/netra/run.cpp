// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "run.hpp"

#include "output_files.hpp"
#include "text_file.hpp"

#include <netra/engine/any_session.hpp>
#include <netra/engine/npy.hpp>
#include <netra/engine/text.hpp>
#include <netra/engine/trace_svg.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <system_error>

namespace netra::tool {
namespace {

struct run_options {
    std::string model;
    std::optional<std::string> prompt;
    std::vector<u32_t> prompt_ids;
    bool raw = false;
    generate_options generate{.max_tokens = 256};
    u32_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, 32U);
    std::string dtype = "as-stored";
    std::string backend = "auto";
    std::string logits;
    std::string trace;
    bool stats = false;
    bool json = false;
};

struct storage {
    weight_storage of_host;
    std::optional<dtype> of_gpu;
};
const std::map<std::string, storage>& storages() {
    static const std::map<std::string, storage> all{{"as-stored", {weight_storage::as_stored, {}}},
                                                    {"f32", {weight_storage::as_f32, f32}},
                                                    {"bf16", {weight_storage::as_bf16, bf16}},
                                                    {"f16", {weight_storage::as_f16, f16}}};
    return all;
}
const std::map<std::string, backend_choice>& backends() {
    static const std::map<std::string, backend_choice> all{
        {"auto", backend_choice::automatic}, {"cpu", backend_choice::cpu}, {"cuda", backend_choice::cuda}};
    return all;
}

std::atomic<bool> interrupted{false};
int output_error = 0;  ///< errno of the write to standard output that failed

void on_interrupt(int) {
    interrupted.store(true, std::memory_order_relaxed);
    std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the program at once
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void show_progress(usz done, usz total) {
    constexpr usz width = 32;
    if (done * 64 / total == (done - 1) * 64 / total && done != total) return;
    const usz filled = done * width / total;
    fmt::print(stderr, "\rloading [{:=<{}}{:<{}}] {:3} %", "", filled, "", width - filled, done * 100 / total);
    if (done == total) fmt::print(stderr, "\r{:{}}\r", "", width + 24);
    std::fflush(stderr);
}

/// 1,2,3: numbers of at most 9 digits with a comma between each two.
std::vector<u32_t> token_ids(const std::string& text) {
    std::vector<u32_t> ids;
    for (usz from = 0; from <= text.size();) {
        const usz comma = std::min(text.find(',', from), text.size());
        const std::string_view one = std::string_view(text).substr(from, comma - from);
        if (one.empty() || one.size() > 9 || one.find_first_not_of("0123456789") != std::string_view::npos)
            throw CLI::ValidationError("--prompt-ids", fmt::format("'{}' is no token id; numbers such as 1,2,3 are expected", one));
        std::from_chars(one.data(), one.data() + one.size(), ids.emplace_back());
        from = comma + 1;
    }
    return ids;
}

/// A check for CLI11: empty, or why no trace can be written there.
std::string refuse_trace_file(const std::string& path) {
    return path.ends_with(".svg") || path.ends_with(".json") ? "" : fmt::format("'{}' ends neither in .svg nor in .json, which say what is written", path);
}

std::string refuse_seed(const std::string& text) {
    u64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    const bool good = error == std::errc{} && end == text.data() + text.size();
    return good ? "" : fmt::format("'{}' is no seed; a number from 0 to {} is expected", text, ~u64_t{0});
}

std::string read_standard_input() {
    if (::isatty(STDIN_FILENO) != 0) throw CLI::RequiredError("PROMPT (or --prompt-ids, or a prompt on standard input)");
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
}

std::vector<u32_t> prompt_of(const run_options& options, const std::optional<tokenizer>& tokens) {
    if (!options.prompt_ids.empty()) return options.prompt_ids;
    const std::string prompt = options.prompt ? *options.prompt : read_standard_input();
    return options.raw ? tokens->encode_with_bos(prompt) : encode_chat(*tokens, prompt);
}

/// Writes text at once; a reader that went away, or a full disk, ends the generation.
void stream(const std::string& piece) {
    if (piece.empty() || output_error != 0) return;
    if (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size() && std::fflush(stdout) == 0) return;
    output_error = errno;
    interrupted.store(true, std::memory_order_relaxed);
}

const char* name_of(finish_reason f) { return f == finish_reason::eos ? "eos" : f == finish_reason::stopped ? "stopped" : "length"; }
double rate(u64_t tokens, double seconds) { return seconds > 0.0 ? static_cast<double>(tokens) / seconds : 0.0; }

void print_stats(double load_s, const generation_stats& s, u32_t threads, const any_session& on) {
    fmt::print(stderr,
               "load    {:8.3f} s\nprompt  {:8.3f} s  {:6} tokens  {:8.1f} tokens/s\ndecode  {:8.3f} s  {:6} tokens  {:8.1f} tokens/s\n"
               "threads {:8}\nbackend {}",
               load_s, s.prompt_s, s.prompt_tokens, rate(s.prompt_tokens, s.prompt_s), s.decode_s, s.decode_tokens, rate(s.decode_tokens, s.decode_s),
               threads, on.backend());
    if (on.device() != on.backend()) fmt::print(stderr, " ({})", utf8::printable(on.device()));
    fmt::print(stderr, "{}{}\n", on.note().empty() ? "" : "; ", utf8::printable(on.note()));
}

void print_json(const std::vector<u32_t>& prompt, const std::vector<u32_t>& ids, const std::string& text, const any_generation& g, double load_s, u32_t threads,
                const any_session& on) {
    const generation_stats& s = g.stats();
    const nlohmann::ordered_json out = {
        {"prompt_ids", prompt},
        {"ids", ids},
        {"text", text},
        {"finish", name_of(g.finish())},
        {"stats",
         {{"load_s", load_s},
          {"prompt_tokens", s.prompt_tokens},
          {"prompt_s", s.prompt_s},
          {"decode_tokens", s.decode_tokens},
          {"decode_s", s.decode_s},
          {"prompt_tokens_per_s", rate(s.prompt_tokens, s.prompt_s)},
          {"decode_tokens_per_s", rate(s.decode_tokens, s.decode_s)},
          {"threads", threads},
          {"backend", on.backend()},
          {"device", utf8::printable(on.device())},
          {"note", utf8::printable(on.note())}}},
    };
    stream(out.dump() + "\n");
}

/// All steps of a launch for a program that can zoom, the last one as a picture.
void write_trace(const std::string& path, const std::vector<trace_span>& spans) {
    if (!path.ends_with(".svg")) return write_text(path, chrome_trace(spans));
    u64_t begin = ~u64_t{0};
    u64_t last_step = 0;
    for (const trace_span& t : spans) {
        begin = std::min(begin, t.begin_ns);
        if (t.block == 0 && t.name == "qkv[0]") last_step = std::max(last_step, t.begin_ns);
    }
    write_text(path, timeline_svg(spans, {.title = "one step", .begin_ns = last_step > begin ? last_step - begin : 0}));
}

int run(const run_options& options) {
    const given_path outputs[] = {{"--logits", options.logits}, {"--trace", options.trace}};
    require_apart({"MODEL", options.model}, outputs);
    require_folders(outputs);
    const auto started = std::chrono::steady_clock::now();
    opened_model opened = open_model(options.model, {.storage = storages().at(options.dtype).of_host});
    std::optional<tokenizer> tokens;
    if (options.prompt_ids.empty() || !opened.tokenizer.empty()) {
        tokens.emplace(open_tokenizer(opened));
        if (tokens->size() > opened.contract.vocab)
            throw model_error(fmt::format("{}: the tokenizer has {} tokens, the model only {}", options.model, tokens->size(), opened.contract.vocab));
        opened.end_tokens.insert(opened.end_tokens.end(), tokens->eos().begin(), tokens->eos().end());
        std::sort(opened.end_tokens.begin(), opened.end_tokens.end());
    }
    const std::vector<u32_t> prompt = prompt_of(options, tokens);
    const bool progress = !options.json && ::isatty(STDERR_FILENO) != 0;
    const auto context = static_cast<u32_t>(std::min<u64_t>(opened.contract.context, prompt.size() + u64_t{options.generate.max_tokens}));
    any_session s(std::move(opened), {.backend = backends().at(options.backend),
                                      .context = context,
                                      .gpu_weights = storages().at(options.dtype).of_gpu,
                                      .cpu = {.workers = options.threads},
                                      .gpu = {.stream = {.trace = !options.trace.empty()}, .workers = options.threads},
                                      .progress = progress ? show_progress : load_progress{}});
    const double load_s = seconds_since(started);
    if (!options.trace.empty() && s.gpu() == nullptr)
        throw model_error("--trace shows what the multiprocessors of a GPU do, but the model runs on the CPU" + (s.note().empty() ? "" : "; " + s.note()));

    std::signal(SIGINT, on_interrupt);
    std::signal(SIGPIPE, SIG_IGN);
    generate_options generate = options.generate;
    generate.stop = &interrupted;
    any_generation g = s.generate(prompt, generate);
    std::vector<u32_t> ids;
    std::string text;
    std::optional<token_stream> out;
    if (tokens) out.emplace(*tokens, true);
    const auto say = [&](const std::string& piece) {
        text += piece;
        if (!options.json) stream(piece);
    };
    for (const u32_t id : g) {
        if (ids.empty() && !options.logits.empty()) {
            const u64_t shape[] = {s.logits().size()};
            write_npy(options.logits, shape, s.logits());
        }
        say(out ? out->push(id) : fmt::format("{}{}", ids.empty() ? "" : ",", id));
        ids.push_back(id);
    }
    if (out) say(out->finish());
    if (!options.json) stream("\n");
    if (!options.trace.empty()) {
        write_trace(options.trace, s.gpu()->trace());
    }
    if (options.json) print_json(prompt, ids, tokens ? text : "", g, load_s, options.threads, s);
    if (options.stats) print_stats(load_s, g.stats(), options.threads, s);
    if (output_error == EPIPE) return 128 + SIGPIPE;  // the reader had enough: no news
    if (output_error != 0) throw model_error(fmt::format("standard output cannot be written: {}", std::generic_category().message(output_error)));
    return g.finish() == finish_reason::stopped ? 128 + SIGINT : 0;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
    const auto options = std::make_shared<run_options>();
    CLI::App& command = *app.add_subcommand("run", "Decode a model from a prompt");
    auto& sampling = options->generate.sampling;
    command.add_option("MODEL", options->model, "A .gguf file, or a directory with config.json and *.safetensors")->required();
    auto* prompt = command.add_option("PROMPT", options->prompt, "What to say to the model; standard input when absent");
    command.add_option_function<std::string>("--prompt-ids", [options](const std::string& text) { options->prompt_ids = token_ids(text); }, "The prompt as token ids: 1,2,3")->excludes(prompt);
    command.add_flag("--raw", options->raw, "Take the prompt as it is, without the model's chat template");
    command.add_option("--max-tokens", options->generate.max_tokens, "Tokens to generate at the most")->check(CLI::Range(1U, 1U << 28))->capture_default_str();
    command.add_flag("--ignore-eos", options->generate.ignore_eos, "Go on after the end token");
    command.add_option("--temperature", sampling.temperature, "0 is greedy")->check(CLI::Range(0.0F, 100.0F))->capture_default_str();
    command.add_option("--top-k", sampling.top_k, "Sample among the k likeliest tokens; 0: among all")->capture_default_str();
    command.add_option("--top-p", sampling.top_p, "Sample among the likeliest tokens that hold this much probability")->check(CLI::Range(1e-6F, 1.0F))->capture_default_str();
    command.add_option("--seed", sampling.seed, "Of the sampling; the same seed gives the same text")->check(CLI::Validator(refuse_seed, "", ""))->capture_default_str();
    command.add_option("--threads", options->threads, "Worker threads")->check(CLI::Range(1U, max_cpu_workers))->capture_default_str();
    command.add_option("--dtype", options->dtype, "Keep weights as-stored, or convert them to f32, bf16 or f16; a GPU keeps as bf16 what is stored as neither bf16 nor f16")->check(CLI::IsMember({"as-stored", "f32", "bf16", "f16"}))->capture_default_str();
    command.add_option("--backend", options->backend, "cpu, cuda, or auto: cuda where there is a GPU that can run the model")->check(CLI::IsMember({"auto", "cpu", "cuda"}))->capture_default_str();
    command.add_option("--logits", options->logits, "Write the fp32 logits after the prompt to this .npy file");
    command.add_option("--trace", options->trace, "Write what a GPU's multiprocessors did in the last launch to this file: .svg, or .json for ui.perfetto.dev")->check(CLI::Validator(refuse_trace_file, "", ""));
    command.add_flag("--stats", options->stats, "Print times to standard error");
    command.add_flag("--json", options->json, "Print one JSON object instead of text");
    command.callback([options, &status] {
        if (const verdict v = check(options->generate.sampling); !v.ok()) throw CLI::ValidationError("--temperature, --top-p", sentence(v).d);  // NaN
        status = run(*options);
    });
}

}  // namespace netra::tool
