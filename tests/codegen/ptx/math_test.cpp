// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the instructions compute is judged on a GPU by tests/gpu/operations_test.cpp; here, that no instruction is missing or approximate.
#include <netra/codegen/ptx/math.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

TEST_CASE("e^x has one approximate instruction and a correction of its argument") {
    const std::string text = test::written([](auto& as) { ptx::exp_of(as, as.f32()); });
    CHECK(test::occurrences(text, "\n") == 9);
    CHECK(text.find("approx") == text.rfind("approx"));
    CHECK(text.find("min.f32") < text.find("ex2.approx"));
    CHECK(text.find("fma.rn.f32") != std::string::npos);
}

TEST_CASE("quotients and erf round to nearest") {
    CHECK(test::written([](auto& as) { ptx::over_one_plus_exp(as, as.f32(), as.f32()); }).find("div.rn.f32") != std::string::npos);
    const std::string erf = test::written([](auto& as) { ptx::erf_of(as, as.f32()); });
    CHECK(erf.find("copysign.f32") != std::string::npos);
    CHECK(erf.find("rcp.rn.f32") != std::string::npos);
}
