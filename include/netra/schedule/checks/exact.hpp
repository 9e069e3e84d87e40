// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The exact checker: accepts an expanded schedule iff it is safe, or names what is wrong and the tasks that show it.
#pragma once

#include <netra/schedule/checks/exact_deadlock.hpp>
#include <netra/schedule/checks/exact_memory.hpp>
#include <netra/schedule/checks/exact_structure.hpp>

namespace netra::inline v0 {

/// Safe means: every task runs; two tasks that touch the same bytes, one of them writing, are ordered in every interleaving; a task does
/// not write bytes that it also touches through another buffer; every byte read was last written through the buffer that it is read
/// through, or is held and was not written; every byte of an output ends up so too; nothing read-only is written; all is within bounds.
/// Memory grows with tasks, waits and accesses. Time does too where tasks wait for all signals of counters; elsewhere it grows with
/// tasks x queues as long as every task depends on those shortly before it.
constexpr exact_result check_exact(const expanded_view& v) {
    if (exact_result bad = check_exact_structure(v); !bad.ok()) return bad;
    detail::exact_run run(v);
    detail::scratch<u32_t> order(v.task_count);
    if (detail::run_all(run, order) != v.task_count) return detail::stuck_state(run).explain();
    detail::order_questions questions(run, order);
    return detail::exact_memory(run, order, questions).check();
}

}  // namespace netra::inline v0
