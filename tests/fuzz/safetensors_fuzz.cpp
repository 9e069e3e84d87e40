// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Any bytes as a safetensors file and as an index: read in full or refused.
#include <netra/engine/safetensors.hpp>

#include "support/damage.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto attempt = [](const auto& parse) {
        try {
            parse();
        } catch (const netra::model_error& e) {
            if (std::string_view(e.what()).substr(0, 4) != "fuzz") throw;
        }
    };
    attempt([&] { netra::test::read_all(netra::parse_safetensors(bytes, "fuzz.safetensors")); });
    attempt([&] {
        for (const auto& [name, file] : netra::parse_safetensors_index(bytes, "fuzz.json")) {
            if (file.find('/') != std::string::npos) throw std::logic_error("a path as the name of a shard");
        }
    });
    return 0;
}
