// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/open_groups.hpp>

#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"

#include <set>

using namespace netra;
using namespace netra::test;

namespace {

std::set<usz> items(const detail::open_groups& of) {
    std::set<usz> found;
    of.for_each([&](usz g) { found.insert(g); });
    return found;
}

}  // namespace

TEST_CASE("narrowing against plain sets") {
    dice d(7);
    const usz most = 300;
    for (int round = 0; round < 2000; ++round) {
        detail::narrowing_set narrowed(most);
        detail::narrowing_set other(most);
        const usz end = d.below(most) + 1;
        narrowed.fill(end);
        std::set<usz> expected;
        for (usz i = 0; i < end; ++i) expected.insert(i);
        for (u32_t steps = d.below(4); steps > 0; --steps) {
            const usz from = d.below(end) + 1;
            const usz since = d.below(from);
            const usz until = since + d.below(from - since + 1);
            other.fill(until);
            if (d.percent(80)) other.keep({}, since);
            const auto kept = other.get();
            narrowed.keep(kept, from);
            const std::set<usz> allowed = items(kept);
            for (auto i = expected.begin(); i != expected.end();) i = *i < from && allowed.count(*i) == 0 ? expected.erase(i) : std::next(i);
        }
        const auto found = narrowed.get();
        REQUIRE(items(found) == expected);
        for (usz i = 0; i < end + 70; ++i) REQUIRE(found.has(i) == (expected.count(i) != 0));
        detail::narrowing_set copy(most);
        copy.copy(found);
        REQUIRE(items(copy.get()) == expected);
        copy.clear();
        REQUIRE(copy.get().count == 0);
    }
}

TEST_CASE("sets in a list") {
    detail::open_group_list list(3);
    const detail::open_word words[] = {{0, 5}, {4, 1}};
    list.push_back({words, 2});
    list.push_back({});
    list.push_back({words + 1, 1});
    CHECK(items(list[0]) == std::set<usz>{0, 2, 256});
    CHECK(items(list[1]).empty());
    CHECK(items(list[2]) == std::set<usz>{256});
    CHECK(list.words().size() == 3);
}
