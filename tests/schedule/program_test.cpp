// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Schedules of the compiler equal those of the run time.
#include <netra/schedule/program.hpp>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

template <class Program>
void same_at_run_time() {
    static_assert(accepted<Program>);
    loose_schedule s;
    s.operations.clear();
    lower(Program::model, Program::schedule.where, Program::config, s);
    plan_memory(s);
    const auto& made = Program::schedule;
    CHECK(s.groups == std::vector<group>(made.groups.begin(), made.groups.end()));
    CHECK(s.buffers == std::vector<buffer>(made.buffers.begin(), made.buffers.end()));
    CHECK(s.operations == std::vector<operation>(made.operations.begin(), made.operations.end()));
    CHECK((s.counters == made.counters && s.queues == made.queues && s.arena_bytes == made.arena_bytes));
    CHECK(s.check() == Program::verdict);
    CHECK(lowered_size(Program::model, Program::config) == schedule_size{s.groups.size(), s.buffers.size(), s.operations.size()});
}

}  // namespace

TEST_CASE("compile time and run time give the same schedule") {
    same_at_run_time<program<grouped_model>>();
    same_at_run_time<program<grouped_model, host_cpu(), {.workers = 3, .tile_outputs = 2, .kv_splits = 3, .per_head_waits = true}>>();
    same_at_run_time<program<odd_model, host_cpu(2),
                             {.workers = 2,
                              .fuse_norm = false,
                              .fuse_qkv = false,
                              .fuse_gate_up = false,
                              .fuse_residual = false,
                              .assignment = queue_assignment::round_robin}>>();
}

TEST_CASE("a program that the checker refuses says so before anything is asserted") {
    using too_wide = program<grouped_model, host_cpu(2), {.workers = 3}>;
    static_assert(too_wide::verdict.why == reason::too_many_workers);
    CHECK(too_wide::verdict[label::workers] == 3);
}
