// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[0].range.size = 20;  // tiles may read the same bytes
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
