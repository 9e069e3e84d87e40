// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The price of building, placing and checking a schedule of 1002 task groups, 435,000 tiles.
#include "experts_schedule.hpp"

static_assert(netra::accepted<experts::planned<125>>);
