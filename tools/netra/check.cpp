// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "check.hpp"

#include "output_files.hpp"
#include "text_file.hpp"

#include <netra/engine/mapped_file.hpp>
#include <netra/engine/schedule_check.hpp>
#include <netra/engine/string_sink.hpp>
#include <netra/engine/utf8.hpp>
#include <netra/schedule/export_html.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

namespace netra::tool {
namespace {

constexpr int accepted = 0;
constexpr int refused = 1;
constexpr int not_done = 2;  ///< a schedule cannot be read, or what is asked for not be written

struct check_options {
    std::string file;
    schedule_check_options how{};
    std::string format;
    std::string html;
    bool json = false;
};

std::string page_of(const check_options& options, const expanded_view& tasks, const verdict& found, const task_list& witness,
                    const schedule_view* groups) {
    if (tasks.task_count > most_shown_tasks)
        throw model_error(fmt::format("{}: {} tasks, the most that a page shows is {}", options.file, tasks.task_count, most_shown_tasks));
    const std::string title = std::filesystem::path(options.file).filename().string();
    return written([&](auto& out) {
        write_html(out, tasks,
                   {.title = title.c_str(), .found = found, .witness = witness.begin(), .witness_count = witness.size(), .groups = groups});
    });
}

std::string text_of(const nlohmann::ordered_json& line) { return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

nlohmann::ordered_json reasons_of(const schedule_report& r) {
    auto reasons = nlohmann::ordered_json::array();
    for (const auto& f : r.faults.list()) reasons.push_back(f.reason + ": " + f.sentence);
    if (r.faults.left_out() != 0) reasons.push_back(fmt::format("and {} more", r.faults.left_out()));
    return reasons;
}

nlohmann::ordered_json unreadable_line(const std::string& id, const std::string& why) {
    return {{"id", id}, {"safe", false}, {"reasons", {"unreadable: " + why}}};
}

/// The report, or nothing when the text cannot be read; then `why` says so.
std::unique_ptr<schedule_report> check_text(std::string_view text, const std::string& file, const check_options& options,
                                            std::string& why) {
    try {
        return std::make_unique<schedule_report>(check_schedule_text(text, file, options.how));
    } catch (const model_error& e) {
        why = e.what();
    } catch (const std::bad_alloc&) {
        why = file + ": out of memory; check it on a machine with more";
    }
    return nullptr;
}

/// One line of output for each line of the file.
int check_lines(std::string_view text, const check_options& options) {
    usz line = 0;
    usz counts[3] = {};
    while (!text.empty()) {
        const usz end = std::min(text.find('\n'), text.size());
        const std::string_view whole = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (whole.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const std::string where = fmt::format("{}:{}", options.file, line);
        std::string why;
        const auto report = check_text(whole, where, options, why);
        ++counts[report == nullptr ? not_done : report->safe() ? accepted : refused];
        if (report == nullptr)
            fmt::print("{}\n", text_of(unreadable_line(fmt::format("line {}", line), why)));
        else
            fmt::print("{}\n", text_of({{"id", report->id.empty() ? fmt::format("line {}", line) : report->id},
                                        {"safe", report->safe()},
                                        {"reasons", reasons_of(*report)}}));
    }
    if (counts[accepted] + counts[refused] + counts[not_done] == 0)
        throw model_error(options.file + ": no schedule in it; write one on every line");
    fmt::print(stderr, "netra check: {} schedules: {} accepted, {} refused, {} unreadable\n", counts[0] + counts[1] + counts[2],
               counts[accepted], counts[refused], counts[not_done]);
    return counts[not_done] != 0 ? not_done : counts[refused] != 0 ? refused : accepted;
}

void print_report(const schedule_report& r) {
    fmt::print("{}\n", r.safe() ? "accepted" : "refused");
    const auto known = [](std::optional<usz> count, const char* what) { return count ? fmt::format("{} {}, ", *count, what) : ""; };
    fmt::print("  {}: {}{}{} counters, {} buffers\n", r.form, known(r.tasks, "tasks"), known(r.queues, "queues"), r.counters, r.buffers);
    if (!r.group_verdict.empty()) fmt::print("  group checker: {}\n", utf8::printable(r.group_verdict));
    if (!r.group_verdict.empty() && !r.exact_verdict.empty()) fmt::print("  exact checker: {}\n", utf8::printable(r.exact_verdict));
    if (!r.group_verdict.empty()) return;
    for (const auto& f : r.faults.list()) fmt::print("  {}: {}\n", f.reason, utf8::printable(f.sentence));
    if (r.faults.left_out() != 0) fmt::print("  and {} more\n", r.faults.left_out());
}

int check_one(std::string_view text, const check_options& options) {
    std::string why;
    const auto report = check_text(text, options.file, options, why);
    if (report == nullptr) {
        if (options.json) fmt::print("{}\n", text_of(unreadable_line(options.file, why)));
        fmt::print(stderr, "netra check: {}\n", utf8::printable(why));
        return not_done;
    }
    if (!options.json) {
        print_report(*report);
    } else {
        nlohmann::ordered_json out{{"id", report->id.empty() ? options.file : report->id},
                                   {"safe", report->safe()},
                                   {"reasons", reasons_of(*report)},
                                   {"format", report->form}};
        if (report->tasks) out["tasks"] = *report->tasks;
        if (report->queues) out["queues"] = *report->queues;
        out["counters"] = report->counters;
        out["buffers"] = report->buffers;
        if (!report->group_verdict.empty()) out["group_checker"] = report->group_verdict;
        if (!report->exact_verdict.empty()) out["exact_checker"] = report->exact_verdict;
        fmt::print("{}\n", text_of(out));
    }
    return report->safe() ? accepted : refused;
}

int check(check_options options) {
    const given_path outputs[] = {{"--html", options.html}};
    require_apart({"FILE", options.file}, outputs);
    bool shown = false;
    std::string not_shown;
    if (!options.html.empty())
        options.how.viewer = [&](const expanded_view& tasks, const verdict& found, const task_list& witness, const schedule_view* groups) {
            shown = true;
            try {
                write_text(options.html, page_of(options, tasks, found, witness, groups));
            } catch (const model_error& e) {
                not_shown = e.what();
            } catch (const std::bad_alloc&) {
                not_shown = options.html + ": out of memory; draw it on a machine with more";
            }
        };
    try {
        if (!options.html.empty() && options.file.ends_with(".jsonl"))
            throw model_error(options.file + ": --html shows one schedule; put it into a .json file of its own");
        const mapped_file file(options.file);
        const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());  // NOLINT: bytes are characters
        if (text.substr(0, 2) == "\x1f\x8b") throw model_error(options.file + ": is compressed; unpack it with gunzip first");
        int status = options.file.ends_with(".jsonl") ? check_lines(text, options) : check_one(text, options);
        if (status != not_done && !options.html.empty() && !shown)
            fmt::print(stderr, "netra check: {} was not written: no task can be drawn before the structure of the schedule is mended\n",
                       options.html);
        if (!not_shown.empty()) {
            fmt::print(stderr, "netra check: {}\n", utf8::printable(not_shown));
            status = not_done;
        }
        if (std::fflush(stdout) == 0) return status;
        throw model_error("standard output cannot be written; is the disk full?");
    } catch (const model_error& e) {
        fmt::print(stderr, "netra check: {}\n", utf8::printable(e.what()));
    } catch (const std::system_error&) {  // from fmt
        std::fputs("netra check: standard output cannot be written; is the disk full?\n", stderr);
    }
    return not_done;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
    const auto options = std::make_shared<check_options>();
    CLI::App& command = *app.add_subcommand("check", "Say whether a schedule is safe, and why not");
    command
        .add_option("FILE", options->file,
                    "A schedule as JSON, or a .jsonl file with one on every line; docs/schedule-format.md describes the formats")
        ->required();
    command.add_option("--format", options->format, "netra or amk; by default a file with the key netra_schedule is netra's")
        ->check(CLI::IsMember({"netra", "amk"}));
    command.add_option("--html", options->html, "Write the schedule as one HTML page to this file, what is refused in red");
    command.add_flag("--json", options->json, "Print one JSON object instead of text (a .jsonl file always gives one on every line)");
    command.add_flag("--no-shapes{false}", options->how.shapes,
                     "Of amk schedules judge structure, deadlock and races only, not shapes and element types");
    command.callback([options, &status] {
        if (!options->format.empty()) options->how.format = options->format == "amk" ? schedule_format::amk : schedule_format::netra;
        status = check(*options);
    });
}

}  // namespace netra::tool
