// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What the instructions do together is judged on a GPU by tests/gpu/operations_test.cpp.
#include <netra/codegen/ptx/warp.hpp>
#include <netra/detail/text.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

TEST_CASE("repeat loops only where there is something to repeat") {
    const auto body = [](u32_t times) {
        return test::written([&](auto& as) { ptx::repeat(as, times, [&] { as(ptx::op::ret); }); });
    };
    CHECK(body(0).empty());
    CHECK(body(1) == "\tret;\n");
    CHECK(body(7).find("mov.u32 %r0, 7;\n$L0:\n\tret;\n\tsub.u32 %r0, %r0, 1;") != std::string::npos);
}

TEST_CASE("the rest asks for each of a lane's eight terms, and is empty where nothing is left") {
    const auto rest = [](u32_t n) {
        return test::written([&](auto& as) { ptx::for_rest(as, as.b32(), n, [&](u32_t) { as(ptx::op::ret); }); });
    };
    CHECK(rest(0).empty());
    CHECK(test::occurrences(rest(5), "ret;") == 8);
    CHECK(test::occurrences(rest(5), "setp.ge.u32") == 8);
}

TEST_CASE("partial sums meet in halves: 16 lanes apart first, the lane's own last") {
    const std::string text = test::written([](auto& as) { ptx::add_partial_sums(as, ptx::zeros(as)); });
    CHECK(test::occurrences(text, "shfl.sync.down.b32") == 5 * 8);
    CHECK(test::occurrences(text, "add.rn.f32") == 5 * 8 + 7);
    CHECK(text.find(", 16, 31, -1") < text.find(", 8, 31, -1"));
    CHECK(text.find("add.rn.f32 %f0, %f0, %f4;") < text.find("add.rn.f32 %f0, %f0, %f1;"));
}

TEST_CASE("terms are loaded 16 bytes at a time only where they are aligned") {
    CHECK(test::occurrences(test::written([](auto& as) { ptx::load_terms(as, as.b64(), 32, true); }), "ld.global.v4.f32") == 2);
    CHECK(test::occurrences(test::written([](auto& as) { ptx::load_terms(as, as.b64(), 32, false); }), "ld.global.f32") == 8);
}
