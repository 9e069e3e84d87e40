// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Reads a schedule file in the public format `amk` into its records.
#pragma once

#include <netra/engine/amk_program.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

namespace detail {

/// Reads the records; what has a wrong type throws, a name that the format does not know is a fault.
class amk_reader {
public:
    amk_reader(const json_place& root, schedule_faults& faults) : root_(root), faults_(faults) {}

    amk_program read() {
        version("ir_version");
        version("abi_version");
        amk_program p;
        const auto buffers = root_["buffers"];
        for (usz i = 0; i < buffers.size(); ++i) p.buffers.push_back(buffer(buffers.at(i)));
        const auto counters = root_["counters"];
        for (usz i = 0; i < counters.size(); ++i) {
            const auto c = counters.at(i);
            p.counters.push_back({.id = c["id"].whole(), .init = c["init"].whole_or(0)});
        }
        const auto tasks = root_["tasks"];
        for (usz i = 0; i < tasks.size(); ++i) p.tasks.push_back(task(tasks.at(i)));
        if (const auto pages = root_["pages"]; !pages.missing()) read_pages(pages, p);
        if (const auto target = root_["target"]; !target.missing() && !target["num_sms"].missing()) p.num_sms = target["num_sms"].whole();
        if (const auto meta = root_["meta"]; meta.is_object())
            if (const auto pos = meta["pos"]; !pos.missing() && pos.raw()->is_number_integer()) p.pos = pos.whole();
        return p;
    }

private:
    void version(const char* key) {
        const auto at = root_[key];
        if (!at.missing() && at.text().substr(0, 2) != "0.") at.refuse("version 0 of the format is expected");
    }
    template <class Enum, usz N>
    Enum known(const json_place& at, const char* const (&names)[N]) {
        const std::string& name = at.text();
        std::string all;
        for (usz i = 0; i < N; ++i) {
            if (name == names[i]) return static_cast<Enum>(i);
            all += (i == 0 ? "" : ", ") + std::string(names[i]);
        }
        faults_.add("unknown_name", fmt::format("{} is {}, which the format does not know; it knows {}", at.path(), in_quotes(name), all));
        return Enum{};
    }
    std::vector<i64_t> numbers(const json_place& list) {
        std::vector<i64_t> out;
        for (usz i = 0; i < list.size(); ++i) out.push_back(list.at(i).whole());
        return out;
    }
    amk_buffer buffer(const json_place& at) {
        return {.id = at["id"].whole(),
                .name = at["name"].text(),
                .kind = known<amk_kind>(at["kind"], amk_kind_names),
                .dtype = known<amk_dtype>(at["dtype"], amk_dtype_names),
                .space = at["space"].missing() ? amk_space::hbm : known<amk_space>(at["space"], amk_space_names),
                .shape = numbers(at["shape"])};
    }
    amk_op operation(const json_place& at) {
        const std::string& name = at.text();
        for (usz i = 0; i < std::size(amk_operations); ++i)
            if (name == amk_operations[i].name) return static_cast<amk_op>(i);
        faults_.add(
            "unknown_operation",
            fmt::format("{} is {}, which is no operation of the format; its operations are NOP, COPY, ... FUSED (docs/schedule-format.md)",
                        at.path(), in_quotes(name)));
        return amk_op::nop;
    }
    amk_task task(const json_place& at) {
        amk_task t{.id = at["id"].whole(),
                   .op = operation(at["op"]),
                   .inputs = numbers(at["inputs"]),
                   .outputs = numbers(at["outputs"]),
                   .out_counter = at["out_counter"].whole(),
                   .label = at["label"].text_or("")};
        if (const auto waits = at["waits"]; !waits.missing())
            for (usz i = 0; i < waits.size(); ++i) {
                const auto w = waits.at(i);
                t.waits.push_back({.counter = w["counter"].whole(), .threshold = w["threshold"].whole()});
            }
        if (const auto params = at["params"]; !params.missing()) {
            if (!params.is_object()) params.refuse("an object is expected");
            t.params = params.raw();
        }
        if (const auto sm = at["sm"]; !sm.missing()) t.sm = sm.whole();
        return t;
    }
    void read_pages(const json_place& at, amk_program& p) {
        p.has_pages = true;
        const auto pages = at["pages"];
        for (usz i = 0; i < pages.size(); ++i) {
            const auto page = pages.at(i);
            p.pages.push_back({.id = page["id"].whole(),
                               .space = page["space"].missing() ? amk_space::hbm : known<amk_space>(page["space"], amk_space_names),
                               .nbytes = page["nbytes"].whole()});
        }
        const auto map = at["buffer_to_page"];
        if (!map.is_object()) map.refuse("an object from buffer ids to page ids is expected");
        for (const auto& [key, page] : map.raw()->items()) {
            const bool digits = !key.empty() && key.size() <= 18 && key.find_first_not_of("0123456789") == std::string::npos;
            if (!digits) map.refuse(fmt::format("its key {} is not the id of a buffer", in_quotes(key)));
            p.page_of.emplace_back(std::stoll(key), map[key.c_str()].whole());
        }
    }

    json_place root_;
    schedule_faults& faults_;
};

}  // namespace detail

/// Reads a program; `faults` gets the names in it that the format does not know. @pre `root`'s JSON outlives the result
inline amk_program read_amk(const detail::json_place& root, schedule_faults& faults) { return detail::amk_reader(root, faults).read(); }

}  // namespace netra::inline v0
