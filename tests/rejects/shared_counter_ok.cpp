// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].signal = {4, 0, 1};
    s.groups[group_store].waits[0] = {{1, 0, 1}, 4, 1};  // all of gate is done before store signals its counter again
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
