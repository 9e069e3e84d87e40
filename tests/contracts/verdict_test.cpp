// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/verdict.hpp>

#include <string>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("a name holds 31 characters and cuts the rest") {
    const char* const longer = "abcdefghijklmnopqrstuvwxyz0123456789";
    CHECK(std::string(name{longer}.d) == "abcdefghijklmnopqrstuvwxyz01234");
    CHECK(std::string(name{"abcdefghijklmnopqrstuvwxyz0123456789"}.d) == "abcdefghijklmnopqrstuvwxyz01234");
    CHECK(name{"q"} == name{std::string("q").c_str()});
    CHECK(name{"q"} != name{"k"});
    CHECK(name{}.empty());
    CHECK_FALSE(name{"q"}.empty());
}

TEST_CASE("an indexed name shows its index") {
    CHECK(indexed("o_proj", 0) == name{"o_proj[0]"});
    CHECK(indexed("keys", 131) == name{"keys[131]"});
}

TEST_CASE("a verdict accepts unless it has a reason") {
    constexpr verdict good;
    static_assert(good.ok() && good.facts.empty());
    const verdict bad = refuse(reason::zero_size, "linear", "out");
    CHECK_FALSE(bad.ok());
    CHECK(std::string(sentence(bad).d) == "linear: out is 0; every size of a contract must be at least 1");
    CHECK(std::string(sentence(good).d) == "accepted");
}

TEST_CASE("facts are found by label and printed where the sentence names them") {
    const verdict v = refuse(reason::too_large, "linear", "out").with(label::value, 18446744073709551615ULL).with(label::limit, 7);
    CHECK(v[label::value] == 18446744073709551615ULL);
    CHECK(v[label::limit] == 7);
    CHECK(v[label::rows] == 0);
    CHECK(std::string(sentence(v).d) == "linear: out is 18446744073709551615, the most that is supported is 7");
    CHECK(v != refuse(reason::too_large, "linear", "out"));
}

TEST_CASE("the longest names and numbers fit the sentence") {
    const name longest{"abcdefghijklmnopqrstuvwxyz0123456789"};
    for (usz r = 0; r < reason_count; ++r) {
        verdict v = refuse(static_cast<reason>(r), longest, longest);
        count_sink counted;
        write_sentence(counted, v);
        usz numbers = 0;
        for (const char* s = sentence_of(v.why); *s != 0; ++s) numbers += *s == '{' ? 1U : 0U;
        INFO(name_of(v.why));
        CHECK(counted.n + numbers * 20 <= 400);
    }
}
