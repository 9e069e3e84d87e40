// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A model that has a persistent kernel; each test breaks it in one place.
#pragma once

#include <netra/codegen/megakernel.hpp>

struct broken {
    unsigned rows = 1;
    unsigned intermediate = 96;
    netra::dtype weights = netra::dtype::bf16;
    netra::dtype cache = netra::dtype::bf16;
};
consteval netra::llama small_model(broken how) {
    return {.hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 16, .intermediate = how.intermediate, .vocab = 80, .context = 64, .rows = how.rows,
            .tied_head = true, .weights = how.weights, .kv = how.cache};
}
