// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_store].accesses[1].range = netra::cut_part(0, 64, 16);
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
