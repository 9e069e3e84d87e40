// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: queue_deadlock
// expect: label::queue, 1
// expect: label::tile, 0
// expect: label::other_tile, 1
// expect: label::counter, 1
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    const netra::group first = s.groups[group_gate];
    s.groups[1] = s.groups[group_store];
    s.groups[2] = first;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
