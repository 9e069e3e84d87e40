// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ptx/operand.hpp>
#include <netra/detail/text.hpp>

#include <string>

#include "support/catch.hpp"

using namespace netra;

namespace {

template <class Operand>
std::string spelled(const Operand& o) {
    text<120> out;
    ptx::write(out, o);
    count_sink counted;
    ptx::write(counted, o);
    CHECK(counted.n == out.size());
    return out.d;
}

}  // namespace

TEST_CASE("registers are named by class") {
    CHECK(spelled(ptx::reg{ptx::register_class::predicate, 3}) == "%p3");
    CHECK(spelled(ptx::reg{ptx::register_class::b16, 0}) == "%h0");
    CHECK(spelled(ptx::reg{ptx::register_class::b32, 12}) == "%r12");
    CHECK(spelled(ptx::reg{ptx::register_class::b64, 7}) == "%d7");
    CHECK(spelled(ptx::reg{ptx::register_class::f32, 1}) == "%f1");
}

TEST_CASE("numbers keep their sign, floats their bits") {
    CHECK(spelled(42U) == "42");
    CHECK(spelled(-7) == "-7");
    CHECK(spelled(i64_t{-9223372036854775807LL - 1}) == "-9223372036854775808");
    CHECK(spelled(~u64_t{0}) == "18446744073709551615");
    CHECK(spelled(1.0F) == "0f3f800000");
    CHECK(spelled(-0.0F) == "0f80000000");
}

TEST_CASE("addresses, fragments, labels and names") {
    const ptx::reg base{ptx::register_class::b64, 2};
    CHECK(spelled(ptx::at(base)) == "[%d2]");
    CHECK(spelled(ptx::at(base, 16)) == "[%d2+16]");
    CHECK(spelled(ptx::before(base, 16)) == "[%d2-16]");
    CHECK(spelled(ptx::named_address{"weights", 0}) == "[weights]");
    CHECK(spelled(ptx::named_address{"shared", 64}) == "[shared+64]");
    CHECK(spelled(ptx::code_label{5}) == "$L5");
    CHECK(spelled(ptx::lane_index) == "%laneid");
    ptx::fragment<2> two;
    two[1].index = 9;
    CHECK(spelled(two) == "{%r0, %r9}");
}
