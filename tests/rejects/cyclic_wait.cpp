// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: cyclic_wait
// expect: label::counter, 5
#include "tiny_schedule.hpp"

constexpr auto schedule = [] {
    auto s = tiny();
    netra::join(s.groups[group_load], {{5, 1, 1}, 4});  // the counters of store
    return s;
}();
static_assert(netra::accepted<checked<schedule>>);
