// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/lower_config.hpp>

#include <string>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

template <lower_config C>
struct takes_a_config {
    static constexpr u32_t workers = C.workers;
};
static_assert(takes_a_config<{.workers = 5}>::workers == 5);

namespace {
usz tasks_of(const loose_schedule& s) {
    usz n = 0;
    for (const auto& g : s.groups) n += g.tiles;
    return n;
}
usz groups(const lower_config& c) { return lowered(grouped_model, c).groups.size(); }
}  // namespace

TEST_CASE("what a configuration asks for is what is lowered") {
    const u32_t layers = grouped_model.layers;
    const usz fused = groups({.workers = 2, .kv_splits = 1});
    CHECK(groups({.workers = 2, .kv_splits = 1, .fuse_norm = false}) == fused + 2 * layers + 1);
    CHECK(groups({.workers = 2, .kv_splits = 1, .fuse_qkv = false}) == fused + 2 * layers);
    CHECK(groups({.workers = 2, .kv_splits = 1, .fuse_gate_up = false}) == fused + 2 * layers);
    CHECK(groups({.workers = 2, .kv_splits = 1, .fuse_residual = false}) == fused + 2 * layers);
    CHECK(groups({.workers = 2, .kv_splits = 3}) == fused + layers);  // the combines
    CHECK(lowered(grouped_model, {.workers = 5}).queues == 5);
    CHECK(tasks_of(lowered(grouped_model, {.tile_outputs = 2})) > tasks_of(lowered(grouped_model, {.tile_outputs = 20})));
    CHECK(tasks_of(lowered(grouped_model, {.kv_splits = 1, .heads_per_tile = 1})) ==
          tasks_of(lowered(grouped_model, {.kv_splits = 1})) + 3 * layers);
    CHECK(lowered(grouped_model, {.tile_outputs = 2, .per_head_waits = true}).counters >
          lowered(grouped_model, {.tile_outputs = 2}).counters);
}

TEST_CASE("a configuration that cannot be applied is refused") {
    CHECK(check(grouped_model, {.workers = 7, .kv_splits = 3}).ok());
    CHECK(std::string(sentence(check(grouped_model, {.workers = 0})).d) ==
          "lowering: workers is 0; every size of a contract must be at least 1");
    CHECK(std::string(sentence(check(grouped_model, {.kv_splits = 257})).d) ==
          "lowering: kv_splits is 257, the most that is supported is 256");
    llama broken = grouped_model;
    broken.kv_heads = 4;
    CHECK(check(broken, {}).why == reason::heads_not_divisible);
}

TEST_CASE("a device with fewer workers refuses the schedule") {
    loose_schedule s = lowered(grouped_model, {.workers = 3});
    s.where = host_cpu(2);
    CHECK(std::string(sentence(s.check()).d) == "the schedule has 3 workers, the device runs at most 2");
}
