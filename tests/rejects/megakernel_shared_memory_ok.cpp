// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include "small_model.hpp"

constexpr netra::llama model = small_model({.rows = 1, .intermediate = 40000});
using decode = netra::megakernel<model, netra::l4>;
static_assert(netra::accepted<decode>);
