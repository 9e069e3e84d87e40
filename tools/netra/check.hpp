// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// `netra check`: whether the schedules of a file are safe, and why not.
#pragma once

#include <CLI/CLI.hpp>

namespace netra::tool {

/// Adds the subcommand; it sets `status` to 0 when all are safe, 1 when one is refused, 2 when one cannot be read or its page not written.
void add_check(CLI::App& app, int& status);

}  // namespace netra::tool
