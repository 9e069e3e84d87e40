// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: incomplete_output
// expect: label::first_byte, 32
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].accesses[1].range.high = 32;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
