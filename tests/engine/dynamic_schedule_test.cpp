// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/schedule/program.hpp>

#include "support/refusal.hpp"

#include <algorithm>

using namespace netra;
using namespace netra::test;

namespace {

constexpr llama tiny{.hidden = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16, .intermediate = 48, .vocab = 40, .context = 24, .tied_head = true};
constexpr lower_config three{.workers = 3, .tile_outputs = 8};
using compiled_tiny = program<tiny, host_cpu(3), three>;
static_assert(accepted<compiled_tiny>);

template <class A, class B>
bool same(const A& a, const B& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("a schedule made at run time is the one made while compiling") {
    const dynamic_schedule s = lower_checked(tiny, three, host_cpu(3));
    CHECK(same(s.groups, compiled_tiny::schedule.groups));
    CHECK(same(s.buffers, compiled_tiny::schedule.buffers));
    CHECK(same(s.operations, compiled_tiny::schedule.operations));
    CHECK(s.counters == compiled_tiny::schedule.counters);
    CHECK(s.queues == 3);
    CHECK(s.arena_bytes == compiled_tiny::schedule.arena_bytes);
    CHECK(s.arena_bytes > 0);
    CHECK(s.where == host_cpu(3));
}

TEST_CASE("what lower_checked returns, the checker accepts; damage, it does not") {
    dynamic_schedule s = lower_checked(tiny, {.workers = 2});
    CHECK(check_schedule(view(s)).ok());
    const auto waiting = std::find_if(s.groups.begin(), s.groups.end(), [](const group& g) { return g.waits.size() > 0; });
    REQUIRE(waiting != s.groups.end());
    waiting->waits[0].threshold = 1000;
    const verdict v = check_schedule(view(s));
    CHECK(v.why == reason::unsatisfiable_wait);
    CHECK(v[label::threshold] == 1000);
    CHECK(v.subject == waiting->name);
}

TEST_CASE("models and lowerings that cannot be are refused with the checker's sentence") {
    llama m = tiny;
    m.heads = 3;
    m.kv_heads = 2;
    check_refused([&] { lower_checked(m, {}); }, {"3 query heads cannot share 2 key-value heads evenly"});
    m = tiny;
    m.rows = 17;
    check_refused([&] { lower_checked(m, {}); }, {"17 rows a step, the most that is supported is 16"});
    m = tiny;
    m.weights.down = q4_1;  // rows of 48 elements, blocks of 32
    check_refused([&] { lower_checked(m, {}); }, {"is 48, which is not a multiple of 32"});
    m = tiny;
    m.hidden = 0;
    check_refused([&] { lower_checked(m, {}); }, {"hidden is 0"});
    check_refused([&] { lower_checked(tiny, {.workers = 0}); }, {"lowering: workers is 0"});
    check_refused([&] { lower_checked(tiny, {.kv_splits = 257}); }, {"lowering: kv_splits is 257, the most that is supported is 256"});
    check_refused([&] { lower_checked(tiny, {.workers = 5}, host_cpu(4)); }, {"the schedule has 5 workers, the device runs at most 4"});
}
