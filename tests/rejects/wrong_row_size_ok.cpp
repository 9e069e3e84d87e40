// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.operations[1].gate.width = 16;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
