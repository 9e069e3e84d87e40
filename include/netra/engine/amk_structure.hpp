// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether the records of an `amk` schedule refer to each other as the format demands: ids, arity, parameters, counters, queues, pages.
#pragma once

#include <netra/engine/amk_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace netra::inline v0 {

inline constexpr usz most_amk_waits = 8;
inline constexpr usz most_amk_rank = 4;
inline constexpr u64_t most_amk_counter = 0xffff'ffff;  ///< counters have 32 bits
inline constexpr i64_t most_amk_queues = 65536;

namespace detail {

class amk_structure {
public:
    amk_structure(const amk_program& p, schedule_faults& faults) : p_(p), faults_(faults) {}

    void run() {
        ids(p_.buffers, "buffers");
        ids(p_.counters, "counters");
        ids(p_.tasks, "tasks");
        if (p_.has_pages) ids(p_.pages, "pages.pages");
        if (!faults_.empty()) return;  // what follows finds things by their ids
        for (usz i = 0; i < p_.buffers.size(); ++i) buffer(i);
        for (const amk_counter& c : p_.counters)
            if (!within(c.init, most_amk_counter))
                faults_.add("bad_counter", fmt::format("counter {} starts at {}; counters hold 0 to {}", c.id, c.init, most_amk_counter));
        for (usz i = 0; i < p_.tasks.size(); ++i) task(i);
        if (p_.has_pages) pages();
        if (faults_.empty()) on_chip();
    }

private:
    static bool within(i64_t v, u64_t most) { return v >= 0 && static_cast<u64_t>(v) <= most; }
    static bool below(i64_t v, usz count) { return v >= 0 && static_cast<u64_t>(v) < count; }

    template <class List>
    void ids(const List& list, const char* what) {
        for (usz i = 0; i < list.size(); ++i) {
            if (below(list[i].id, list.size()) && static_cast<usz>(list[i].id) == i) continue;
            faults_.add("bad_id",
                        fmt::format("{}[{}] has the id {}: ids must be 0, 1, 2, ... in the order of the list, because records refer to "
                                    "each other by their places; number them anew",
                                    what, i, list[i].id));
            return;  // the rest follows from the first
        }
    }
    void buffer(usz i) {
        const amk_buffer& b = p_.buffers[i];
        const auto bad = [&](const std::string& why) { faults_.add("bad_shape", fmt::format("{} {}", p_.name_of_buffer(i), why)); };
        if (b.shape.size() > most_amk_rank)
            return bad(fmt::format("has {} dimensions; the format has at most {}", b.shape.size(), most_amk_rank));
        constexpr u64_t most = u64_t{1} << 40;
        u64_t elements = 1;
        for (const i64_t d : b.shape) {
            if (d < 1 || static_cast<u64_t>(d) > most / elements)
                return bad(fmt::format("has a dimension of {}; sizes are at least 1, and a buffer has at most {} elements", d, most));
            elements *= static_cast<u64_t>(d);
        }
    }
    void task(usz i) {
        const amk_task& t = p_.tasks[i];
        const amk_operation& rule = amk_operations[static_cast<usz>(t.op)];
        const auto bad = [&](const char* reason, const std::string& why) { faults_.add(reason, p_.name_of_task(i) + " " + why); };
        if (!rule.has_kernel) bad("no_kernel", "cannot run: the device code of the format has no kernel for this operation");
        if (t.inputs.size() < rule.least_inputs || t.inputs.size() > rule.most_inputs)
            bad("arity", fmt::format("has {} inputs; its operation takes {} to {}", t.inputs.size(), rule.least_inputs, rule.most_inputs));
        if (t.outputs.size() != rule.outputs)
            bad("output_arity", fmt::format("has {} outputs; its operation has {}", t.outputs.size(), rule.outputs));
        for (const char* key : rule.required)
            if (key != nullptr && t.param(key) == nullptr) bad("missing_param", fmt::format("lacks the parameter {}", key));
        params(t, bad);
        for (const i64_t b : t.inputs)
            if (!below(b, p_.buffers.size())) bad("bad_input_ref", fmt::format("reads buffer {}; there are {}", b, p_.buffers.size()));
        for (const i64_t b : t.outputs) {
            if (!below(b, p_.buffers.size()))
                bad("bad_output_ref", fmt::format("writes buffer {}; there are {}", b, p_.buffers.size()));
            else if (const amk_buffer& out = p_.buffers[static_cast<usz>(b)]; out.read_only())
                bad("writes_read_only",
                    fmt::format("writes {}, which is read only ({})", p_.name_of_buffer(static_cast<usz>(b)), name_of(out.kind)));
        }
        if (!below(t.out_counter, p_.counters.size()))
            bad("bad_out_counter_ref", fmt::format("adds to counter {}; there are {}", t.out_counter, p_.counters.size()));
        if (t.waits.size() > most_amk_waits)
            bad("waits_over_cap", fmt::format("has {} waits; the format has at most {}", t.waits.size(), most_amk_waits));
        for (const amk_wait& w : t.waits) wait(w, bad);
        const i64_t queues = p_.num_sms.value_or(most_amk_queues);
        if (t.sm && (*t.sm < 0 || *t.sm >= queues || *t.sm >= most_amk_queues))
            bad("bad_queue", fmt::format("is to run on sm {}; the target has {}", *t.sm, queues));
    }
    template <class Bad>
    void wait(const amk_wait& w, const Bad& bad) {
        if (!below(w.counter, p_.counters.size()))
            return bad("bad_wait_counter_ref", fmt::format("waits for counter {}; there are {}", w.counter, p_.counters.size()));
        if (w.threshold < 1 || static_cast<u64_t>(w.threshold) > most_amk_counter)
            return bad("bad_threshold",
                       fmt::format("waits for counter {} >= {}; a threshold is 1 to {}", w.counter, w.threshold, most_amk_counter));
        if (const i64_t init = p_.counters[static_cast<usz>(w.counter)].init; init >= w.threshold)
            bad("wait_already_satisfied",
                fmt::format("waits for counter {} >= {}, but that counter starts at {}, so the wait holds nothing back", w.counter,
                            w.threshold, init));
    }
    template <class Bad>
    static void params(const amk_task& t, const Bad& bad) {
        constexpr i64_t least = -(i64_t{1} << 31);
        constexpr i64_t most = (i64_t{1} << 31) - 1;
        const auto shown = [](const nlohmann::json& v) {
            return v.is_structured() ? std::string(v.type_name()) : v.is_string() ? in_quotes(v.get_ref<const std::string&>()) : v.dump();
        };
        for (const char* key : amk_int_params) {
            const auto* v = t.param(key);
            if (v == nullptr) continue;
            const bool whole = v->is_number_integer() && !(v->is_number_unsigned() && v->get<u64_t>() > static_cast<u64_t>(most));
            if (!whole || v->get<i64_t>() < least || v->get<i64_t>() > most)
                bad("bad_parameter", fmt::format("has the parameter {} = {}; a whole number of 32 bits is expected", key, shown(*v)));
        }
        for (const char* key : amk_float_params) {
            const auto* v = t.param(key);
            if (v != nullptr && (!v->is_number() || !std::isfinite(v->get<double>())))
                bad("bad_parameter", fmt::format("has the parameter {} = {}; a finite number is expected", key, shown(*v)));
        }
        if (t.params == nullptr) return;
        for (const auto& [key, v] : t.params->items())
            if (v.is_string() && (v == "NaN" || v == "Infinity" || v == "-Infinity") && !known(key))
                bad("bad_parameter", fmt::format("has the parameter {} = {}; no parameter may be that", in_quotes(key), shown(v)));
    }
    static bool known(const std::string& key) {
        const auto has = [&](const auto& names) { return std::find(std::begin(names), std::end(names), key) != std::end(names); };
        return has(amk_int_params) || has(amk_float_params);
    }

    /// Buffers lie at the begin of their page; what outlives or precedes the step has its memory for itself.
    void pages() {
        std::vector<i64_t> page_of(p_.buffers.size(), -1);
        std::vector<i64_t> tenant(p_.pages.size(), -1);
        for (const auto& [b, page] : p_.page_of) {
            if (!below(b, p_.buffers.size())) {
                faults_.add("bad_page", fmt::format("pages.buffer_to_page names buffer {}; there are {}", b, p_.buffers.size()));
                continue;
            }
            const std::string who = p_.name_of_buffer(static_cast<usz>(b));
            const amk_buffer& buffer = p_.buffers[static_cast<usz>(b)];
            if (!below(page, p_.pages.size())) {
                faults_.add("bad_page", fmt::format("{} is to lie in page {}; there are {}", who, page, p_.pages.size()));
                continue;
            }
            if (page_of[static_cast<usz>(b)] >= 0) faults_.add("bad_page", fmt::format("{} is given a page twice", who));
            page_of[static_cast<usz>(b)] = page;
            const i64_t size = p_.pages[static_cast<usz>(page)].nbytes;
            if (!faults_.empty()) continue;
            if (size < 0 || static_cast<u64_t>(size) < buffer.bytes())
                faults_.add("page_too_small", fmt::format("{} has {} bytes, its page {} only {}", who, buffer.bytes(), page, size));
            i64_t& other = tenant[static_cast<usz>(page)];
            if (other >= 0 && (buffer.kind != amk_kind::activation || p_.buffers[static_cast<usz>(other)].kind != amk_kind::activation))
                faults_.add("shared_page", fmt::format("{} ({}) and {} ({}) share page {}; only activations can share one", who,
                                                       name_of(buffer.kind), p_.name_of_buffer(static_cast<usz>(other)),
                                                       name_of(p_.buffers[static_cast<usz>(other)].kind), page));
            other = b;
        }
        for (usz i = 0; i < p_.buffers.size(); ++i)
            if (p_.buffers[i].kind == amk_kind::activation && page_of[i] < 0)
                faults_.add("bad_page",
                            fmt::format("{} is an activation without a page, though the schedule has pages", p_.name_of_buffer(i)));
    }

    /// Counters order, but do not move data: memory of one sm is for the tasks of that sm.
    void on_chip() {
        std::vector<bool> local(p_.buffers.size());
        for (usz i = 0; i < local.size(); ++i) local[i] = on_chip(p_.buffers[i].space);
        for (const auto& [b, page] : p_.page_of)
            if (on_chip(p_.pages[static_cast<usz>(page)].space)) local[static_cast<usz>(b)] = true;
        std::vector<i64_t> user(p_.buffers.size(), -1);
        for (usz i = 0; i < p_.tasks.size(); ++i) {
            const amk_task& t = p_.tasks[i];
            if (!t.sm) continue;
            for (const auto* list : {&t.inputs, &t.outputs})
                for (const i64_t b : *list) {
                    i64_t& first = user[static_cast<usz>(b)];
                    if (!local[static_cast<usz>(b)]) continue;
                    if (first < 0) first = static_cast<i64_t>(i);
                    const usz f = static_cast<usz>(first);
                    if (*p_.tasks[f].sm != *t.sm)
                        return faults_.add(
                            "on_chip_across_queues",
                            fmt::format("{} lies in memory of one sm, but {} uses it on sm {} and {} on sm {}; place it in HBM",
                                        p_.name_of_buffer(static_cast<usz>(b)), p_.name_of_task(f), *p_.tasks[f].sm, p_.name_of_task(i),
                                        *t.sm));
                }
        }
    }
    static bool on_chip(amk_space s) { return s == amk_space::smem || s == amk_space::register_file; }

    const amk_program& p_;
    schedule_faults& faults_;
};

}  // namespace detail

/// Adds every fault to `faults`. What it lets pass may be followed by reference: ids are places, parameters have their types.
inline void check_amk_structure(const amk_program& p, schedule_faults& faults) { detail::amk_structure(p, faults).run(); }

}  // namespace netra::inline v0
