// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// `netra conformance`: whether this machine's GPU computes what the CPU backend does, and the same bits every time.
#pragma once

#include <CLI/CLI.hpp>

namespace netra::tool {

/// Adds the subcommand; it sets `status` to 0 when every check passed, 1 when one failed, 77 when there is no GPU to check.
void add_conformance(CLI::App& app, int& status);

}  // namespace netra::tool
