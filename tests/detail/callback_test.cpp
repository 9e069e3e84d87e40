// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/callback.hpp>

#include "support/catch.hpp"

#include <string>
#include <string_view>

using netra::detail::callback;

namespace {
void each(callback<std::string_view> f) {
    f("one");
    f("two");
}
}  // namespace

TEST_CASE("a callback calls what it was made of") {
    std::string all;
    each([&](std::string_view s) { all.append(s).append(";"); });
    CHECK(all == "one;two;");
}

TEST_CASE("a copy of a callback calls the same function, and what is called may take what the argument converts to") {
    long sum = 0;
    const auto add = [&](long v) { sum += v; };
    const callback<int> first(add);
    const callback<int> second = first;
    first(1);
    second(20);
    CHECK(sum == 21);
}
