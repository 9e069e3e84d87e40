// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: unsupported_dtype
// expect: label::bits, 8
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::linear contract{.rows = 1, .out = 576, .in = 576, .weight = netra::dtype::i8};
static_assert(netra::accepted_contract<contract>);
