// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: writes_read_only
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[0].write = true;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
