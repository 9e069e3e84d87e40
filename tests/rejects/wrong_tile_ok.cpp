// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.groups[group_load].accesses[0].range = netra::same_bytes(0, 64);  // no contract says what it reads
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
