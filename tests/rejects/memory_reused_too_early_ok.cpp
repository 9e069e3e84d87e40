// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.buffers[buffer_h].arena = 64, s.buffers[buffer_t].arena = 0;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
