// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: too_large
// expect: label::limit, 101376
#include "small_model.hpp"

constexpr netra::llama model = small_model({.rows = 16, .intermediate = 40000});
using decode = netra::megakernel<model, netra::l4>;
static_assert(netra::accepted<decode>);
