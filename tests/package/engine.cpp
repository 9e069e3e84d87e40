// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The smallest user of netra::engine: a file that is no model is refused with a sentence.
#include <netra/engine/gguf.hpp>

#include <cstdio>

int main() {
    try {
        (void)netra::parse_gguf({}, "empty.gguf");
    } catch (const netra::model_error& e) {
        std::puts(e.what());
        return 0;
    }
    return 1;
}
