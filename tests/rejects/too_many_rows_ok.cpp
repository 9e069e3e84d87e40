// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::linear q_proj{.rows = 16, .out = 576, .in = 576, .weight = netra::bf16};
static_assert(netra::accepted_contract<q_proj>);
