// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A schedule made at run time, by the functions that make it at compile time.
#pragma once

#include <netra/engine/error.hpp>
#include <netra/schedule/check.hpp>
#include <netra/schedule/lower.hpp>

#include <vector>

namespace netra::inline v0 {

struct dynamic_schedule {
    std::vector<group> groups;
    std::vector<buffer> buffers;
    std::vector<operation> operations;
    u32_t counters = 0;
    u32_t queues = 1;
    u64_t arena_bytes = 0;
    device where{};
};

/// Lowers, plans and checks; throws model_error with the checker's sentence when it refuses.
/// note: a template, as the session's constructor that calls it is, so that a program without schedules made at run time does not compile it
template <class Schedule = dynamic_schedule>
Schedule lower_checked(const llama& m, const lower_config& config, const device& where = host_cpu()) {
    const auto require = [](const verdict& v) {
        if (!v.ok()) throw model_error(sentence(v).d);
    };
    require(check(m, config));
    Schedule s;
    lower(m, where, config, s);
    plan_memory(s);
    require(check_schedule(view(s)));
    return s;
}

}  // namespace netra::inline v0
