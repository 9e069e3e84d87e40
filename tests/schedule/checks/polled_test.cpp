// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/polled.hpp>

#include "schedule/loose_schedule.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr u32_t tiles = 4;

/// make (4 tiles) writes words and plain; use reads them.
struct made_and_used {
    loose_schedule s{};
    u16_t words = s.add("words", buffer_kind::activation, 32, 1, 0);
    u16_t plain = s.add("plain", buffer_kind::activation, 32, 1, 32);
    u16_t seen = s.add("seen", buffer_kind::output, 32);
    group use{};

    made_and_used() {
        s.queues = tiles;
        group make = s.start("make", tiles);
        make.queue = {0, 1, 1};
        writes(make, words, cut(0, 32, 8));
        writes(make, plain, cut(0, 32, 8));
        s.finish(make);
        use = s.start("use", tiles);
        use.queue = {0, 1, 1};
        use.words.push_back(0);
        reads(use, words, same_bytes(0, 32));
        writes(use, seen, cut(0, 32, 8));
    }
    verdict judge() {
        s.finish(use);
        REQUIRE(s.check().ok());
        return check_polled(view(s));
    }
};

}  // namespace

TEST_CASE("polled words may be read, and what the queue wrote itself") {
    made_and_used polled;
    CHECK(polled.judge().ok());
    made_and_used own;
    reads(own.use, own.plain, cut(0, 32, 8));
    CHECK(own.judge().ok());
    made_and_used own_alone;
    own_alone.use.words = {};
    own_alone.use.accesses[0] = {own_alone.plain, false, row_part::whole, cut(0, 32, 8)};
    CHECK(own_alone.judge().ok());
}

TEST_CASE("plain bytes of another queue may not be read, although their group is ordered before") {
    made_and_used between;
    group first = between.s.start("between", tiles);
    first.queue = {0, 1, 1};
    first.words.push_back(0);
    reads(first, between.words, same_bytes(0, 32));
    const u16_t relay = between.s.add("relay", buffer_kind::activation, 32, 1, 64);
    writes(first, relay, cut(0, 32, 8));
    between.s.finish(first);
    between.use.words = {};
    between.use.words.push_back(1);
    between.use.accesses[0] = {relay, false, row_part::whole, same_bytes(0, 32)};
    reads(between.use, between.plain, same_bytes(0, 32));
    const verdict v = between.judge();
    CHECK(v.why == reason::unpolled_read);
    CHECK(v[label::buffer] == between.plain);
    CHECK(std::string(v.subject.d) == "use");
    CHECK(std::string(v.object.d) == "make");
}

TEST_CASE("tiles that read what a neighbour wrote, or run elsewhere, do not read their own") {
    for (const bool elsewhere : {false, true}) {
        made_and_used shifted;
        group again = shifted.s.start("again", tiles);  // writes plain once more, on the queues of use
        again.queue = {0, 1, 1};
        again.words.push_back(0);
        reads(again, shifted.words, same_bytes(0, 32));
        const u16_t more = shifted.s.add("more", buffer_kind::activation, 32, 1, 64);
        const u16_t done = shifted.s.add("done", buffer_kind::activation, 32, 1, 96);
        writes(again, more, cut(0, 32, 8));
        writes(again, done, cut(0, 32, 8));
        shifted.s.finish(again);
        shifted.use.words = {};
        shifted.use.words.push_back(1);
        shifted.use.accesses[0] = {done, false, row_part::whole, same_bytes(0, 32)};
        reads(shifted.use, more, elsewhere ? cut(0, 32, 8) : same_bytes(0, 32));
        if (elsewhere) shifted.use.queue.first = 1;
        CHECK(shifted.judge().ok());  // polled anyhow
        shifted.s.groups.back().words = {};
        CHECK(check_polled(view(shifted.s)).why == reason::unpolled_read);
    }
}

TEST_CASE("an older writer counts where a newer one left bytes") {
    made_and_used partly;
    group newer = partly.s.start("newer");
    newer.words.push_back(0);
    reads(newer, partly.words, same_bytes(0, 32));
    reads(newer, partly.plain, same_bytes(0, 8));
    writes(newer, partly.plain, same_bytes(0, 8));
    partly.s.finish(newer);
    partly.use.words.push_back(1);
    reads(partly.use, partly.plain, same_bytes(0, 32));
    CHECK(partly.judge().ok());
    partly.s.groups.back().words[0] = 1;
    partly.s.groups.back().words.count = 1;
    CHECK(check_polled(view(partly.s)).why == reason::unpolled_read);
}

TEST_CASE("words that nobody polled are overwritten by the queue that wrote them only") {
    for (const bool polled : {false, true})
        for (const u32_t queue : {0U, 1U}) {
            made_and_used again;
            reads(again.use, again.words, same_bytes(0, 32));
            if (polled) reads(again.use, again.plain, same_bytes(0, 32));
            again.s.finish(again.use);
            group over = again.s.start("over", tiles);
            over.queue = {queue, 1, 1};
            over.words.push_back(1);
            const u16_t relay = again.s.add("relay", buffer_kind::activation, 32, 1, 64);
            writes(again.s.groups.back(), relay, cut(0, 32, 8));
            reads(over, relay, same_bytes(0, 32));
            writes(over, again.plain, cut(0, 32, 8));
            again.s.finish(over);
            REQUIRE(again.s.check().ok());
            const verdict v = check_polled(view(again.s));
            CHECK(v.ok() == (polled || queue == 0));
            if (v.ok()) continue;
            CHECK(v.why == reason::unpolled_overwrite);
            CHECK(v[label::buffer] == again.plain);
            CHECK(v[label::first_byte] == 0);
        }
}

TEST_CASE("a word that is polled by one of several readers has been seen") {
    for (const u64_t upto : {24U, 32U}) {
        made_and_used s;
        s.use.accesses[0].range = same_bytes(0, 16);
        s.s.finish(s.use);
        const u16_t relay = s.s.add("relay", buffer_kind::activation, 32, 1, 64);
        writes(s.s.groups.back(), relay, cut(0, 32, 8));
        group over = s.s.start("over");  // polls the rest of what it overwrites
        over.words.push_back(0);
        over.words.push_back(1);
        reads(over, relay, same_bytes(0, 32));
        reads(over, s.words, same_bytes(12, upto - 12));
        writes(over, s.words, same_bytes(0, 32));
        s.s.finish(over);
        REQUIRE(s.s.check().ok());
        const verdict v = check_polled(view(s.s));
        CHECK(v.ok() == (upto == 32));
        if (!v.ok()) CHECK(v[label::first_byte] == 24);
    }
}

TEST_CASE("words of two exchanges at one place could be taken for each other") {
    made_and_used s;
    CHECK(s.judge().ok());
    s.s.buffers[s.plain].arena = 24;
    const verdict v = check_polled(view(s.s));
    CHECK(v.why == reason::memory_reused_too_early);
    CHECK(v[label::first_byte] == 24);
}
