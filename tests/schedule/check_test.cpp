// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/check.hpp>

#include <netra/schedule/checks/exact.hpp>

#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

#include <array>
#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

/// All indices in range, all bytes in bounds: such a schedule can be written out task by task.
bool well_formed(const loose_schedule& s) {
    for (usz g = 0; g < s.groups.size(); ++g)
        for (const u16_t p : s.groups[g].words)
            if (p >= g) return false;
    return check_structure(view(s)).ok();
}

}  // namespace

TEST_CASE("no random schedule is accepted that the exact checker refuses") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 15000 : 400000);  // of well-formed ones
    std::printf("NETRA_FUZZ_SEED=%llu, %llu well-formed schedules\n", seed, count);
    u64_t judged = 0;
    u64_t malformed = 0;
    u64_t accepted = 0;
    u64_t safe = 0;
    u64_t wrong = 0;
    u64_t asked_twice = 0;
    std::array<u64_t, reason_count> refused{};
    std::array<u64_t, reason_count> refused_safe{};
    for (u64_t i = 0; judged < count && wrong < 3; ++i) {
        const loose_schedule s = schedule_maker((seed << 32) + i).make();
        const verdict v = s.check();
        const char* problem = nullptr;
        if (!well_formed(s)) {
            ++malformed;
            if (v.ok()) problem = "it is malformed";
        } else {
            ++judged;
            const reason exact = check_exact(expanded_schedule(view(s)).view()).found.why;
            const bool is_safe = exact == reason::accepted;
            accepted += v.ok() ? 1U : 0U;
            safe += is_safe ? 1U : 0U;
            if (!v.ok()) ++(is_safe ? refused_safe : refused)[static_cast<usz>(v.why)];
            if (v.ok() && !is_safe) problem = name_of(exact);
            if (i % 8 == 0) {
                ++asked_twice;
                if (oracle::judge(view(s)).empty() != is_safe)
                    problem = is_safe ? "the oracle refuses it, the exact checker does not"
                                      : "the oracle finds it safe, the exact checker does not";
            }
        }
        if (problem == nullptr) continue;
        ++wrong;
        std::printf("schedule %llu, NETRA_FUZZ_SEED=%llu: the group checker says %s, but: %s\n%s\n", i, seed, name_of(v.why), problem,
                    dump(view(s)).c_str());
    }
    u64_t refused_though_safe = 0;
    for (const u64_t n : refused_safe) refused_though_safe += n;
    std::printf(
        "%llu judged (%llu of them by the oracle too) and %llu malformed; %llu safe, %llu accepted, %.2f %% of the safe ones refused\n",
        judged, asked_twice, malformed, safe, accepted,
        safe == 0 ? 0.0 : 100.0 * static_cast<double>(refused_though_safe) / static_cast<double>(safe));
    for (usz r = 0; r < reason_count; ++r)
        if (refused[r] + refused_safe[r] != 0)
            std::printf("  %-24s refused %8llu, of safe schedules %8llu\n", name_of(static_cast<reason>(r)), refused[r] + refused_safe[r],
                        refused_safe[r]);
    CHECK(wrong == 0);
    CHECK(accepted * 100 >= judged * 5);
    CHECK(safe >= accepted);
}
