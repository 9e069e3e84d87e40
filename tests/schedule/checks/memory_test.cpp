// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Each refusal, and the cases that must be accepted although careless checkers refuse them, or refused although careless ones accept.
#include <netra/schedule/checks/memory.hpp>

#include <string>

#include "rejects/tiny_schedule.hpp"
#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

using namespace netra;
using namespace netra::test;

namespace {

template <class Change>
std::string after(Change change) {
    auto s = tiny();
    change(s);
    return sentence(check_schedule(view(s))).d;
}
/// The checker and the oracle agree that it is safe.
bool safe(const loose_schedule& s) { return s.check().ok() && oracle::judge(view(s)).empty(); }
/// The checker refuses for this reason, and the oracle agrees.
bool refused(const loose_schedule& s, reason why) { return s.check().why == why && !oracle::judge(view(s)).empty(); }

constexpr byte_range all = same_bytes(0, 16);

/// Groups of one tile each, on queues of their own; each waits for what is named.
struct chain_of_groups {
    loose_schedule s{};

    added_group add(const char* name, std::initializer_list<u16_t> from, std::initializer_list<u16_t> to,
                    std::initializer_list<added_group> after, const byte_range& written = all) {
        group g = s.start(name);
        g.queue = {static_cast<u32_t>(s.groups.size()), 0, 1};
        for (const u16_t b : from) reads(g, b, all);
        for (const u16_t b : to) writes(g, b, written);
        for (const added_group& p : after) join(g, p);
        s.queues = static_cast<u32_t>(s.groups.size()) + 1;
        return s.finish(g);
    }
};

}  // namespace

TEST_CASE("data_race") {
    CHECK(after([](auto& s) { s.groups[group_store].waits = {}; }) ==
          "data race: store tile 0 and gate tile 0 touch bytes 0 to 16 of buffer 2, one of them writing, and nothing orders them");
    CHECK(after([](auto& s) {
              s.groups[group_gate].waits[0].threshold = 3, s.groups[group_gate].queue = {1, 1, 1};
          }) == "data race: gate tile 0 and load tile 0 touch bytes 0 to 16 of buffer 1, one of them writing, and nothing orders them");
}

TEST_CASE("producer and consumer ordered by their common queue alone") {
    CHECK(after([](auto& s) { s.groups[group_gate].waits = {}; }) == "accepted");  // tile i reads what tile i of the same queue wrote
}

TEST_CASE("tiles_overlap") {
    CHECK(after([](auto& s) { s.groups[group_load].accesses[1].range.size = 20; }) ==
          "two tiles of load touch the same bytes of h, one of them writing (tile 0, from byte 16)");
}

TEST_CASE("memory_reused_too_early") {
    CHECK(after([](auto& s) { s.buffers[buffer_t].arena = 32; }) ==
          "buffers h and t share memory from byte 32, but nothing orders every use of one before the other");
}

TEST_CASE("uncovered_read") {
    CHECK(after([](auto& s) { s.groups[group_load].accesses[1].range.high = 48; }) ==
          "task group gate tile 3 reads byte 48 of a row of h, which nothing ordered before it has written");
}

TEST_CASE("incomplete_output") {
    CHECK(after([](auto& s) { s.groups[group_store].accesses[1].range.high = 32; }) == "output y: byte 32 of a row is never written");
}

TEST_CASE("write, read, rewrite, read of one buffer in total order") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto w = c.add("w", {}, {b}, {});
    const auto r = c.add("r", {b}, {}, {w});
    const auto again = c.add("again", {}, {b}, {r});
    c.add("last", {b}, {}, {again});
    CHECK(safe(c.s));
    c.s.groups[2].waits = {};
    CHECK(refused(c.s, reason::data_race));
}

TEST_CASE("in-place residual between ordered readers") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto w = c.add("w", {}, {b}, {});
    const auto r = c.add("r", {b}, {}, {w});
    const auto in_place = c.add("in place", {b}, {b}, {r});
    c.add("last", {b}, {}, {in_place});
    CHECK(safe(c.s));
}

TEST_CASE("disjoint halves on two counters, joined by the reader") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto low = c.add("low", {}, {b}, {}, same_bytes(0, 8));
    const auto high = c.add("high", {}, {b}, {}, same_bytes(8, 8));
    c.add("reader", {b}, {}, {low, high});
    CHECK(safe(c.s));
    c.s.groups[2].waits = {};
    c.s.groups[2].waits.push_back({{low.signal.first, 0, 1}, 1, 1});
    CHECK(refused(c.s, reason::data_race));
}

TEST_CASE("appends to a cache beside readers of earlier positions") {
    chain_of_groups c;
    const u16_t cache = c.s.add("cache", buffer_kind::state, 16, 4);
    c.add("append", {}, {cache}, {});
    c.add("attend", {cache}, {}, {});
    c.s.groups[0].accesses[0].part = row_part::fresh;
    c.s.groups[1].accesses[0].part = row_part::past;
    CHECK(safe(c.s));
    c.s.groups[1].accesses[0].part = row_part::fresh;
    CHECK(refused(c.s, reason::data_race));
}

TEST_CASE("a partial threshold whose remaining producer shares the reader's queue") {
    loose_schedule s;
    s.queues = 2;
    const u16_t b = s.add("b", buffer_kind::activation, 16);
    group g = s.start("w", 2, true);
    g.queue = {0, 1, 1};
    writes(g, b, cut(0, 16, 8));
    const added_group w = s.finish(g);
    g = s.start("r");
    g.queue = {1, 0, 1};
    reads(g, b, all);
    join_tiles(g, w, 0, 1, 1);  // of tile 0; tile 1 ran on this queue
    s.finish(g);
    CHECK(safe(s));
    s.groups[1].queue = {0, 0, 1};
    CHECK(refused(s, reason::data_race));
}

TEST_CASE("a rewrite with gaps does not hide an older write from a race") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto w = c.add("w", {}, {b}, {});
    group g = c.s.start("gaps", 2);
    g.queue = {1, 0, 1};
    g.waits.push_back({{w.signal.first, 0, 1}, 1, 1});
    writes(g, b, {.first = 0, .stride = 12, .size = 4, .low = 0, .high = 16});
    c.s.finish(g);
    c.add("late", {}, {b}, {}, same_bytes(6, 2));  // races with "w" alone
    CHECK(refused(c.s, reason::data_race));
}

TEST_CASE("a partial rewrite does not bring back what an aliasing buffer destroyed") {
    chain_of_groups c;
    const u16_t a = c.s.add("a", buffer_kind::activation, 16, 1, 0);
    const u16_t other = c.s.add("other", buffer_kind::activation, 16, 1, 0);
    const auto w = c.add("w", {}, {a}, {});
    const auto destroy = c.add("destroy", {}, {other}, {w});
    const auto part = c.add("part", {}, {a}, {destroy}, same_bytes(0, 4));
    const auto reader = c.add("reader", {a}, {}, {part});
    CHECK(refused(c.s, reason::uncovered_read));
    c.s.groups[2].accesses[0].range = all;
    CHECK(safe(c.s));
    c.add("after", {a}, {}, {reader});
    CHECK(safe(c.s));
}

TEST_CASE("an output is read only where it was written before") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::output, 16);
    c.add("itself", {b}, {b}, {});
    CHECK(refused(c.s, reason::uncovered_read));
}

TEST_CASE("parts of rows hide no access of an activation") {
    loose_schedule s;  // found by random schedules: a `past` read of memory that nothing wrote
    const u16_t b = s.add("b", buffer_kind::activation, 12);
    group g = s.start("g", 3);
    writes(g, b, cut(0, 12, 4));
    reads(g, b, cut(0, 12, 4), row_part::past);
    s.finish(g);
    CHECK(refused(s, reason::bad_parameter));
}
