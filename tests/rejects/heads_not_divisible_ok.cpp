// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/ops/attention.hpp>
#include <netra/contracts/rejected.hpp>

constexpr netra::attention contract{.heads = 9, .kv_heads = 3, .head_dim = 64, .context = 2048};
static_assert(netra::accepted_contract<contract>);
