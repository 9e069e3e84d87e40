// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    const netra::group second = s.groups[group_store];
    s.groups[1] = s.groups[group_gate];
    s.groups[2] = second;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
