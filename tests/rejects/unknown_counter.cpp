// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: unknown_counter
// expect: label::counter, 9
// expect: label::limit, 9
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].signal.first = 6;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
