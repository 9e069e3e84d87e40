// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What ran when: time stamps of tasks, and the trace that chrome://tracing and ui.perfetto.dev open.
/// Source: "Trace Event Format", complete and metadata events.
#pragma once

#include <netra/engine/error.hpp>
#include <netra/engine/utf8.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace netra::inline v0 {

/// One stretch of time of one role of one block (a worker of the CPU, a multiprocessor of a GPU); all clocks of a trace agree.
struct trace_span {
    u32_t block = 0;
    std::string role{};  ///< as "consumer"; empty when blocks have no roles
    std::string name{};  ///< of the task, as "o_proj[3]": what stands before the bracket is its group
    u64_t begin_ns = 0;
    u64_t end_ns = 0;
};

namespace detail {

/// "o_proj" of "o_proj[3]".
inline std::string group_of(const trace_span& s) { return s.name.substr(0, s.name.find('[')); }

/// The first and the last time of a trace; refuses a span that ends before it begins.
struct trace_bounds {
    u64_t begin_ns = 0;
    u64_t end_ns = 0;

    explicit trace_bounds(std::span<const trace_span> spans) {
        for (usz i = 0; i < spans.size(); ++i) {
            const trace_span& s = spans[i];
            if (s.end_ns < s.begin_ns)
                throw model_error(fmt::format("trace: span {} ({} on block {}) ends at {} ns, before its begin at {} ns", i,
                                              utf8::printable(s.name), s.block, s.end_ns, s.begin_ns));
            begin_ns = i == 0 ? s.begin_ns : std::min(begin_ns, s.begin_ns);
            end_ns = std::max(end_ns, s.end_ns);
        }
    }
};

/// Values in the order in which they were first asked for.
class numbered {
public:
    usz operator()(const std::string& value) {
        const auto [at, added] = index_.try_emplace(value, values_.size());
        if (added) values_.push_back(value);
        return at->second;
    }
    const std::vector<std::string>& values() const { return values_; }

private:
    std::map<std::string, usz> index_;
    std::vector<std::string> values_;
};

}  // namespace detail

/// JSON text: a process for each block, a thread for each of its roles, times from the first span on.
inline std::string chrome_trace(std::span<const trace_span> spans) {
    const detail::trace_bounds bounds(spans);
    nlohmann::ordered_json events = nlohmann::ordered_json::array();
    detail::numbered roles;
    for (const trace_span& s : spans) roles(s.role);
    const auto describe = [&](const char* what, u32_t block, usz role, nlohmann::ordered_json arguments) {
        events.push_back({{"name", what}, {"ph", "M"}, {"pid", block}, {"tid", role}, {"args", std::move(arguments)}});
    };
    std::map<u32_t, std::vector<bool>> seen;
    for (const trace_span& s : spans) {
        auto& of_block = seen[s.block];
        of_block.resize(roles.values().size());
        of_block[roles(s.role)] = true;
    }
    for (const auto& [block, of_block] : seen) {
        describe("process_name", block, 0, {{"name", fmt::format("block {}", block)}});
        describe("process_sort_index", block, 0, {{"sort_index", block}});
        for (usz r = 0; r < of_block.size(); ++r)
            if (of_block[r]) describe("thread_name", block, r, {{"name", roles.values()[r].empty() ? "tasks" : roles.values()[r]}});
    }
    const auto microseconds = [](u64_t ns) { return static_cast<double>(ns) / 1000.0; };
    for (const trace_span& s : spans)
        events.push_back({{"name", s.name},
                          {"cat", detail::group_of(s)},
                          {"ph", "X"},
                          {"ts", microseconds(s.begin_ns - bounds.begin_ns)},
                          {"dur", microseconds(s.end_ns - s.begin_ns)},
                          {"pid", s.block},
                          {"tid", roles(s.role)}});
    const nlohmann::ordered_json all = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
    return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace netra::inline v0
