// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].waits = {};
    s.groups[group_store].queue = s.groups[group_gate].queue;  // the order of their queue is enough
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
