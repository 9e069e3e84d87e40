// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Reads a schedule of any format that netra knows from JSON text and judges it: safe, or why not.
#pragma once

#include <netra/engine/amk_schedule.hpp>
#include <netra/engine/amk_shapes.hpp>
#include <netra/engine/netra_schedule.hpp>
#include <netra/engine/netra_tasks.hpp>
#include <netra/schedule/checks/exact.hpp>

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace netra::inline v0 {

/// Gets what was checked task by task, the verdict, and the tasks that show it; `groups` of a group schedule, otherwise null.
using schedule_viewer =
    std::function<void(const expanded_view& tasks, const verdict& found, const task_list& witness, const schedule_view* groups)>;

enum class schedule_format : u8_t { detect, netra, amk };

struct schedule_check_options {
    schedule_format format = schedule_format::detect;
    bool shapes = true;        ///< also judge shapes, element types and parameters of `amk` operations
    schedule_viewer viewer{};  ///< called at most once; not where the structure is refused, since then there are no tasks to look at
};

/// What is said of one schedule. It is safe when no checker found a fault.
struct schedule_report {
    std::string id;    ///< from the file, or empty
    std::string form;  ///< "amk", "netra groups" or "netra tasks"
    std::optional<usz> tasks{};   ///< none of a group schedule that was not written out
    std::optional<usz> queues{};  ///< none of an amk program whose structure was refused
    usz counters = 0;
    usz buffers = 0;
    schedule_faults faults{};
    std::string group_verdict{};  ///< of a group schedule: "accepted", or the reason of the group checker and its sentence
    std::string exact_verdict{};  ///< the same of the exact checker; empty when it had nothing to look at

    bool safe() const { return faults.empty(); }
};

namespace detail {

/// Tasks beyond which the exact checker is not asked.
inline constexpr usz most_checked_tasks = usz{1} << 20;

inline schedule_format format_of(const json_place& root) {
    if (!root["netra_schedule"].missing()) return schedule_format::netra;
    if (!root["tasks"].missing()) return schedule_format::amk;
    throw model_error(root.file() +
                      ": neither a schedule of netra (key 'netra_schedule') nor one of amk (keys 'buffers', 'counters', 'tasks'); "
                      "docs/schedule-format.md describes both");
}

/// The sentence, and the tasks that show it where the sentence cannot name them all. Where tasks have no tiles, neither has the sentence.
inline std::string sentence_of(const exact_result& r, const expanded_view& v, bool tiles) {
    constexpr usz most = 12;
    constexpr std::string_view only_tile = " tile 0";
    std::string out = sentence(r.found).d;
    for (usz at = 0; !tiles && (at = out.find(only_tile, at)) != std::string::npos;) {
        const usz end = at + only_tile.size();
        if (end == out.size() || out[end] == ' ' || out[end] == ',' || out[end] == ':')
            out.erase(at, only_tile.size());
        else
            at = end;
    }
    if (r.tasks.size() < 3) return out;
    out += "; each waits for the next, the last for the first:";
    for (usz i = 0; i < r.tasks.size() && i < most; ++i) out += fmt::format("{} {}", i == 0 ? "" : ",", v.tasks[r.tasks[i]].name.d);
    if (r.tasks.size() > most) out += fmt::format(" and {} more", r.tasks.size() - most);
    return out;
}

/// `groups` and what was found about them, where there are any.
inline void judge(const expanded_view& v, const std::string& file, const schedule_check_options& options, schedule_report& report,
                  const schedule_view* groups = nullptr, const verdict& of_groups = {}) {
    report.tasks = v.task_count, report.queues = v.queues, report.counters = v.counter_count, report.buffers = v.buffer_count;
    if (v.task_count > most_checked_tasks)
        throw model_error(
            fmt::format("{}: {} tasks; at most {} are checked one by one, use larger tiles", file, v.task_count, most_checked_tasks));
    if (v.task_count == 0) return report.faults.add(refuse(reason::zero_size, "schedule", "tasks"));
    const exact_result r = check_exact(v);
    const std::string said = sentence_of(r, v, groups != nullptr);
    report.exact_verdict = schedule_faults::line(name_of(r.found.why), said);
    if (!r.ok()) report.faults.add(name_of(r.found.why), said);
    if (options.viewer && check_exact_structure(v).ok()) options.viewer(v, r.ok() ? of_groups : r.found, r.tasks, groups);
}

inline void check_amk(const json_place& root, const schedule_check_options& options, schedule_report& report) {
    report.form = "amk";
    const amk_program p = read_amk(root, report.faults);
    report.tasks = p.tasks.size(), report.counters = p.counters.size(), report.buffers = p.buffers.size();
    if (report.safe()) check_amk_structure(p, report.faults);
    if (!report.safe()) return;
    const task_schedule s = expand_amk(p, report.faults);
    report.queues = s.queues;
    if (report.safe() && options.shapes) check_amk_shapes(p, report.faults);
    if (report.safe()) judge(s.view(), root.file(), options, report);
}

inline void check_groups(const json_place& root, const schedule_check_options& options, schedule_report& report) {
    report.form = "netra groups";
    const dynamic_schedule s = schedule_from_json(root);
    const schedule_view v = view(s);
    report.queues = v.queues, report.counters = v.counters, report.buffers = v.buffer_count;
    require_checkable(v, root.file());
    const verdict structure = check_structure(v);
    if (structure.ok()) require_expandable(v, root.file());
    const verdict found = structure.ok() ? check_schedule(v) : structure;
    report.group_verdict = schedule_faults::line(name_of(found.why), sentence(found).d);
    if (structure.ok()) judge(expanded_schedule(v).view(), root.file(), options, report, &v, found);
    if (!found.ok() && report.safe()) report.faults.add(found);
}

}  // namespace detail

/// `text` is one JSON object: a schedule, or an object with a schedule as its `schedule` and perhaps an `id`. What cannot be read throws
/// model_error; `file` is its name in messages.
inline schedule_report check_schedule_text(std::string_view text, const std::string& file, const schedule_check_options& options = {}) {
    const nlohmann::json json = detail::parse_schedule_json(text, file);
    detail::json_place root(json, file);
    schedule_report report;
    if (const auto inner = root["schedule"]; inner.is_object()) {
        const auto id = root["id"];
        if (!id.missing()) report.id = id.raw()->is_string() ? id.text() : std::to_string(id.whole());
        root = inner;
    }
    const schedule_format format = options.format == schedule_format::detect ? detail::format_of(root) : options.format;
    if (format == schedule_format::amk) {
        detail::check_amk(root, options, report);
    } else if (!root["groups"].missing()) {
        detail::check_groups(root, options, report);
    } else {
        report.form = "netra tasks";
        const task_schedule s = task_schedule_from_json(root);
        detail::judge(s.view(), file, options, report);
    }
    return report;
}

}  // namespace netra::inline v0
