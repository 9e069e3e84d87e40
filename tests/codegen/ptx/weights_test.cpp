// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the instructions do together is judged on a GPU by tests/gpu/operations_test.cpp.
#include <netra/codegen/ptx/weights.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

std::string loaded(const weight_format& f, bool aligned) {
    return test::written([&](auto& as) { ptx::decode(as, f, ptx::load_raw(as, f, as.b64(), 0, aligned)); });
}

}  // namespace

TEST_CASE("eight elements are one or two wide loads, or single elements where rows are not aligned") {
    CHECK(test::occurrences(loaded(bf16, true), "v4.b32") == 1);
    CHECK(test::occurrences(loaded(f32, true), "v4.b32") == 2);
    CHECK(test::occurrences(loaded(f16, false), "ld.global.nc.b16") == 8);
    CHECK(test::occurrences(loaded(f32, false), "ld.global.nc.b32") == 8);
}

TEST_CASE("bf16 is the upper half of an fp32, f16 is converted") {
    CHECK(test::occurrences(loaded(bf16, true), "shl.b32") == 4);
    CHECK(test::occurrences(loaded(bf16, true), "4294901760") == 4);
    CHECK(test::occurrences(loaded(f16, true), "cvt.f32.f16") == 8);
}

TEST_CASE("a quantized weight is refused") {
    CHECK(ptx::check_plain("linear", bf16).ok());
    CHECK(std::string(sentence(ptx::check_plain("linear", q8_0)).d) == "linear: netra has no PTX kernel for quantized weights");
}
