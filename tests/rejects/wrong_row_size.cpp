// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: wrong_row_size
// expect: label::operand, 0
// expect: label::actual, 48
// expect: label::expected, 64
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_gate].accesses[0].range.high = 48;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
