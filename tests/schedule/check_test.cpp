// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/check.hpp>

#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace netra;
using namespace netra::test;

namespace {

u64_t from_environment(const char* name, u64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("no random schedule is accepted that the oracle refuses") {
    const u64_t seed =
        from_environment("NETRA_FUZZ_SEED", static_cast<u64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % 1000000000);
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", 200000);
    std::printf("seed %llu, %llu schedules\n", seed, count);
    u64_t accepted = 0;
    u64_t safe = 0;
    u64_t wrong = 0;
    std::array<u64_t, reason_count> refused{};
    std::array<u64_t, reason_count> refused_safe{};
    for (u64_t i = 0; i < count && wrong < 3; ++i) {
        const loose_schedule s = schedule_maker((seed << 32) + i).make();
        const verdict v = s.check();
        const std::string problem = oracle::judge(view(s));
        accepted += v.ok() ? 1U : 0U;
        safe += problem.empty() ? 1U : 0U;
        if (!v.ok()) ++(problem.empty() ? refused_safe : refused)[static_cast<usz>(v.why)];
        if (!v.ok() || problem.empty()) continue;
        ++wrong;
        std::printf("accepted, but: %s (NETRA_FUZZ_SEED=%llu, schedule %llu)\n%s\n", problem.c_str(), seed, i, dump(view(s)).c_str());
    }
    std::printf("accepted %llu, safe %llu\n", accepted, safe);
    for (usz r = 0; r < reason_count; ++r)
        if (refused[r] + refused_safe[r] != 0)
            std::printf("  %-24s refused %8llu, of safe schedules %8llu\n", name_of(static_cast<reason>(r)), refused[r] + refused_safe[r],
                        refused_safe[r]);
    CHECK(wrong == 0);
    CHECK(accepted * 100 >= count * 5);
    CHECK(safe >= accepted);
}
