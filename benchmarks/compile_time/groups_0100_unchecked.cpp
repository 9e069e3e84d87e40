// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What groups_0100.cpp costs without placing and checking: starting the compiler, reading headers, building the schedule's value.
#include "experts_schedule.hpp"

static_assert(experts::made<12>.groups.size() == 98);
