// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/static_vector.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr static_vector<int, 4> filled(int n) {
    static_vector<int, 4> v;
    for (int i = 0; i < n; ++i) v.push_back(10 * i);
    return v;
}
constexpr int sum(const static_vector<int, 4>& v) {
    int s = 0;
    for (const int x : v) s += x;
    return s;
}
static_assert(filled(0).empty() && filled(0).size() == 0 && sum(filled(0)) == 0);
static_assert(filled(4).size() == 4 && filled(4).back() == 30 && sum(filled(4)) == 60);
static_assert(filled(3)[1] == 10 && filled(3) == filled(3) && filled(3) != filled(2));
static_assert(static_vector<int, 4>::capacity() == 4);

template <static_vector<int, 4> Values>
struct structural {
    static constexpr int total = sum(Values);
};
static_assert(structural<filled(3)>::total == 30);

// One element too many is no constant expression.
template <int N>
concept can_fill = requires {
    typename structural<filled(N)>;
};
static_assert(can_fill<4> && !can_fill<5>);

}  // namespace

TEST_CASE("elements can be changed in place") {
    auto v = filled(3);
    v[0] = 7;
    v.back() = 8;
    for (int& x : v) ++x;
    CHECK(std::vector<int>(v.begin(), v.end()) == std::vector<int>{8, 11, 9});
}

TEST_CASE("one element too many ends the program instead of writing past the end") {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_DFL);  // not the test framework's business
        volatile int n = 5;
        const int unused = filled(n).size() == 5 ? 1 : 0;
        _exit(unused);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
}
