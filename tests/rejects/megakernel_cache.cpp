// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: no_kernel
// expect[g++]: no_kernel
// expect[g++]: a kv cache other than bf16
#include "small_model.hpp"

constexpr netra::llama model = small_model({.cache = netra::dtype::f32});
using decode = netra::megakernel<model, netra::h200>;
static_assert(netra::accepted<decode>);
