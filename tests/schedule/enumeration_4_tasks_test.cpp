// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Each task: one of 2 queues, one of 2 counters to signal, two thresholds from 0 (no wait) to 2; counters start at 0 or 1.
/// Each task may use the buffer; up to renaming of queues and counters:
///   42,519,654  not at all, reads it or writes it
/// and of those in which all tasks run:
///   39,030,875  not at all, reads, writes, both, or writes the first half
///    9,277,821  counters start at 0: the same, and reads or writes either half, or one half into the other
///    9,277,821  the same; the halves are the rows of a state, the first one of earlier steps
///      883,925  counters start at 0: an output; not at all, reads, writes, both, or writes the first half
///  100,990,096  together
/// The first number is also 2 * 4 * 18^4 * 3^4 / 2 where the queues have different lengths, and (4 * 18^4 * 3^4 + 4 * 18^2 * 3^2 + 2 * 18^2
/// * 3^2) / 4 where both have two tasks: what renaming queues, alone or with the counters, leaves as it is.
#include "schedule/enumeration.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

TEST_CASE("4 tasks, 2 queues, 2 counters, 1 buffer, thresholds 0 to 2") {
    const expanded_buffer output = two_bytes(0, 0, buffer_kind::output);
    const expanded_buffer state{.kind = buffer_kind::state, .rows = 2, .row_bytes = 1, .held_rows = 1, .past_rows = 1};
    const enumeration any{.tasks = 4, .thresholds = 3, .initial_values = 2};
    std::vector<enumeration> parts(5, any);
    const auto set = [&](usz i, const char* what, usz each, const expanded_buffer& buffer, u32_t initial_values) {
        parts[i].what = what, parts[i].uses = uses(each), parts[i].buffers = {buffer}, parts[i].initial_values = initial_values,
        parts[i].running = i != 0;
    };
    set(0, "one buffer", 3, two_bytes(0), 2);
    set(1, "one buffer, running", 5, two_bytes(0), 2);
    set(2, "halves of a buffer, counters start at 0, running", 9, two_bytes(0), 1);
    set(3, "rows of a state, counters start at 0, running", 9, state, 1);
    set(4, "an output, counters start at 0, running", 5, output, 1);
    const enumeration_result r = enumerate(parts);
    CHECK(r.schedules == 100990096);
    CHECK(r.wrong == 0);
    CHECK(r.safe() != 0);
}
