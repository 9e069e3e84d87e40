// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact.hpp>

#include "support/catch.hpp"
#include "support/dice.hpp"

#include <cstdio>
#include <vector>

using namespace netra;

namespace {

constexpr u64_t huge = ~u64_t{0};

/// One task that waits for a counter, reads and writes a buffer each, and signals.
struct parts {
    std::vector<expanded_task> tasks{{.name = "t", .signal_count = 1, .wait_count = 1, .access_count = 2}};
    std::vector<u32_t> signals{0};
    std::vector<expanded_wait> waits{{0, 0}};
    std::vector<expanded_access> accesses{{.buffer = 0, .first_row = 0, .end_row = 2, .end_byte = 4}, {.buffer = 1, .write = true, .end_byte = 4}};
    std::vector<expanded_buffer> buffers{{.name = "in", .kind = buffer_kind::input, .space = 1, .rows = 2, .row_bytes = 4, .held_rows = 2},
                                         {.name = "out", .kind = buffer_kind::output, .space = 0, .row_bytes = 4}};
    std::vector<u64_t> counters{0};
    std::vector<u64_t> spaces{4};
    u32_t queues = 1;

    exact_result check() const {
        return check_exact({.tasks = tasks.data(), .task_count = tasks.size(), .signals = signals.data(), .signal_count = signals.size(), .waits = waits.data(),
                            .wait_count = waits.size(), .accesses = accesses.data(), .access_count = accesses.size(), .buffers = buffers.data(),
                            .buffer_count = buffers.size(), .counters = counters.data(), .counter_count = counters.size(), .queues = queues,
                            .spaces = spaces.data(), .space_count = spaces.size()});
    }
    template <class F>
    static verdict changed(F&& change) {
        parts p;
        change(p);
        return p.check().found;
    }
};

}  // namespace

TEST_CASE("what is within bounds is accepted") {
    CHECK(parts{}.check().ok());
    CHECK(check_exact({}).ok());
}

TEST_CASE("indices out of range are named") {
    CHECK(parts::changed([](parts& p) { p.queues = 0; }).why == reason::zero_size);
    const verdict queue = parts::changed([](parts& p) { p.tasks[0].queue = 1; });
    CHECK(queue.why == reason::unknown_queue);
    CHECK(queue[label::limit] == 1);
    CHECK(parts::changed([](parts& p) { p.signals[0] = 1; }).why == reason::unknown_counter);
    CHECK(parts::changed([](parts& p) { p.waits[0].counter = ~u32_t{0}; }).why == reason::unknown_counter);
    CHECK(parts::changed([](parts& p) { p.accesses[1].buffer = 2; }).why == reason::unknown_buffer);
    CHECK(parts::changed([](parts& p) { p.buffers[0].kind = static_cast<buffer_kind>(9); }).why == reason::bad_parameter);
}

TEST_CASE("lists that leave the schedule's are refused") {
    for (const u32_t first : {1U, 2U, ~u32_t{0}}) {
        CHECK(parts::changed([&](parts& p) { p.tasks[0].first_signal = first; }).object == name{"list of signals"});
        CHECK(parts::changed([&](parts& p) { p.tasks[0].first_wait = first; }).object == name{"list of waits"});
        CHECK(parts::changed([&](parts& p) { p.tasks[0].first_access = first; }).object == name{"list of accesses"});
    }
    CHECK(parts::changed([](parts& p) { p.tasks[0].access_count = ~u32_t{0}; }).object == name{"list of accesses"});
}

TEST_CASE("rows and bytes stay in their buffer, buffers in their memory") {
    const verdict row = parts::changed([](parts& p) { p.accesses[0].end_row = 3; });
    CHECK(row.why == reason::wrong_row_count);
    CHECK(row[label::actual] == 2);
    CHECK(row[label::expected] == 3);
    CHECK(parts::changed([](parts& p) { p.accesses[0].first_row = 3; }).why == reason::bad_parameter);
    CHECK(parts::changed([](parts& p) { p.accesses[0].first_byte = 5; }).why == reason::bad_parameter);
    const verdict byte = parts::changed([](parts& p) { p.accesses[1].end_byte = 5; });
    CHECK(byte.why == reason::out_of_bounds);
    CHECK(byte[label::end_byte] == 5);
    const verdict space = parts::changed([](parts& p) { p.spaces[0] = 3; });
    CHECK(space.why == reason::arena_too_small);
    CHECK(space[label::end_byte] == 4);
    CHECK(parts::changed([](parts& p) { p.accesses[0].first_row = p.accesses[0].end_row = 2; }).ok());
    CHECK(parts::changed([](parts& p) { p.buffers[0].held_rows = 3; }).why == reason::bad_parameter);
    CHECK(parts::changed([](parts& p) { p.buffers[0].past_rows = 3; }).why == reason::bad_parameter);
}

TEST_CASE("sizes that do not fit 64 bits are refused") {
    CHECK(parts::changed([](parts& p) { p.buffers[0].rows = huge; }).why == reason::too_large);
    CHECK(parts::changed([](parts& p) { p.buffers[0].row_bytes = huge; }).why == reason::too_large);
    CHECK(parts::changed([](parts& p) { p.buffers[0].rows = u64_t{1} << 40, p.buffers[0].row_bytes = u64_t{1} << 40; }).why == reason::too_large);
    CHECK(parts::changed([](parts& p) { p.buffers[0].offset = huge; }).why == reason::too_large);
    CHECK(parts::changed([](parts& p) { p.waits[0].threshold = huge; }).why == reason::unsatisfiable_wait);
    CHECK(parts::changed([](parts& p) { p.counters[0] = huge; }).ok());
}

TEST_CASE("inputs, weights and past rows are not written") {
    CHECK(parts::changed([](parts& p) { p.accesses[0].write = true; }).why == reason::writes_read_only);
    CHECK(parts::changed([](parts& p) { p.buffers[0].kind = buffer_kind::weight, p.accesses[0].write = true; }).why == reason::writes_read_only);
    const auto state = [](u64_t first, u64_t end) {
        return parts::changed([&](parts& p) {
            p.buffers[0].kind = buffer_kind::state, p.buffers[0].past_rows = 1;
            p.accesses[0] = {.buffer = 0, .write = true, .first_row = first, .end_row = end, .end_byte = 4};
        });
    };
    CHECK(state(0, 1).why == reason::writes_read_only);
    CHECK(state(1, 2).ok());
    CHECK(state(0, 2).ok());
}

TEST_CASE("random numbers anywhere never lead out of the arrays") {
    const u64_t seed = test::seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    test::dice d(seed);
    const auto number = [&]() -> u64_t { return d.percent(70) ? d.below(4) : d.percent(50) ? d.next() : huge - d.below(3); };
    const auto small = [&] { return static_cast<u32_t>(number()); };
    usz accepted = 0;
    for (usz n = 0; n < 20000; ++n) {
        parts p;
        p.queues = small();
        for (u64_t t = d.below(4); t > 0; --t)
            p.tasks.push_back({.queue = small(), .first_signal = small(), .signal_count = small(), .first_wait = small(), .wait_count = small(), .first_access = small(),
                               .access_count = small()});
        for (u64_t i = d.below(4); i > 0; --i) p.signals.push_back(small());
        for (u64_t i = d.below(4); i > 0; --i) p.waits.push_back({small(), number()});
        for (u64_t i = d.below(4); i > 0; --i)
            p.accesses.push_back({.buffer = small(), .write = d.percent(40), .first_row = number(), .end_row = number(), .first_byte = number(), .end_byte = number()});
        for (u64_t i = d.below(3); i > 0; --i)
            p.buffers.push_back({.kind = static_cast<buffer_kind>(d.below(6)), .space = small(), .offset = number(), .rows = number(), .row_bytes = number(),
                                 .held_rows = number(), .past_rows = d.below(3)});
        for (u64_t i = d.below(4); i > 0; --i) p.counters.push_back(number());
        accepted += p.check().ok() ? 1U : 0U;
    }
    CHECK(accepted > 0);
    CHECK(accepted < 20000);
}
