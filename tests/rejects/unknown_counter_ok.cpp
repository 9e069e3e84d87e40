// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].signal.first = 6, s.counters = 10;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
