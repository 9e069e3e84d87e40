// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_gate].waits[0].threshold = 4;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
