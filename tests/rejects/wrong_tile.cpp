// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: wrong_tile
// expect: label::tile, 0
// expect: label::operand, 1
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_gate].accesses[1].range = netra::same_bytes(0, 64);
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
