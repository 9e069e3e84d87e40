// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/ptx/parts.hpp>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

/// Parts in a row, one inside of other code, registers and labels that go on behind them, an instruction that only one part has.
struct four_parts {
    static constexpr name entry() { return "four_parts"; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"to"}); }
    static constexpr kernel_launch launch() { return {.threads = 64, .shared_bytes = 16}; }
    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const reg kept = as.b32();
        as(op::mov_u32, kept, 1U);
        as.part([&] { add(as, kept, 3); });
        const code_label past = as.new_label();
        as.part([&] { add(as, kept, 0xffffffffU); });
        const reg zero = as.predicate();
        as(op::setp_eq_u32, zero, kept, 0U);
        as.when(zero, op::bra, past);
        as.part([&] { as(op::fence_mbarrier_init); });
        as.place(past);
        as.part([&] {
            const reg f = as.f32();
            as(op::mov_f32, f, 1.5F);
        });
        const reg last = as.b64();
        as(op::mov_u64, last, 7U);
        as(op::ret);
    }

  private:
    template <class Sink>
    static constexpr void add(ptx::assembler<Sink>& as, ptx::reg to, u32_t value) {
        using namespace ptx;
        const reg more = as.b32();
        const code_label here = as.new_label();
        as.place(here);
        as(op::mov_u32, more, value);
        as(op::add_u32, to, to, more);
    }
};
constexpr four_parts kernel{};
constexpr target where = sm_90a;

/// A body without parts.
struct no_parts : four_parts {
    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const { as(ptx::op::ret); }
};
constexpr no_parts simple{};

static_assert(ptx::requirements_in_parts<kernel> == ptx::requirements_of(kernel));
static_assert(ptx::requirements_in_parts<simple> == ptx::requirements_of(simple));
static_assert(ptx::requirements_in_parts<kernel>.sm == 90 && ptx::requirements_in_parts<simple>.sm == 50);

}  // namespace

TEST_CASE("a module made of parts is the one that is written at once") {
    const auto& made = ptx::module_text<kernel, where>;
    const std::string text(made.data(), made.size());
    CHECK(text == test::module_text(kernel, where).text());
    CHECK(made.data()[made.size()] == 0);
    CHECK(text.find("fence.mbarrier_init") != std::string::npos);
    const auto& other = ptx::module_text<simple, where>;
    CHECK(std::string(other.data(), other.size()) == test::module_text(simple, where).text());
}
