// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Any bytes as a GGUF file: read in full or refused.
#include <netra/engine/gguf.hpp>

#include "support/damage.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const netra::gguf_file file = netra::parse_gguf(std::as_bytes(std::span(data, size)), "fuzz.gguf");
        netra::test::read_all(file.metadata);
        netra::test::read_all(file.weights.tensors());
    } catch (const netra::model_error& e) {
        if (std::string_view(e.what()).substr(0, 9) != "fuzz.gguf") throw;
    }
    return 0;
}
