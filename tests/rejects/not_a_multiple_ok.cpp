// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::linear contract{.rows = 1, .out = 580, .in = 576, .weight = netra::q4_1};
static_assert(netra::accepted_contract<contract>);
