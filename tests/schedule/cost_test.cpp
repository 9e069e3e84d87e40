// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/schedule/cost.hpp>
#include <netra/schedule/program.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "schedule/tiny_model.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr llama tiny = test::tiny_model(2);
using alone = program<tiny>;
static_assert(accepted<alone>);

// One worker: every weight is read once, and one row of the embedding.
static_assert(cost_of(alone::view).weights_read == weight_bytes(tiny) + bytes_of(q8_0, tiny.hidden));
static_assert(cost_of(alone::view).cache_written == 2ULL * tiny.layers * kv_width(tiny) * 4);
static_assert(cost_of(alone::view, {.rows = 1, .past = 100}).cache_read == 101ULL * 2 * tiny.layers * kv_width(tiny) * 4);
static_assert(cost_of(alone::view, {.rows = 8, .past = 100}).cache_read == 108ULL * 2 * tiny.layers * kv_width(tiny) * 4);
static_assert(queue_costs(alone::view)[0] == cost_of(alone::view));

const group& group_called(const schedule_view& s, std::string_view name) {
    for (usz i = 0; i < s.group_count; ++i)
        if (name == s.groups[i].name.d) return s.groups[i];
    FAIL("no group " << name);
    return s.groups[0];
}
cost priced(const dynamic_schedule& s, std::string_view name, const step_shape& step = {}) {
    return cost_of(view(s), group_called(view(s), name), step);
}

}  // namespace

TEST_CASE("groups, by hand") {
    const dynamic_schedule s = lower_checked(tiny, {.workers = 1, .fuse_residual = false});
    const cost qkv = priced(s, "qkv[0]", {.rows = 3, .past = 0});
    CHECK(qkv == cost{.weights_read = 96 * 4 + 160 * bytes_of(q8_0, 96),
                      .activations_read = 3 * 96 * 4,
                      .activations_written = 3 * 160 * 4,
                      .flops = 3 * (2 * 96 * 160 + 4 * 96)});
    CHECK(bytes(qkv) == qkv.weights_read + qkv.activations_read + qkv.activations_written);
    CHECK(priced(s, "embedding", {.rows = 3}) ==
          cost{.weights_read = 3 * bytes_of(q8_0, 96), .activations_read = 3 * 4, .activations_written = 3 * 96 * 4});
    CHECK(priced(s, "down_add[1]") == cost{.activations_read = 2 * 96 * 4, .activations_written = 96 * 4, .flops = 96});
    const cost attention = priced(s, "attention[1]", {.rows = 2, .past = 10});
    CHECK(attention ==
          cost{.activations_read = 2 * 96 * 4, .activations_written = 2 * 96 * 4, .cache_read = 2 * 12 * 32 * 4, .flops = 4 * 2 * 96 * 12});
    const cost head = priced(s, "head", {.rows = 16});  // only the last row has logits
    CHECK(head.activations_read == 96 * 4);
    CHECK(head.activations_written == 50 * 4);
}

TEST_CASE("steps beyond the contract cost what the contract allows") {
    const dynamic_schedule s = lower_checked(tiny, {.workers = 2});
    CHECK(cost_of(view(s), {.rows = 100, .past = 0}) == cost_of(view(s), {.rows = 16, .past = 0}));
    CHECK(priced(s, "attention[0]", {.rows = 16, .past = 4000}).cache_read ==
          priced(s, "attention[0]", {.rows = 16, .past = 496}).cache_read);
}

TEST_CASE("a context shorter than a step") {
    llama brief = tiny;
    brief.context = 5;
    for (const u32_t splits : {1U, 2U}) {
        const dynamic_schedule s = lower_checked(brief, {.workers = 1, .kv_splits = splits});
        CHECK(cost_of(view(s), {.rows = 16, .past = 0}).cache_read == 5ULL * 2 * brief.layers * kv_width(brief) * 4);
        CHECK(priced(s, "rope_append[0]", {.rows = 16, .past = 0}).cache_written == 5 * 2 * 32 * 4);
    }
}

TEST_CASE("a sliding window bounds what attention reads") {
    llama windowed = tiny;
    windowed.window = 8;
    windowed.first_window_layer = 1;
    const dynamic_schedule s = lower_checked(windowed, {.workers = 1});
    CHECK(priced(s, "attention[0]", {.rows = 1, .past = 100}).cache_read == 2 * 101 * 32 * 4);
    CHECK(priced(s, "attention[1]", {.rows = 1, .past = 100}).cache_read == 2 * 8 * 32 * 4);
    CHECK(priced(s, "attention[1]", {.rows = 1, .past = 3}).cache_read == 2 * 4 * 32 * 4);
}

TEST_CASE("queues share the work, whatever the lowering") {
    for (const u32_t workers : {1U, 2U, 3U, 7U})
        for (const u32_t splits : {0U, 1U, 3U})
            for (const queue_assignment assignment : {queue_assignment::blocked, queue_assignment::round_robin})
                for (const step_shape step : {step_shape{1, 0}, step_shape{1, 300}, step_shape{16, 200}}) {
                    INFO(workers << " workers, " << splits << " splits, " << step.rows << " rows after " << step.past);
                    const dynamic_schedule s = lower_checked(tiny, {.workers = workers, .kv_splits = splits, .assignment = assignment});
                    const queue_costs queues(view(s), step);
                    REQUIRE(queues.size() == workers);
                    cost sum;
                    u64_t tiles = 0;
                    for (usz q = 0; q < queues.size(); ++q) sum += queues[q], tiles += queues.tiles(q);
                    CHECK(sum == cost_of(view(s), step));
                    u64_t expected_tiles = 0;
                    for (const group& g : s.groups) expected_tiles += g.tiles;
                    CHECK(tiles == expected_tiles);
                    // matrices and caches are read once, however the tiles are cut
                    const cost one = cost_of(alone::view, step);
                    CHECK(sum.cache_read == one.cache_read);
                    CHECK(sum.cache_written == one.cache_written);
                    CHECK(sum.weights_read >= one.weights_read);
                    CHECK(sum.weights_read - one.weights_read <=
                          (2ULL * tiny.layers + 1) * workers * 4 * tiny.hidden);  // norms, by every tile
                    CHECK(priced(s, "gate_up[0]", step).flops == cost_of(alone::view, group_called(alone::view, "gate_up[0]"), step).flops);
                }
}

TEST_CASE("splits read their own chunks only") {
    // chunks of 128 positions: 301 positions are chunks 0 and 2 for split 0, chunk 1 for split 1
    const dynamic_schedule s = lower_checked(tiny, {.workers = 2, .kv_splits = 2});
    const group& g = group_called(view(s), "attention[0]");
    REQUIRE(g.tiles == 4);
    const u64_t position_bytes = 2 * 16 * 4;
    for_each_tile_cost(view(s), g, {.rows = 1, .past = 300}, [&](u32_t t, const cost& c) {
        INFO("tile " << t);
        CHECK(c.cache_read == position_bytes * (t % 2 == 0 ? 128 + 45 : 128));
        CHECK(c.activations_written == 4 * 3 * (t % 2 == 0 ? 2 : 1) * (16 + 2));
    });
    CHECK(priced(s, "combine[0]", {.rows = 1, .past = 300}).activations_read == 4 * 6 * 3 * (16 + 2));
}

TEST_CASE("imbalance is visible") {
    const dynamic_schedule s = lower_checked(tiny, {.workers = 4, .tile_outputs = 96});  // fewer tiles than workers in most groups
    const queue_costs queues(view(s));
    u64_t most = 0;
    u64_t fewest = ~u64_t{0};
    for (usz q = 0; q < queues.size(); ++q) {
        most = std::max(most, queues[q].weights_read);
        fewest = std::min(fewest, queues[q].weights_read);
    }
    CHECK(most > 2 * fewest);
}
