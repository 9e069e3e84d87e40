// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/checks.hpp>

#include "support/catch.hpp"

using namespace netra;
using detail::checking;

namespace {
constexpr float not_a_number = __builtin_nanf("");
}

TEST_CASE("the first refusal is kept") {
    const verdict v = checking{"c"}
                          .size("a", 1)
                          .size("b", 0)
                          .size("d", 0)
                          .rows(99)
                          .heads(3, 2)
                          .multiple("e", 3, 2)
                          .equal("f", 1, 2)
                          .parameter("g", false)
                          .result;
    CHECK(v == refuse(reason::zero_size, "c", "b"));
}

TEST_CASE("sizes lie between 1 and their limit") {
    CHECK(checking{"c"}.size("a", 1).size("a", max_dimension).size("a", 5, 5).result.ok());
    CHECK(checking{"c"}.size("a", 6, 5).result == refuse(reason::too_large, "c", "a").with(label::value, 6).with(label::limit, 5));
    CHECK(checking{"c"}.size("a", max_dimension + 1).result.why == reason::too_large);
}

TEST_CASE("rows lie between 1 and 16") {
    CHECK(checking{"c"}.rows(1).rows(max_rows).result.ok());
    CHECK(checking{"c"}.rows(0).result.why == reason::zero_size);
    CHECK(checking{"c"}.rows(17).result == refuse(reason::too_many_rows, "c").with(label::rows, 17).with(label::limit, 16));
}

TEST_CASE("heads share kv heads evenly") {
    CHECK(checking{"c"}.heads(9, 3).heads(1, 1).result.ok());
    CHECK(checking{"c"}.heads(3, 9).result.why == reason::heads_not_divisible);
    CHECK(checking{"c"}.heads(9, 0).result.why == reason::zero_size);
    CHECK(checking{"c"}.heads(0, 1).result.why == reason::zero_size);
}

TEST_CASE("multiples, equalities and parameters") {
    CHECK(checking{"c"}.multiple("a", 64, 32).equal("b", 2, 2).parameter("p", true).result.ok());
    CHECK(checking{"c"}.multiple("a", 65, 32).result ==
          refuse(reason::not_a_multiple, "c", "a").with(label::value, 65).with(label::multiple, 32));
    CHECK(checking{"c"}.equal("b", 2, 3).result ==
          refuse(reason::shape_mismatch, "c", "b").with(label::actual, 2).with(label::expected, 3));
    CHECK(checking{"c"}.parameter("p", not_a_number > 0.0F).result == refuse(reason::bad_parameter, "c", "p"));
}

TEST_CASE("every weight format of the library is known, others are not") {
    for (const weight_format& f : {weight_format{f32}, weight_format{f16}, weight_format{bf16}, q8_0, q4_0, q4_1})
        CHECK(checking{"c"}.format("w", f, 64).result.ok());
    for (const dtype t : {f8e4m3, f8e5m2, i32, i8, i4, u4}) CHECK(checking{"c"}.format("w", t, 64).result.why == reason::unsupported_dtype);
    CHECK(checking{"c"}.format("w", q8_0, 65).result.why == reason::not_a_multiple);
    CHECK(checking{"c"}.format("w", bf16, 65).result.ok());
    weight_format odd = q4_1;
    odd.quant.scale = bf16;
    CHECK(checking{"c"}.format("w", odd, 64).result.why == reason::unsupported_quantization);
}

TEST_CASE("a nested verdict counts only while nothing was refused") {
    const verdict inner = refuse(reason::zero_size, "inner", "x");
    CHECK(checking{"c"}.nested({}).nested(inner).result == inner);
    CHECK(checking{"c"}.size("a", 0).nested(inner).result.subject == name{"c"});
}
