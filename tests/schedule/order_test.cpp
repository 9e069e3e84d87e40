// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/order.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

TEST_CASE("a join orders whole groups, and joins chain") {
    loose_schedule s;
    s.queues = 4;
    group g = s.start("a", 4);
    g.queue = {0, 1, 1};
    added_group last = s.finish(g);
    for (const char* name : {"b", "c"}) {
        g = s.start(name, 3, true);
        g.queue = {1, 1, 1};
        join(g, last);
        last = s.finish(g);
    }
    const group_order order(view(s));
    CHECK(order.complete(1, 0));
    CHECK(order.complete(2, 1));
    CHECK(order.complete(2, 0));
    CHECK_FALSE(order.complete(0, 1));
}

TEST_CASE("a group on every queue ends after all that comes before it in any queue") {
    loose_schedule s;
    s.queues = 2;
    group g = s.start("a", 2);
    g.queue = {0, 1, 1};
    s.finish(g);
    g = s.start("b", 2);
    g.queue = {0, 1, 1};
    const added_group b = s.finish(g);
    g = s.start("c", 1);
    join(g, b);
    s.finish(g);
    const group_order order(view(s));
    CHECK_FALSE(order.complete(1, 0));
    CHECK(order.complete(2, 0));
}

TEST_CASE("a buffer is dead once all groups that use it are retired") {
    loose_schedule s;
    s.queues = 2;
    const u16_t used = s.add("used", buffer_kind::activation, 4);
    group g = s.start("a");
    writes(g, used, same_bytes(0, 4));
    const added_group a = s.finish(g);
    g = s.start("b");
    g.queue = {1, 0, 1};
    join(g, a);
    reads(g, used, same_bytes(0, 4));
    const added_group b = s.finish(g);
    g = s.start("c");
    join(g, b);
    s.finish(g);
    const group_order order(view(s));
    CHECK(order.view().dead_from(used) == 2);
}

