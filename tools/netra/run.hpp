// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// `netra run`: decodes a model from a prompt.
#pragma once

#include <CLI/CLI.hpp>

namespace netra::tool {

/// Adds the subcommand; its callback sets `status` to the exit status of a run that was interrupted.
void add_run(CLI::App& app, int& status);

}  // namespace netra::tool
