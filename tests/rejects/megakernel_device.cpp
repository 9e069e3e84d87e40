// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// expect: no_kernel
// expect[g++]: no_kernel
// expect[g++]: a device that does not run PTX
#include "small_model.hpp"

constexpr netra::llama model = small_model({});
using decode = netra::megakernel<model, netra::host_cpu(8)>;
static_assert(netra::accepted<decode>);
