// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the instructions compute is judged on a GPU by tests/gpu/operations_test.cpp; here, that no instruction is missing or approximate.
#include <netra/codegen/ptx/math.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

template <class Write>
std::string written(Write write) {
    test::string_sink out;
    ptx::assembler as(out);
    write(as);
    return out.out;
}
usz lines(const std::string& text) {
    usz n = 0;
    for (const char c : text) n += c == '\n' ? 1U : 0U;
    return n;
}

}  // namespace

TEST_CASE("e^x has one approximate instruction and a correction of its argument") {
    const std::string text = written([](auto& as) { ptx::exp_of(as, as.f32()); });
    CHECK(lines(text) == 9);
    CHECK(text.find("approx") == text.rfind("approx"));
    CHECK(text.find("min.f32") < text.find("ex2.approx"));
    CHECK(text.find("fma.rn.f32") != std::string::npos);
}

TEST_CASE("quotients and erf round to nearest") {
    CHECK(written([](auto& as) { ptx::over_one_plus_exp(as, as.f32(), as.f32()); }).find("div.rn.f32") != std::string::npos);
    const std::string erf = written([](auto& as) { ptx::erf_of(as, as.f32()); });
    CHECK(erf.find("copysign.f32") != std::string::npos);
    CHECK(erf.find("rcp.rn.f32") != std::string::npos);
}
