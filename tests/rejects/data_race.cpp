// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: data_race
// expect: label::tile, 0
// expect: label::other_tile, 0
// expect: label::first_byte, 0
// expect: label::end_byte, 16
// expect: label::buffer, 2
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].waits = {};
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
