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

TEST_CASE("groups ordered by their common queue alone") {
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

TEST_CASE("tiles that wait by word for the tiles whose bytes they read") {
    loose_schedule s;
    s.queues = 3;
    const u16_t b = s.add("b", buffer_kind::activation, 48);
    const u16_t c = s.add("c", buffer_kind::activation, 12, 1, 64);
    group g = s.start("w", 12);
    g.queue = {0, 1, 1};
    writes(g, b, cut(0, 48, 4));
    s.finish(g);
    g = s.start("r", 3);
    g.queue = {1, 1, 1};
    g.words.push_back(0);
    reads(g, b, cut(0, 48, 16));
    writes(g, c, cut(0, 12, 4));
    s.finish(g);
    CHECK(safe(s));
    s.groups[1].accesses.push_back({c, false, row_part::whole, same_bytes(0, 4)});
    CHECK(refused(s, reason::tiles_overlap));
    s.groups[1].accesses.count = 2;
    s.groups[1].words = {};
    CHECK(refused(s, reason::data_race));
}

namespace {

/// Two layers that reuse two buffers and wait by word alone: projection, attention by heads, output projection of everything.
loose_schedule layers_by_word() {
    loose_schedule s;
    s.queues = 8;
    const u16_t hidden = s.add("hidden", buffer_kind::activation, 32);
    const u16_t q = s.add("q", buffer_kind::activation, 64, 1, 64);
    const u16_t heads = s.add("heads", buffer_kind::activation, 64, 1, 128);
    u16_t last = 0;
    const auto add = [&](const char* name, u32_t tiles, u16_t from, const byte_range& read, u16_t to, u64_t bytes) {
        group g = s.start(name, tiles);
        g.queue = {static_cast<u32_t>(s.groups.size()), 1, 1};
        g.words.push_back(last);
        reads(g, from, read);
        writes(g, to, cut(0, bytes, bytes / tiles));
        last = static_cast<u16_t>(s.groups.size());
        s.finish(g);
    };
    group g = s.start("embedding");
    writes(g, hidden, same_bytes(0, 32));
    s.finish(g);
    for (u32_t layer = 0; layer < 2; ++layer) {
        add("q_proj", 8, hidden, same_bytes(0, 32), q, 64);
        add("attention", 4, q, cut(0, 64, 16), heads, 64);
        add("o_proj", 4, heads, same_bytes(0, 64), hidden, 32);
    }
    return s;
}

}  // namespace

TEST_CASE("waits by word prove that buffers are overwritten late enough") {
    loose_schedule s = layers_by_word();
    CHECK(safe(s));
    s.groups[3].accesses[0].range = cut(0, 64, 16);  // follows one head, but overwrites what the projections of all heads read
    CHECK(refused(s, reason::data_race));
    s = layers_by_word();
    s.groups[4].words[0] = 1;  // of the layer before: o_proj may still read what attention overwrites
    CHECK(!s.check().ok());
    CHECK_FALSE(oracle::judge(view(s)).empty());
}

TEST_CASE("a buffer's memory is given to another one where waits by word prove that it is free") {
    loose_schedule s = layers_by_word();
    const u16_t again = s.add("again", buffer_kind::activation, 64, 1, 64);
    s.groups[4].accesses[1].buffer = again;
    s.groups[5].accesses[0].buffer = again;
    CHECK(safe(s));
    s.groups[4].words[0] = 1;  // attention may still read
    s.groups[4].accesses[0].range = same_bytes(0, 0);
    CHECK(refused(s, reason::memory_reused_too_early));
}

TEST_CASE("disjoint halves on one counter, joined by the reader") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto low = c.add("low", {}, {b}, {}, same_bytes(0, 8));
    c.add("high", {}, {b}, {}, same_bytes(8, 8));
    c.s.groups[1].signal = low.signal;
    c.add("reader", {b}, {}, {});
    c.s.groups[2].waits.push_back({low.signal, 1, 2});
    CHECK(safe(c.s));
    c.s.groups[2].waits[0].threshold = 1;
    CHECK(refused(c.s, reason::data_race));
}

TEST_CASE("one wait for the counters of two groups") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto low = c.add("low", {}, {b}, {}, same_bytes(0, 8));
    c.add("high", {}, {b}, {}, same_bytes(8, 8));
    c.add("reader", {b}, {}, {});
    c.s.groups[2].waits.push_back({low.signal, 2, 1});
    CHECK(safe(c.s));
    c.s.groups[2].waits[0].count = 1;
    CHECK(refused(c.s, reason::data_race));
}

TEST_CASE("a part of the signals of one queue comes from its first tiles") {
    loose_schedule s;
    s.queues = 2;
    const u16_t b = s.add("b", buffer_kind::activation, 16);
    group g = s.start("w", 4);
    g.queue = {0, 0, 1};
    writes(g, b, cut(0, 16, 4));
    const added_group w = s.finish(g);
    g = s.start("r");
    g.queue = {1, 0, 1};
    g.waits.push_back({w.signal, 1, 3});
    reads(g, b, same_bytes(0, 12));
    s.finish(g);
    CHECK(safe(s));
    s.groups[1].accesses[0].range = same_bytes(0, 16);
    CHECK(refused(s, reason::data_race));
    s.groups[1].accesses[0].range = same_bytes(0, 12);
    s.groups[0].queue = {0, 1, 1};
    CHECK(refused(s, reason::data_race));
}

TEST_CASE("a partial threshold whose remaining producer follows the others") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const u16_t other = c.s.add("other", buffer_kind::activation, 16, 1, 64);
    const auto first = c.add("first", {}, {b}, {});
    const auto gate = c.add("gate", {b}, {}, {first});
    c.add("second", {}, {other}, {gate});
    c.s.groups[2].signal = first.signal;  // 1 or 2: the first signal is of the first group
    c.add("reader", {b}, {}, {});
    c.s.groups[3].waits.push_back({first.signal, 1, 1});
    CHECK(safe(c.s));
    c.s.groups[3].accesses[0].buffer = other;
    CHECK(refused(c.s, reason::data_race));
    c.s.groups[3].waits[0].threshold = 2;
    CHECK(safe(c.s));
}

TEST_CASE("a counter that every layer signals again") {
    chain_of_groups c;
    const u16_t b = c.s.add("b", buffer_kind::activation, 16);
    const auto first = c.add("first", {}, {b}, {});
    const auto reader = c.add("reader", {b}, {}, {first});
    c.add("second", {}, {b}, {reader});
    c.s.groups[2].signal = first.signal;
    c.add("late", {b}, {}, {});
    c.s.groups[3].waits.push_back({first.signal, 1, 2});
    CHECK(safe(c.s));
    c.s.groups[2].waits = {};  // it may signal first: then the reader reads too early
    CHECK(refused(c.s, reason::shared_counter));
}

TEST_CASE("a state that is rewritten in each step") {
    chain_of_groups c;
    const u16_t state = c.s.add("state", buffer_kind::state, 16, 4);
    const auto update = c.add("update", {state}, {state}, {});
    c.s.groups[0].accesses[0].part = row_part::past;
    c.add("use", {state}, {}, {update});
    CHECK(safe(c.s));
    c.s.groups[0].accesses[0].part = row_part::whole;  // reads rows of this step before anything wrote them
    CHECK(refused(c.s, reason::uncovered_read));
}

TEST_CASE("heads that wait for the tiles of their own projection, many at a time") {
    loose_schedule s;
    s.queues = 16;
    const u16_t q = s.add("q", buffer_kind::activation, 4096);
    const u16_t out = s.add("out", buffer_kind::activation, 4096, 1, 4096);
    group g = s.start("q_proj", 1024, true);
    g.queue = {0, 1, 1};
    writes(g, q, cut(0, 4096, 4));
    const added_group p = s.finish(g);
    g = s.start("attention", 256);
    g.queue = {3, 1, 1};
    g.waits.push_back({{p.signal.first, 4, 1}, 4, 1});
    reads(g, q, cut(0, 4096, 16));
    writes(g, out, cut(0, 4096, 16));
    s.finish(g);
    CHECK(s.check().ok());
    s.groups[1].accesses[0].range.size = 20;
    CHECK(s.check().why == reason::data_race);
    s.groups[1].accesses[0].range = cut(0, 4096, 32, 2);  // two tiles share a head of 8 tiles: each waits for half of what it reads
    CHECK(s.check().why == reason::data_race);
    s.groups[0].signal.den = 8;  // a counter a head
    s.groups[1].waits[0] = {{p.signal.first, 1, 2}, 1, 8};
    CHECK(s.check().ok());
    s.groups[1].waits[0].first.den = 3;
    CHECK(s.check().why == reason::data_race);
    s.groups[1].waits[0] = {{p.signal.first, 1, 2}, 1, 7};
    CHECK(s.check().why == reason::data_race);
}

TEST_CASE("whoever waits for the last tile of a queue follows them all") {
    loose_schedule s;
    s.queues = 2;
    const u16_t b = s.add("b", buffer_kind::activation, 16);
    group g = s.start("w", 4, true);
    g.queue = {0, 0, 1};
    writes(g, b, cut(0, 16, 4));
    const added_group w = s.finish(g);
    g = s.start("r");
    g.queue = {1, 0, 1};
    join_tiles(g, w, 3, 1, 1);
    reads(g, b, all);
    s.finish(g);
    CHECK(safe(s));
    s.groups[0].queue = {0, 1, 1};
    CHECK(refused(s, reason::data_race));
    s.groups[0].queue = {0, 0, 1};
    s.groups[1].waits[0].first.first = 2;
    CHECK(refused(s, reason::data_race));
}
