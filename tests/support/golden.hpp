// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The golden files, and how results are compared with them.
#pragma once

#include "support/synthetic_model.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace netra::test {

/// tests/golden/`name`; ctest names the source directory, otherwise it is the current one.
inline std::string golden_path(const std::string& name) {
    const char* source = std::getenv("NETRA_SOURCE_DIR");
    return std::string(source == nullptr ? "." : source) + "/tests/golden/" + name;
}

/// The models of tests/golden/models, by name.
inline std::vector<std::pair<std::string, synthetic_model>> golden_models() {
    std::vector<std::pair<std::string, synthetic_model>> models;
    for (const auto& entry : std::filesystem::directory_iterator(golden_path("models")))
        if (entry.path().extension() == ".json") models.emplace_back(entry.path().stem().string(), synthetic_model::read(entry.path().string()));
    std::sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return models;
}

}  // namespace netra::test
