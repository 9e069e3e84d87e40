// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ptx/module.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

struct tiny_kernel {
    const ptx::opcode* instruction = &ptx::op::ret;
    u32_t shared = 0;

    static name entry() { return "tiny"; }
    static ptx::parameter_list parameters() { return ptx::pointers({"in", "out"}); }
    kernel_launch launch() const { return {.blocks = 1, .threads = 64, .shared_bytes = shared}; }
    template <class Sink>
    void body(ptx::assembler<Sink>& as) const {
        as(ptx::op::mov_u32, as.b32(), ptx::thread_index);
        as(*instruction);
    }
};

}  // namespace

TEST_CASE("a module names version, target, parameters, threads and registers") {
    const test::module_text made(tiny_kernel{}, sm_80);
    CHECK(made.text() ==
          ".version 7.0\n.target sm_80\n.address_size 64\n\n.visible .entry tiny(\n\t.param .u64 in,\n\t.param .u64 out\n)\n.maxntid 64, 1, 1\n{\n"
          "\t.reg .b32 %r<1>;\n\tmov.u32 %r0, %tid.x;\n\tret;\n}\n");
    CHECK(test::module_text(tiny_kernel{.shared = 16}, sm_80).text().find(".extern .shared .align 128 .b8 shared[];\n") != std::string::npos);
}

TEST_CASE("the version is the lowest that target and instructions allow") {
    CHECK(test::module_text(tiny_kernel{}, sm_100a).text().find(".version 8.6\n") == 0);
    CHECK(test::module_text(tiny_kernel{.instruction = &ptx::op::fence_async}, sm_90a).text().find(".version 8.0\n") == 0);
    const ptx::requirements later{.isa = 84, .sm = 80};
    CHECK(ptx::version_for(later, sm_80) == 84);
}

TEST_CASE("a target without the instructions is refused with both numbers") {
    const netra::verdict v = test::module_text(tiny_kernel{.instruction = &ptx::op::fence_async}, sm_89).verdict();
    CHECK(std::string(sentence(v).d) ==
          "the kernel needs compute capability 90 (10 times the version), target sm_89 has 89 or is not the form with a");
    CHECK(test::module_text(tiny_kernel{.instruction = &ptx::op::setmaxnreg_up}, sm_90a).verdict().ok());
    CHECK(!ptx::check({.isa = 80, .sm = 90, .exact = true}, sm_100a).ok());  // an "a" instruction of 9.0 is not one of 10.0
}
