// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: out_of_bounds
// expect: label::tile, 3
// expect: label::end_byte, 80
// expect: label::bytes, 64
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[0].range = netra::cut(16, 64, 16);
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
