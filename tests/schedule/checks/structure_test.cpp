// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/structure.hpp>

#include <string>

#include "rejects/tiny_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

/// What is said of the small schedule after one change.
template <class Change>
std::string after(Change change) {
    auto s = tiny();
    change(s);
    return sentence(check_structure(view(s))).d;
}
constexpr u64_t huge = u64_t{1} << 62;

}  // namespace

TEST_CASE("the small schedule is accepted") {
    CHECK(after([](auto&) {}) == "accepted");
}

TEST_CASE("too_many_workers") {
    CHECK(after([](auto& s) { s.queues = 3; }) == "the schedule has 3 workers, the device runs at most 2");
    CHECK(after([](auto& s) { s.queues = 0; }) == "schedule: queues is 0; every size of a contract must be at least 1");
}

TEST_CASE("too_much_shared_memory") {
    const auto needs = [](u64_t bytes, u64_t has) {
        return after([&](auto& s) { s.groups[group_gate].shared_bytes = bytes, s.where.shared_bytes = has; });
    };
    CHECK(needs(49153, 49152) == "task group gate needs 49153 bytes of shared memory, a worker of two queues has 49152");
    CHECK(needs(49152, 49152) == "accepted");
    CHECK(needs(1, 0) == "task group gate needs 1 bytes of shared memory, a worker of two queues has 0");
    CHECK(needs(~u64_t{0}, huge) == "task group gate needs 18446744073709551615 bytes of shared memory, a worker of two queues has 4611686018427387904");
    STATIC_REQUIRE(host_cpu().shared_bytes == 0);
}

TEST_CASE("no_tiles") {
    CHECK(after([](auto& s) { s.groups[group_load].tiles = 0; }) == "task group load has no tiles, so it would never run");
    CHECK(after([](auto& s) { s.groups[group_load].tiles = 1U << 29; }) ==
          "load: tiles is 536870912, the most that is supported is 268435456");
    CHECK(after([](auto& s) { s.groups.count = 0; }) == "schedule: task groups is 0; every size of a contract must be at least 1");
}

TEST_CASE("unknown_buffer") {
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].buffer = 4; }) == "task group load uses buffer 4, but there are only 4");
}

TEST_CASE("words of a group that there is not") {
    CHECK(after([](auto& s) { s.groups[group_gate].words.push_back(9); }) ==
          "task group gate (index 1) waits by word for group 9, which is not listed before it");
}

TEST_CASE("unknown_counter") {
    CHECK(after([](auto& s) { s.groups[group_store].signal.first = 6; }) == "task group store uses counter 9, but there are only 9");
    CHECK(after([](auto& s) { s.groups[group_gate].waits[0].first.first = 9; }) == "task group gate uses counter 9, but there are only 9");
    CHECK(after([](auto& s) { s.groups[group_gate].waits[0].count = 0xffffffffU; }) ==
          "task group gate uses counter 4294967294, but there are only 9");
}

TEST_CASE("bad_parameter") {
    const std::string map = ": queue or signal map is outside its range or not a number";
    CHECK(after([](auto& s) { s.groups[group_load].queue.den = 0; }) == "load" + map);
    CHECK(after([](auto& s) { s.groups[group_load].queue.first = 0xffffffffU; }) == "load" + map);
    CHECK(after([](auto& s) { s.groups[group_load].signal.den = 0; }) == "load" + map);
    CHECK(after([](auto& s) { s.groups[group_load].signal.num = 2; }) == "load" + map);
    const std::string wait = ": wait is outside its range or not a number";
    CHECK(after([](auto& s) { s.groups[group_gate].waits[0].threshold = 0; }) == "gate" + wait);
    CHECK(after([](auto& s) { s.groups[group_gate].waits[0].count = 0; }) == "gate" + wait);
    CHECK(after([](auto& s) { s.groups[group_gate].waits[0].first.den = 0; }) == "gate" + wait);
    const std::string range = ": byte range is outside its range or not a number";
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].range.per = 0; }) == "load" + range);
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].range.low = 65; }) == "load" + range);
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].range.stride = huge; }) == "load" + range);
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].range.size = huge; }) == "load" + range);
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].range.first = -static_cast<i64_t>(huge) * 2; }) == "load" + range);
    CHECK(after([](auto& s) { s.groups[group_load].op = 2; }) == "load: operation index is outside its range or not a number");
}

TEST_CASE("only a state has a past") {
    CHECK(after([](auto& s) { s.groups[group_store].accesses[0].part = row_part::past; }) ==
          "store: row part is outside its range or not a number");
    CHECK(after([](auto& s) { s.groups[group_store].accesses[1].part = row_part::fresh; }) ==
          "store: row part is outside its range or not a number");
}

TEST_CASE("writes_read_only") {
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].write = true; }) ==
          "task group load writes x, which is an input or a weight");
    CHECK(after([](auto& s) { s.buffers[buffer_y].kind = buffer_kind::weight; }) ==
          "task group store writes y, which is an input or a weight");
    CHECK(after([](auto& s) {
              s.buffers[buffer_y].kind = buffer_kind::state;
              s.groups[group_store].accesses[1].part = row_part::past;
          }) == "task group store writes y, which is an input or a weight");
}

TEST_CASE("out_of_bounds") {
    CHECK(after([](auto& s) { s.groups[group_load].accesses[0].range = cut(16, 64, 16); }) ==
          "task group load tile 3 touches bytes up to 80 of a row of x, which has 64 bytes");
    CHECK(after([](auto& s) { s.buffers[buffer_y].row_bytes = 63; }) ==
          "task group store tile 3 touches bytes up to 64 of a row of y, which has 63 bytes");
}

TEST_CASE("wrong_operands") {
    CHECK(after([](auto& s) { --s.groups[group_gate].accesses.count; }) == "task group gate lists 2 operands, its operation has 3");
}

TEST_CASE("wrong_direction") {
    CHECK(after([](auto& s) { s.groups[group_gate].accesses[2].write = false; }) ==
          "task group gate: operand 2 (t) is read where the operation writes, or written where it reads");
}

TEST_CASE("wrong_row_size") {
    CHECK(after([](auto& s) { s.groups[group_gate].accesses[1].range.high = 40; }) ==
          "task group gate: its tiles touch 40 bytes of a row of h (operand 1), the operation needs 64");
}

TEST_CASE("wrong_row_count") {
    CHECK(after([](auto& s) { s.operations[1].gate.rows = 2; }) == "task group gate: h (operand 0) has 1 rows, the operation needs 2");
}

TEST_CASE("an operation's own contract is checked") {
    CHECK(after([](auto& s) { s.operations[1].gate.rows = 40; }) == "gate: 40 rows a step, the most that is supported is 16");
}

TEST_CASE("arena_too_small") {
    CHECK(after([](auto& s) { s.arena_bytes = 127; }) == "buffer t ends at byte 128 of the arena, which has 127 bytes");
}

TEST_CASE("no size is too large for the sums of the checker") {
    CHECK(after([](auto& s) { s.buffers[buffer_t].arena = ~u64_t{0} - 7; }) ==
          "t: arena is 18446744073709551608, the most that is supported is 281474976710656");
    CHECK(after([](auto& s) { s.buffers[buffer_t].row_bytes = huge; }) ==
          "t: bytes of a row is 4611686018427387904, the most that is supported is 281474976710656");
    CHECK(after([](auto& s) { s.buffers[buffer_t].rows = huge; }) ==
          "t: rows is 4611686018427387904, the most that is supported is 4398046511104");
    CHECK(after([](auto& s) { s.buffers[buffer_t].rows = (u64_t{1} << 58) + 1; }).substr(0, 7) ==
          "t: rows");  // 64 bytes a row: wraps to 64
    CHECK(after([](auto& s) { s.buffers[buffer_x].rows = 0; }) == "x: rows is 0; every size of a contract must be at least 1");
    CHECK(after([](auto& s) { s.counters = 0xffffffffU; }) == "schedule: counters is 4294967295, the most that is supported is 268435456");
}
