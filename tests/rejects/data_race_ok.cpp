// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[store].waits = {};
    s.groups[store].queue = s.groups[sum].queue;  // the order of their queue is enough
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
