// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// `netra explain`: the contract of a model, and the schedule that would run it, in tables, as JSON or as a graph.
#pragma once

#include <CLI/CLI.hpp>

namespace netra::tool {

/// Adds the subcommand.
void add_explain(CLI::App& app);

}  // namespace netra::tool
