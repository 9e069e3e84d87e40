// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The table of reasons, and each reason of a contract in a whole sentence. Those of schedules are in tests/schedule/checks/.
#include <netra/contracts/reasons.hpp>

#include <netra/contracts/ops/attention.hpp>
#include <netra/contracts/ops/embedding.hpp>
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/ops/projection.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"

using namespace netra;

namespace {

std::string said(const verdict& v) { return sentence(v).d; }
constexpr linear good{.rows = 1, .out = 64, .in = 64, .weight = bf16};

}  // namespace

TEST_CASE("names are distinct, and sentences name only labels") {
    std::set<std::string> known{"subject", "object"};
    for (usz l = 0; l < label_count; ++l) CHECK(known.insert(name_of(static_cast<label>(l))).second);
    std::set<std::string> names;
    for (usz r = 0; r < reason_count; ++r) {
        CHECK(names.insert(name_of(static_cast<reason>(r))).second);
        const std::string text = sentence_of(static_cast<reason>(r));
        for (usz at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
            const usz end = text.find('}', at);
            REQUIRE(end != std::string::npos);
            CHECK(known.count(text.substr(at + 1, end - at - 1)) == 1);
        }
    }
}

TEST_CASE("zero_size") {
    CHECK(said(check(linear{.rows = 1, .out = 0, .in = 64, .weight = bf16})) ==
          "linear: out is 0; every size of a contract must be at least 1");
}

TEST_CASE("too_large") {
    CHECK(said(check(linear{.rows = 1, .out = 268435457, .in = 64, .weight = bf16})) ==
          "linear: out is 268435457, the most that is supported is 268435456");
}

TEST_CASE("not_a_multiple") {
    CHECK(said(check(linear{.rows = 1, .out = 64, .in = 100, .weight = q4_0})) ==
          "linear: in (elements of a weight row) is 100, which is not a multiple of 32");
}

TEST_CASE("shape_mismatch") {
    projection p{.after = epilogue::gate};
    p.parts.push_back(good);
    p.parts.push_back(good);
    REQUIRE(check(p).ok());
    p.parts[1].out = 96;
    const verdict v = check(p);
    CHECK(v.why == reason::shape_mismatch);
    CHECK(v[label::actual] == 96);
    CHECK(v[label::expected] == 64);
    CHECK(said(v).find("is 96, but it must be 64 to fit the rest of the contract") != std::string::npos);
}

TEST_CASE("unsupported_dtype") {
    linear c = good;
    c.weight = i32;
    CHECK(said(check(c)) == "linear: weight has an element type (32 bits) that this operation does not support");
}

TEST_CASE("unsupported_quantization") {
    linear c = good;
    c.weight = weight_format{u4, {quantization_scheme::grouped_scale, 64, f16, 8}};
    CHECK(said(check(c)) == "linear: weight has a quantization (groups of 64) that no format of netra describes");
}

TEST_CASE("bad_parameter") {
    const attention c{.heads = 4, .kv_heads = 2, .head_dim = 8, .context = 4, .scale = __builtin_nanf("")};
    CHECK(said(check(c)) == "attention: scale is outside its range or not a number");
}

TEST_CASE("heads_not_divisible") {
    const attention c{.heads = 9, .kv_heads = 2, .head_dim = 8, .context = 4};
    CHECK(said(check(c)) == "attention: 9 query heads cannot share 2 key-value heads evenly");
}

TEST_CASE("too_many_rows") {
    linear c = good;
    c.rows = 17;
    CHECK(said(check(c)) == "linear: 17 rows a step, the most that is supported is 16");
}
