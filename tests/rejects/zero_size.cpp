// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: zero_size
#include <netra/contracts/ops/rms_norm.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::rms_norm contract{.rows = 1, .width = 0};
static_assert(netra::accepted_contract<contract>);
