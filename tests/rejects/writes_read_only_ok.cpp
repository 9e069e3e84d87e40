// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.buffers[buffer_x].kind = netra::buffer_kind::weight;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
