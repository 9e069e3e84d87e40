// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: tiles_overlap
// expect: label::tile, 0
// expect: label::first_byte, 16
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[1].range.size = 20;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
