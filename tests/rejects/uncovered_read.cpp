// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: uncovered_read
// expect: label::tile, 3
// expect: label::first_byte, 48
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[1].range.high = 48;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
