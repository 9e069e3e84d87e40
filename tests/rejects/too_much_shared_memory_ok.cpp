// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.where.shared_bytes = 49152;
    s.groups[group_gate].shared_bytes = 49152;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
