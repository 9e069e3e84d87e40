// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// That it gives the bits of an attention of one split is judged by attention_test.cpp.
#include <netra/codegen/ops/attention_combine.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {
constexpr attention contract{.rows = 2, .heads = 9, .kv_heads = 3, .head_dim = 64, .context = 2048, .kv = bf16, .splits = 4};
}

TEST_CASE("a warp merges 32 columns of a row and head, 32 chunks at a time") {
    CHECK(kernel_of(combine(contract)).launch() == kernel_launch{.blocks = 9, .threads = 128});
    const std::string text = test::module_text(kernel_of(combine(contract)), sm_80).text();
    CHECK(test::occurrences(text, "ex2") == 2);  // a lane's chunk
    CHECK(test::occurrences(text, "ld.global.f32") == 2 + 32);
}

TEST_CASE("attention and its combine are different kernels") {
    CHECK(std::string(identify(combine(contract)).d) != identify(contract).d);
    attention c = contract;
    c.chunk = 256;
    CHECK(std::string(identify(combine(c)).d) != identify(combine(contract)).d);
}

TEST_CASE("a window's first position is found only where there is one") {
    attention c = contract;
    const std::string all = test::module_text(kernel_of(combine(c)), sm_80).text();
    c.window = 100;
    CHECK(test::occurrences(test::module_text(kernel_of(combine(c)), sm_80).text(), "max.u32") == test::occurrences(all, "max.u32") + 1);
}

TEST_CASE("a combine is refused where its attention is") {
    attention c = contract;
    c.kv_heads = 2;
    CHECK(check_kernel(combine(c)).why == reason::heads_not_divisible);
}
