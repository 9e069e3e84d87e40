// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/kernel.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

constexpr linear projected{.rows = 1, .out = 64, .in = 320, .weight = bf16, .math = {.order = reduction_order::lanes256}};
using made = kernel<projected, sm_90a>;
static_assert(made::tactic.outs == 4);
static_assert(made::launch == kernel_launch{.blocks = 2, .threads = 256});

}  // namespace

TEST_CASE("the text that the compiler made is the text made at run time") {
    const test::module_text later(kernel_of(projected), sm_90a);
    CHECK(later.text() == made::assembly.data());
    const kernel_image image = made::image();
    CHECK(image.size == later.text().size());
    CHECK(std::string(image.entry.d) == identify(projected).d);
    CHECK(later.text().find(std::string(".entry ") + image.entry.d) != std::string::npos);
}

TEST_CASE("a contract without a kernel is refused by name") {
    linear c = projected;
    c.math = {};
    CHECK(std::string(sentence(check_kernel(c)).d) == "linear: no PTX kernel sums in the order that the contract names; set math.order to lanes256");
    c = projected;
    c.weight = q4_1;
    CHECK(check_kernel(c).why == reason::no_kernel);
    c = projected;
    c.rows = 17;
    CHECK(check_kernel(c).why == reason::too_many_rows);
    static_assert(detail::kernel_verdict<rope_table{.rows = 1, .head_dim = 64}, sm_90a>().why == reason::no_kernel);
}
