// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/draw_rounds.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("a search sees every bit of a number, and only kernels of one row have rounds") {
    CHECK(search_rounds * 4 == 32);
    CHECK(draw_heaps == 1U << 4);
    stream_plan p{.model = {.rows = 1}};
    CHECK(rounds_of(p) == 17);
    p.model.rows = 2;
    CHECK(rounds_of(p) == 0);
}
