// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/amk_program.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("sizes of packed elements are rounded up") {
    const amk_buffer b{.id = 0, .name = "w", .kind = amk_kind::weight, .dtype = amk_dtype::int4, .space = {}, .shape = {3, 5}};
    CHECK(b.elements() == 15);
    CHECK(b.bytes() == 8);
    CHECK(b.read_only());
}

TEST_CASE("the table of operations is in the order of its codes") {
    CHECK(std::size(detail::amk_operations) == static_cast<usz>(amk_op::fused) + 1);
    CHECK(std::string(name_of(amk_op::gemv_tile)) == "GEMV_TILE");
    CHECK(std::string(name_of(amk_op::kv_append)) == "KV_APPEND");
    CHECK(std::string(name_of(amk_op::fused)) == "FUSED");
    CHECK(std::string(name_of(amk_dtype::boolean)) == "BOOL");
    CHECK(std::string(name_of(amk_kind::constant)) == "CONST");
}

TEST_CASE("parameters and names") {
    const nlohmann::json params = {{"pos", 3}, {"eps", 0.5}, {"nothing", nullptr}};
    const amk_task t{.op = amk_op::add, .params = &params, .label = "sum"};
    CHECK(t.whole("pos") == 3);
    CHECK(t.whole("other", 7) == 7);
    CHECK(t.real("eps") == 0.5);
    CHECK(t.param("nothing") == nullptr);
    CHECK(amk_task{}.param("pos") == nullptr);
    amk_program p;
    p.tasks = {t, amk_task{}};
    p.tasks[1].label = std::string(200, 'x') + "\n";
    CHECK(p.name_of_task(0) == "task 0 (sum, ADD)");
    CHECK(p.name_of_task(1) == "task 1 ('" + std::string(100, 'x') + "...', NOP)");
}
