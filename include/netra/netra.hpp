// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Everything that needs no engine: contracts, schedules and the CPU backend.
#pragma once

#include <netra/backends/cpu.hpp>
#include <netra/contracts.hpp>
#include <netra/schedule.hpp>
