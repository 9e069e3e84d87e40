// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/target.hpp>

#include "support/catch.hpp"

using namespace netra;

template <device D>
struct takes_a_device {
    static constexpr u32_t workers = D.workers;
};
static_assert(takes_a_device<host_cpu(3)>::workers == 3);

TEST_CASE("the CPU runs as many workers as are asked for, up to the most by default") {
    CHECK(host_cpu().workers == max_cpu_workers);
    CHECK(host_cpu(2).workers == 2);
    CHECK(host_cpu().isa == instruction_set::host);
    CHECK(host_cpu().name == name{"cpu"});
    CHECK(host_cpu(2) != host_cpu(3));
    CHECK(device{}.workers == 1);
}

TEST_CASE("an exact target runs on its capability alone, others on later ones too") {
    CHECK(runs_on(sm_80, 86));
    CHECK(runs_on(sm_80, 120));
    CHECK_FALSE(runs_on(sm_89, 86));
    CHECK(runs_on(sm_90a, 90));
    CHECK_FALSE(runs_on(sm_90a, 100));
    CHECK_FALSE(runs_on(sm_100a, 103));
}
