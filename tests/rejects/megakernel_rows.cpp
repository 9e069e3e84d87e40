// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: no_kernel
// expect[g++]: no_kernel
// expect[g++]: rows other than 1, 2, 4, 8, 16
#include "small_model.hpp"

constexpr netra::llama model = small_model({.rows = 3});
using decode = netra::megakernel<model, netra::h200>;
static_assert(netra::accepted<decode>);
