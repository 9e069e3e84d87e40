// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/waits.hpp>

#include <string>

#include "rejects/tiny_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

template <class Change>
std::string after(Change change) {
    auto s = tiny();
    change(s);
    if (const verdict v = check_structure(view(s)); !v.ok()) return std::string("structure: ") + sentence(v).d;
    const group_order order(view(s));
    return sentence(check_waits(view(s), order.view())).d;
}
template <class Schedule>
void swap_last_groups(Schedule& s) {
    const group kept = s.groups[group_gate];
    s.groups[group_gate] = s.groups[group_store];
    s.groups[group_store] = kept;
}

}  // namespace

TEST_CASE("the small schedule runs") {
    CHECK(after([](auto&) {}) == "accepted");
}

TEST_CASE("shared_counter") {
    CHECK(after([](auto& s) { s.groups[group_store].signal.first = 4; }) ==
          "counter 4 is signalled by gate and again by store, a group waits for it in between, and nothing orders store after all of gate");
}

TEST_CASE("a counter is signalled again by a group that follows all of its signals") {
    CHECK(after([](auto& s) {
              s.groups[group_store].waits[0] = {{1, 0, 1}, 4, 1};
              s.groups[group_store].signal = {4, 0, 1};
          }) == "accepted");
    CHECK(after([](auto& s) {
              s.groups[group_store].waits = {};  // nobody waits for it before, so nobody can be misled
              s.groups[group_store].signal = {4, 0, 1};
          }) == "accepted");
}

TEST_CASE("a wait for counters of several groups") {
    CHECK(after([](auto& s) { s.groups[group_store].waits[0] = {{0, 0, 1}, 5, 1}; }) == "accepted");
    CHECK(after([](auto& s) { s.groups[group_store].waits[0] = {{0, 0, 1}, 5, 2}; }) ==
          "task group store tile 0 waits for counter 1 >= 2, but only 1 signals ever reach it (from gate)");
}

TEST_CASE("counters between those that are waited for do not matter") {
    CHECK(after([](auto& s) {
              s.groups[group_load].signal.first = 2;
              s.groups[group_gate].waits[0].first.first = 2;
              s.groups[group_gate].signal = {0, 1, 4};
              s.groups[group_store].waits[0] = {{0, 2, 3}, 1, 4};  // 0, 0, 1, 2: counter 1 has no signals
          }) == "task group store tile 2 waits for counter 1 >= 4, but only 0 signals ever reach it (from no task group)");
    CHECK(after([](auto& s) {
              s.groups[group_load].signal.first = 6;
              s.groups[group_gate].waits[0].first.first = 6;
              s.groups[group_gate].signal = {0, 1, 4};
              s.groups[group_store].signal = {8, 0, 1};
              s.groups[group_store].tiles = 2;
              s.groups[group_store].waits[0] = {{0, 6, 1}, 1, 4};  // 0, 6: those between have no signals
          }) == "accepted");
}

TEST_CASE("a wait for the counter of a later group") {
    CHECK(after([](auto& s) { s.groups[group_store].waits[0].count = 2; }) ==
          "task group store waits for counter 5 of store, which in turn waits for store: a cycle");
}

TEST_CASE("unsatisfiable_wait") {
    CHECK(after([](auto& s) { s.groups[group_gate].waits[0].threshold = 5; }) ==
          "task group gate tile 0 waits for counter 0 >= 5, but only 4 signals ever reach it (from load)");
    CHECK(after([](auto& s) { s.groups[group_store].waits[0].threshold = 2; }) ==
          "task group store tile 0 waits for counter 1 >= 2, but only 1 signals ever reach it (from gate)");
    CHECK(after([](auto& s) {
              s.counters = 10;
              s.groups[group_gate].waits[0].first.first = 9;
          }) == "task group gate tile 0 waits for counter 9 >= 4, but only 0 signals ever reach it (from no task group)");
}

TEST_CASE("only the last counter of a group may have fewer signals") {
    CHECK(after([](auto& s) {
              s.groups[group_gate].signal = {1, 1, 3};  // 3 signals, then 1
              s.groups[group_store].waits[0] = {{1, 1, 3}, 1, 3};
          }) == "task group store tile 3 waits for counter 2 >= 3, but only 1 signals ever reach it (from gate)");
}

TEST_CASE("cyclic_wait") {
    CHECK(after([](auto& s) {
              join(s.groups[group_load], {{5, 1, 1}, 4});
          }) == "task group load waits for counter 5 of store, which in turn waits for load: a cycle");
    CHECK(after([](auto& s) {
              join(s.groups[group_load], {{0, 0, 1}, 1});
          }) == "task group load waits for counter 0 of load, which in turn waits for load: a cycle");
}

TEST_CASE("queue_deadlock") {
    CHECK(after([](auto& s) { swap_last_groups(s); }) ==
          "queue 1 runs store tile 0 before gate tile 1, but store waits for gate (counter 1)");
}

TEST_CASE("listed_before_producer") {
    CHECK(after([](auto& s) {
              swap_last_groups(s);
              s.groups[1].queue = {0, 0, 1};
              s.groups[2].queue = {1, 0, 1};
          }) == "task group store waits for counter 1 of gate, which is listed after it; list producers first");
}

TEST_CASE("awaits_later_group") {
    CHECK(after([](auto& s) { s.groups[1].words.push_back(2); }) ==
          "task group gate (index 1) waits by word for group 2, which is not listed before it");
    CHECK(after([](auto& s) { s.groups[2].words.push_back(1); }) == "accepted");
}
