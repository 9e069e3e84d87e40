// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The same schedule without the waits of one group is refused.
#include "experts_schedule.hpp"

static_assert(netra::checked_schedule<experts::damaged<125>>::verdict.why == netra::reason::data_race);
