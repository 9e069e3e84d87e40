// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/stream_plan.hpp>

#include "support/catch.hpp"

#include <vector>

using namespace netra;

namespace {
constexpr device gpu{.name = "gpu", .isa = instruction_set::ptx, .workers = 132, .shared_bytes = 232448};
constexpr llama model_1b{.hidden = 2048, .layers = 16, .heads = 32, .kv_heads = 8, .head_dim = 64, .intermediate = 8192, .vocab = 128256,
                         .context = 8192, .rows = 1, .tied_head = true, .weights = bf16, .kv = bf16};
constexpr stream_plan plan_1b = plan_stream(model_1b, gpu, {});
static_assert(check(model_1b, gpu, stream_config{}).ok());
static_assert(plan_1b.kv_splits == 16 && plan_1b.parts == 2);
static_assert(plan_1b[stream_op::down].chunks == 4 && plan_1b[stream_op::down].pass_units == 2);
static_assert(slot_bytes(plan_1b[stream_op::gate_up]) == 32768);

constexpr llama with(llama m, auto change) {
    change(m);
    return m;
}
constexpr llama odd = with(model_1b, [](llama& m) { m.hidden = 576, m.heads = 9, m.kv_heads = 3, m.intermediate = 11008, m.vocab = 49150, m.layers = 3; });
}  // namespace

TEST_CASE("every unit of every projection belongs to one block") {
    for (const auto& m : {model_1b, odd})
        for (const u32_t workers : {1U, 5U, 48U, 132U}) {
            device d = gpu;
            d.workers = workers;
            const stream_plan p = plan_stream(m, d, {});
            for (u32_t layer = 0; layer < 3; ++layer)
                for (usz o = 0; o < stream_ops; ++o) {
                    const auto which = static_cast<stream_op>(o);
                    std::vector<int> owners(p[which].units);
                    for (u32_t b = 0; b < workers; ++b) {
                        const u32_t place = place_of(p, which, layer, b);
                        const u32_t units = units_at(p, which, place);
                        REQUIRE(units <= p[which].block_units);
                        for (u32_t i = 0; i < units; ++i) ++owners.at(unit_at(p, which, place, i));
                    }
                    for (const int n : owners) REQUIRE(n == 1);
                }
        }
}

TEST_CASE("a slot holds at most eight steps, and chunks cover the terms") {
    for (u32_t in = 1; in < 40000; in += 37) {
        const projection_plan p = detail::plan_projection(4096, 8, in, 132, true);
        REQUIRE(slot_fragments(p) <= most_slot_steps);
        REQUIRE(padded_in(p) >= in);
        REQUIRE((p.chunks == 1 || padded_in(p) < in + in / 4));
    }
}

TEST_CASE("the longest stream is the stride") {
    u64_t all = 0;
    for (u32_t b = 0; b < plan_1b.blocks; ++b) {
        REQUIRE(stream_bytes(plan_1b, b) <= stream_stride(plan_1b));
        all += stream_bytes(plan_1b, b);
    }
    const u64_t weights = 2ULL * (u64_t{16} * (2048ULL * (3072 + 2048) + 3ULL * 2048 * 8192) + 2048ULL * 128256);
    REQUIRE(all == weights);  // this model needs no padding
}

TEST_CASE("what the stream cannot hold is refused by name") {
    const auto says = [](const llama& m) { return check(m, gpu, stream_config{}); };
    CHECK(says(with(model_1b, [](llama& m) { m.weights = f32; })).why == reason::no_kernel);
    CHECK(says(with(model_1b, [](llama& m) { m.weights.up = f16; })).why == reason::no_kernel);
    CHECK(says(with(model_1b, [](llama& m) { m.kv = f32; })).why == reason::no_kernel);
    CHECK(says(with(model_1b, [](llama& m) { m.rows = 3; })).why == reason::no_kernel);
    CHECK(says(with(model_1b, [](llama& m) { m.head_dim = 512; })).why == reason::too_large);
    CHECK(check(model_1b, host_cpu(), stream_config{}).why == reason::no_kernel);
    for (const u32_t slots : {1U, 17U, ~0U}) CHECK(check(model_1b, gpu, stream_config{.ring_slots = slots}).why == reason::bad_parameter);
    CHECK(check(model_1b, gpu, stream_config{.ring_slots = 2}).ok());
    CHECK(says(with(model_1b, [](llama& m) { m.hidden = 8, m.rows = 16; })).why == reason::too_many_rows);  // four blocks embed
    CHECK(says(with(model_1b, [](llama& m) { m.hidden = 8, m.rows = 8; })).ok());
    CHECK(check(with(model_1b, [](llama& m) { m.rows = 16; }), gpu, stream_config{.activations = activation_parts::high_low}).why == reason::no_kernel);
}
