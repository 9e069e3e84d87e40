// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[0].range = netra::cut(16, 48, 16);
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
