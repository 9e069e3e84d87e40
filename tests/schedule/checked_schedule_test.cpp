// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checked_schedule.hpp>

#include "rejects/tiny_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr auto good = tiny();

constexpr auto unknown_counter = [] {
    auto s = tiny();
    s.groups[group_gate].waits[0].first.first = 99;
    return s;
}();
constexpr auto unmet = [] {
    auto s = tiny();
    s.groups[group_gate].waits[0].threshold = 5;
    return s;
}();
constexpr auto race = [] {
    auto s = tiny();
    s.groups[group_store].waits = {};
    return s;
}();

/// Two chains of groups beside each other: nothing of one is known in the other.
template <bool Damaged>
consteval auto long_schedule() {
    static_schedule<schedule_size{.groups = 400, .buffers = 2, .operations = 1}> s;
    s.operations.push_back({});
    s.arena_bytes = 32;
    s.queues = 401;
    s.where = host_cpu(401);
    s.buffers.push_back({.name = "a", .row_bytes = 16});
    s.buffers.push_back({.name = "b", .row_bytes = 16, .arena = 16});
    for (u32_t i = 0; i < 400; ++i) {
        group g;
        g.name = indexed("g", i);
        g.queue = {i, 0, 1};
        g.signal = {s.counters, 0, 1};
        s.counters += 1;
        if (i >= 2) g.waits.push_back({{i - 2, 0, 1}, 1, 1});
        if (i % 2 == 0) writes(g, static_cast<u16_t>(i / 2 % 2), same_bytes(0, 16));
        s.groups.push_back(g);
    }
    if (Damaged) s.groups[330].waits = {};
    return s;
}
constexpr auto long_good = long_schedule<false>();
constexpr auto long_damaged = long_schedule<true>();

}  // namespace

TEST_CASE("the verdict in parts is the verdict at once") {
    static_assert(checked_schedule<good>::verdict.ok());
    static_assert(checked_schedule<unknown_counter>::verdict == check_schedule(view(unknown_counter)));
    static_assert(checked_schedule<unknown_counter>::verdict.why == reason::unknown_counter);
    static_assert(checked_schedule<unmet>::verdict == check_schedule(view(unmet)));
    static_assert(checked_schedule<unmet>::verdict.why == reason::unsatisfiable_wait);
    static_assert(checked_schedule<race>::verdict == check_schedule(view(race)));
    static_assert(checked_schedule<race>::verdict.why == reason::data_race);
    SUCCEED();
}

TEST_CASE("orders that need many words are values, too") {
    static_assert(order_of<long_good>::value.word_count() > 2 * 400 + 64);
    CHECK(checked_schedule<long_good>::verdict == check_schedule(view(long_good)));
    CHECK(checked_schedule<long_good>::verdict.ok());
    CHECK(checked_schedule<long_damaged>::verdict == check_schedule(view(long_damaged)));
    CHECK(checked_schedule<long_damaged>::verdict.why == reason::data_race);
}

TEST_CASE("a planned schedule has its activations placed") {
    static_assert(planned_schedule<good>::verdict.ok());
    const auto& s = planned_schedule<good>::schedule;
    CHECK((s.buffers[buffer_h].arena == 0 && s.buffers[buffer_t].arena == 64));
    CHECK(s.groups == good.groups);
}
