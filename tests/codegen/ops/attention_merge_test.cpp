// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// That it gives the bits of an attention of one split is judged by attention_test.cpp.
#include <netra/codegen/ops/attention_merge.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {
constexpr attention contract{.rows = 2, .heads = 9, .kv_heads = 3, .head_dim = 64, .context = 2048, .kv = bf16, .splits = 4};
}

TEST_CASE("a thread merges a column of a row and head") {
    CHECK(kernel_of(combine(contract)).launch() == kernel_launch{.blocks = 9, .threads = 128});
    CHECK(test::occurrences(test::module_text(kernel_of(combine(contract)), sm_80).text(), "ex2") == 2 * 21);  // loops of 16, 4 and 1 chunk
}

TEST_CASE("attention and its combine are different kernels") {
    CHECK(std::string(identify(combine(contract)).d) != identify(contract).d);
    attention c = contract;
    c.chunk = 256;
    CHECK(std::string(identify(combine(c)).d) != identify(combine(contract)).d);
}

TEST_CASE("a window's first position is found only where there is one") {
    attention c = contract;
    CHECK(test::module_text(kernel_of(combine(c)), sm_80).text().find("max.u32") == std::string::npos);
    c.window = 100;
    CHECK(test::module_text(kernel_of(combine(c)), sm_80).text().find("max.u32") != std::string::npos);
}

TEST_CASE("a combine is refused where its attention is") {
    attention c = contract;
    c.kv_heads = 2;
    CHECK(check_kernel(combine(c)).why == reason::heads_not_divisible);
}
