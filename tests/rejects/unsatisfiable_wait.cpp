// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: unsatisfiable_wait
// expect: label::counter, 0
// expect: label::threshold, 5
// expect: label::signals, 4
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_gate].waits[0].threshold = 5;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
