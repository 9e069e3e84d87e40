// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: shared_counter
// expect: label::counter, 4
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].signal = {4, 0, 1};  // the last counter of gate, whose tiles store awaits one by one
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
