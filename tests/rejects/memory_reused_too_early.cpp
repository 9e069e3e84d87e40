// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: memory_reused_too_early
// expect: label::first_byte, 32
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.buffers[buffer_t].arena = 32;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
