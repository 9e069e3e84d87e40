// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ptx/assembler.hpp>
#include <netra/detail/text.hpp>

#include <string>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("instructions, guards and labels are lines") {
    text<400> out;
    ptx::assembler as(out);
    const ptx::reg sum = as.b32();
    const ptx::reg done = as.predicate();
    const ptx::code_label again = as.new_label();
    as.place(again);
    as(ptx::op::add_u32, sum, sum, 1U);
    as(ptx::op::setp_ge_u32, done, sum, 10U);
    as.unless(done, ptx::op::bra, again);
    as.when(done, ptx::op::ret);
    CHECK(std::string(out.d) == "$L0:\n\tadd.u32 %r0, %r0, 1;\n\tsetp.ge.u32 %p0, %r0, 10;\n\t@!%p0 bra $L0;\n\t@%p0 ret;\n");
}

TEST_CASE("registers are counted by class, and never handed out twice") {
    text<10> unused;
    ptx::assembler as(unused);
    CHECK(as.b32() != as.b32());
    const auto four = as.fragment_of<4>(ptx::register_class::f32);
    CHECK(four[3] == ptx::reg{ptx::register_class::f32, 3});
    CHECK(as.needs().registers[static_cast<usz>(ptx::register_class::b32)] == 2);
    CHECK(as.needs().registers[static_cast<usz>(ptx::register_class::f32)] == 4);
    CHECK(as.needs().registers[static_cast<usz>(ptx::register_class::b64)] == 0);
}

TEST_CASE("the requirements are those of the newest instruction") {
    text<400> out;
    ptx::assembler as(out);
    const ptx::reg r = as.b32();
    as(ptx::op::add_u32, r, r, r);
    CHECK(as.needs().isa == 60);
    as(ptx::op::cp_async_commit);
    CHECK(as.needs().sm == 80);
    CHECK(!as.needs().exact);
    as(ptx::op::setmaxnreg_down, 40U);
    as(ptx::op::add_u32, r, r, r);
    CHECK(as.needs().isa == 80);
    CHECK(as.needs().sm == 90);
    CHECK(as.needs().exact);
}
