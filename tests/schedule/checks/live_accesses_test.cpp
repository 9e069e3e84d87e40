// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/live_accesses.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

/// Names of the groups whose accesses of a buffer are live once all groups were admitted; in capitals where what they wrote is lost.
std::string live(const loose_schedule& s, usz buffer) {
    const schedule_view v = view(s);
    const group_order order(v);
    detail::live_accesses all(v, order.view());
    for (usz g = 0; g < s.groups.size(); ++g) all.admit(g);
    std::string names;
    all.for_each(buffer, [&](const auto& o) {
        const char c = s.groups[o.group].name.d[0];
        names += o.holds_data ? c : static_cast<char>(c - 'a' + 'A');
    });
    return names;
}

void append(loose_schedule& s, const char* name, u16_t buffer, bool write, const byte_range& r, row_part part = row_part::whole) {
    group g = s.start(name);
    g.accesses.push_back({buffer, write, part, r});
    s.finish(g);
}

}  // namespace

TEST_CASE("a write of all their bytes hides older accesses") {
    loose_schedule s;
    const u16_t b = s.add("b", buffer_kind::activation, 16);
    append(s, "a", b, true, same_bytes(0, 8));
    append(s, "b", b, false, same_bytes(0, 16));
    append(s, "c", b, true, same_bytes(0, 12));
    CHECK(live(s, b) == "cb");
    append(s, "d", b, false, same_bytes(0, 16));
    CHECK(live(s, b) == "dcb");
    append(s, "e", b, true, same_bytes(0, 16));
    CHECK(live(s, b) == "e");
}

TEST_CASE("a write with gaps hides nothing") {
    loose_schedule s;
    const u16_t b = s.add("b", buffer_kind::activation, 16);
    append(s, "a", b, true, same_bytes(0, 16));
    group g = s.start("b", 2);
    writes(g, b, {.first = 0, .stride = 12, .size = 4, .low = 0, .high = 16});
    s.finish(g);
    CHECK(live(s, b) == "ba");
}

TEST_CASE("rows of this step do not hide those of earlier ones") {
    loose_schedule s;
    const u16_t b = s.add("b", buffer_kind::state, 16, 4);
    append(s, "a", b, false, same_bytes(0, 16), row_part::past);
    append(s, "b", b, false, same_bytes(0, 16), row_part::fresh);
    append(s, "c", b, true, same_bytes(0, 16), row_part::fresh);
    CHECK(live(s, b) == "ca");
    append(s, "d", b, true, same_bytes(0, 16));
    CHECK(live(s, b) == "d");
}

TEST_CASE("a write of another buffer destroys what shares its memory") {
    loose_schedule s;
    const u16_t a = s.add("a", buffer_kind::activation, 16, 1, 0);
    const u16_t b = s.add("b", buffer_kind::activation, 16, 1, 8);
    const u16_t c = s.add("c", buffer_kind::activation, 16, 1, 24);
    append(s, "a", a, true, same_bytes(0, 16));
    append(s, "b", c, true, same_bytes(0, 16));
    append(s, "c", b, true, same_bytes(0, 4));
    append(s, "d", a, false, same_bytes(0, 16));
    append(s, "e", c, false, same_bytes(0, 16));
    CHECK(live(s, a) == "dA");
    CHECK(live(s, c) == "eb");
}
