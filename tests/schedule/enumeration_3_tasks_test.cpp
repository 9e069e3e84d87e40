// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Each task: one of 2 queues, one of 2 counters to signal, two thresholds from 0 (no wait) to 3; counters start at 0 or 1.
/// Each task may use each of the two buffers; up to renaming of queues, counters and of buffers that are alike:
///   49,545,216  not at all, reads it or writes it
/// and of those in which all tasks run (2.4 in 100; what else they use cannot make the others run):
///    6,443,840  not at all, reads, writes, or both
///   12,689,408  the same, one buffer is an output
///    1,171,044  not at all, reads or writes; both buffers are the same bytes
///    7,611,786  both buffers are the same bytes, a task uses one of them: reads, writes, both, each also of half of it, or one half into
///    the other
///   15,220,474  the same, the buffers have one of two bytes in common
///    2,258,442  the same with an output; reads, writes, both, or writes the first byte
///   94,940,210  together
/// The first number is also (2 * 4 * 32^3 * 9^3 + 2 * 4 * 32^3 * 3^3) / 4: renaming counters leaves no schedule as it is, renaming buffers
/// 3^3 of 9^3.
#include "schedule/enumeration.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

TEST_CASE("3 tasks, 2 queues, 2 counters, 2 buffers, thresholds 0 to 3") {
    const expanded_buffer output = two_bytes(1, 0, buffer_kind::output);
    const expanded_buffer overlapping_output = two_bytes(0, 1, buffer_kind::output);
    const enumeration any{.tasks = 3, .thresholds = 4, .initial_values = 2};
    std::vector<enumeration> parts(7, any);
    for (usz i = 1; i < parts.size(); ++i) parts[i].running = true;
    const auto set = [&](usz i, const char* what, const std::vector<use>& each, const std::vector<expanded_buffer>& buffers, bool alike,
                         bool one) {
        parts[i].what = what, parts[i].uses = each, parts[i].buffers = buffers, parts[i].buffers_alike = alike, parts[i].one_buffer = one;
    };
    set(0, "two buffers", uses(3), {two_bytes(0), two_bytes(1)}, true, false);
    set(1, "two buffers, running", uses(4), {two_bytes(0), two_bytes(1)}, true, false);
    set(2, "with an output, running", uses(4), {two_bytes(0), output}, false, false);
    set(3, "the same bytes, running", uses(3), {two_bytes(0), two_bytes(0)}, true, false);
    set(4, "the same bytes, one buffer a task, running", uses(9), {two_bytes(0), two_bytes(0)}, true, true);
    set(5, "a byte in common, one buffer a task, running", uses(9), {two_bytes(0), two_bytes(0, 1)}, false, true);
    set(6, "a byte in common with an output, one buffer a task, running", uses(5), {two_bytes(0), overlapping_output}, false, true);
    const enumeration_result r = enumerate(parts);
    CHECK(r.schedules == 94940210);
    CHECK(r.wrong == 0);
    CHECK(r.safe() != 0);
}
