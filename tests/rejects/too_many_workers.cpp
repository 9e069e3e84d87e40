// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: too_many_workers
// expect: label::workers, 3
// expect: label::limit, 2
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    s.queues = 3;
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
