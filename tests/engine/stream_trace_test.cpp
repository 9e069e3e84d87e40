// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/stream_trace.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace netra;

namespace {
constexpr llama small{.hidden = 64,
                      .layers = 2,
                      .heads = 2,
                      .kv_heads = 1,
                      .head_dim = 32,
                      .intermediate = 96,
                      .vocab = 50,
                      .context = 64,
                      .rows = 1,
                      .weights = bf16,
                      .kv = bf16};
}

TEST_CASE("every stamped task is a span of its block and role, what it waited for another") {
    const stream_plan p = plan_stream(small, {.name = "gpu", .isa = instruction_set::ptx, .workers = 3, .shared_bytes = 232448}, {});
    const u32_t steps = 2;
    const usz tasks = traced_tasks(p);
    std::vector<trace_record> records(3 * steps * tasks);
    records[(1 * steps + 1) * tasks + traced_place(p, block_task::o, 1)] = {.start = 100, .ready = 130, .end = 170};
    records[(2 * steps + 0) * tasks + traced_place(p, block_task::head, 0)] = {.start = 200, .ready = 0, .end = 260};
    records[(2 * steps + 0) * tasks + traced_place(p, block_task::attention, 0)] = {.start = 90, .ready = 90, .end = 95};
    records[0] = {.start = 5, .ready = 6, .end = 0};  // gave up
    const std::vector<trace_span> spans = spans_of(p, records, steps);
    REQUIRE(spans.size() == 4);
    const auto is = [&](usz i, u32_t block, const char* role, const char* name, u64_t begin, u64_t end) {
        CHECK(spans[i].block == block);
        CHECK(spans[i].role == role);
        CHECK(spans[i].name == name);
        CHECK(spans[i].begin_ns == begin);
        CHECK(spans[i].end_ns == end);
    };
    is(0, 1, "consumer", "wait o[1]", 100, 130);
    is(1, 1, "consumer", "o[1]", 130, 170);
    is(2, 2, "attention", "attention[0]", 90, 95);
    is(3, 2, "consumer", "head", 200, 260);
    CHECK(chrome_trace(spans).find("wait o[1]") != std::string::npos);

    records.pop_back();
    CHECK_THROWS_WITH(spans_of(p, records, steps), test::containing("3 blocks"));
}

TEST_CASE("every task has a place of its own in a trace") {
    const stream_plan p = plan_stream(small, {.name = "gpu", .isa = instruction_set::ptx, .workers = 3, .shared_bytes = 232448}, {});
    std::vector<int> used(traced_tasks(p));
    for (usz t = 0; t < std::size(block_tasks); ++t) {
        const auto task = static_cast<block_task>(t);
        const bool of_layer = traced_place(p, task, 1) != traced_place(p, task, 0);
        for (u32_t layer = 0; layer < (of_layer ? small.layers : 1); ++layer) ++used.at(traced_place(p, task, layer));
    }
    CHECK(std::count(used.begin(), used.end(), 1) == static_cast<std::ptrdiff_t>(used.size()));
}
