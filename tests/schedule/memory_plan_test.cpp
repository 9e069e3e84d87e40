// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/memory_plan.hpp>

#include <cstdio>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

llama with_layers(llama m, u32_t layers) {
    m.layers = layers;
    return m;
}
u64_t sum_of_activations(const loose_schedule& s) {
    u64_t sum = 0;
    for (const auto& b : s.buffers) sum += b.kind == buffer_kind::activation ? bytes(b) : 0;
    return sum;
}

}  // namespace

TEST_CASE("more layers need no more memory") {
    for (const llama& m : {grouped_model, odd_model})
        for (const lower_config& c : all_configs()) {
            if (c.tile_outputs == 2) continue;
            const loose_schedule few = lowered(with_layers(m, 3), c);
            const loose_schedule many = lowered(with_layers(m, 30), c);
            REQUIRE(many.arena_bytes <= few.arena_bytes);
            REQUIRE(many.arena_bytes < sum_of_activations(many) / 3);
        }
}

TEST_CASE("a large model's arena is a few activations") {
    const llama m{.hidden = 4096,
                  .layers = 32,
                  .heads = 32,
                  .kv_heads = 8,
                  .head_dim = 128,
                  .intermediate = 14336,
                  .vocab = 128256,
                  .context = 8192,
                  .rows = 1,
                  .weights = bf16};
    const loose_schedule s = lowered(m, {.workers = 8});
    const u64_t at_once = 4 * (4096 + 128 + 6144 + 4096 + 14336);  // hidden, angles, qkv, attended, gated
    std::printf("arena %llu bytes, at most %llu alive, %llu in all\n", s.arena_bytes, at_once, sum_of_activations(s));
    CHECK(s.arena_bytes <= at_once + 5 * arena_alignment);
    CHECK(s.check().ok());
}

TEST_CASE("places are aligned, and buffers that live together do not share") {
    loose_schedule s;
    const u16_t a = s.add("a", buffer_kind::activation, 20);
    const u16_t b = s.add("b", buffer_kind::activation, 20);
    const u16_t c = s.add("c", buffer_kind::activation, 20);
    const u16_t unused = s.add("unused", buffer_kind::activation, 0);
    group g = s.start("write a");
    writes(g, a, same_bytes(0, 20));
    s.finish(g);
    g = s.start("a to b");
    reads(g, a, same_bytes(0, 20));
    writes(g, b, same_bytes(0, 20));
    s.finish(g);
    g = s.start("b to c");
    reads(g, b, same_bytes(0, 20));
    writes(g, c, same_bytes(0, 20));
    s.finish(g);
    plan_memory(s);
    CHECK((s.buffers[a].arena == 0 && s.buffers[b].arena == 64 && s.buffers[c].arena == 0 && s.buffers[unused].arena == 0));
    CHECK(s.arena_bytes == 84);
    CHECK(s.check().ok());
}

TEST_CASE("nothing is reused where nothing orders the uses") {
    loose_schedule s;
    s.queues = 2;
    const u16_t a = s.add("a", buffer_kind::activation, 64);
    const u16_t b = s.add("b", buffer_kind::activation, 64);
    group g = s.start("a");
    writes(g, a, same_bytes(0, 64));
    s.finish(g);
    g = s.start("b");
    g.queue = {1, 0, 1};
    writes(g, b, same_bytes(0, 64));
    s.finish(g);
    plan_memory(s);
    CHECK(s.buffers[a].arena != s.buffers[b].arena);
    CHECK(s.arena_bytes == 128);
}

TEST_CASE("what nothing touches has a place, too") {
    loose_schedule s;
    const u16_t used = s.add("used", buffer_kind::activation, 8, 1, 512);
    const u16_t unused = s.add("unused", buffer_kind::activation, 96, 1, 1024);
    group g = s.start("write");
    writes(g, used, same_bytes(0, 8));
    s.finish(g);
    plan_memory(s);
    CHECK((s.buffers[used].arena == 0 && s.buffers[unused].arena == 0));
    CHECK(s.arena_bytes == 96);
    CHECK(s.check().ok());
}

TEST_CASE("planning again changes nothing") {
    loose_schedule s = lowered(grouped_model, {.workers = 3, .kv_splits = 3});
    const auto before = s.buffers;
    plan_memory(s);
    CHECK(s.buffers == before);
}
