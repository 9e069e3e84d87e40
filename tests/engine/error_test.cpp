// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/error.hpp>

#include "support/catch.hpp"

#include <string>
#include <type_traits>

using namespace netra;

static_assert(std::is_base_of_v<std::runtime_error, model_error>);
static_assert(std::is_nothrow_copy_constructible_v<model_error>);
static_assert(!std::is_convertible_v<const char*, model_error> && !std::is_default_constructible_v<model_error>);

TEST_CASE("a refusal keeps its sentence, also for those who catch any runtime error") {
    const std::string sentence = "model.gguf: key 'a' is 7, but 8 is expected; use another file";
    try {
        throw model_error(sentence);
    } catch (const std::runtime_error& e) {
        CHECK(e.what() == sentence);
        CHECK(dynamic_cast<const model_error*>(&e) != nullptr);
    }
}
