// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: not_a_multiple
// expect: label::value, 580
// expect: label::multiple, 32
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::linear contract{.rows = 1, .out = 576, .in = 580, .weight = netra::q4_1};
static_assert(netra::accepted_contract<contract>);
