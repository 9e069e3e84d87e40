// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "small_model.hpp"

constexpr netra::llama model = small_model({.rows = 4, .weights = netra::dtype::f16});
using decode = netra::megakernel<model, netra::h200>;
static_assert(netra::accepted<decode>);
