// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Checks that something is refused with a netra::model_error, and what the error says.
#pragma once

#include <netra/engine/error.hpp>

#include "support/catch.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace netra::test {

template <class Attempt>
void check_refused(Attempt attempt, std::initializer_list<std::string_view> parts) {
    std::string message;
    bool refused = false;
    try {
        attempt();
    } catch (const model_error& e) {
        refused = true;
        message = e.what();
    }
    CHECK(refused);
    for (const std::string_view part : parts) {
        INFO("expected: " << part << "\nsaid: " << message);
        CHECK(message.find(part) != std::string::npos);
    }
}

}  // namespace netra::test
