// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    netra::join(s.groups[group_store], {{0, 0, 1}, 4});  // the counter of load
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
