// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/megakernel/layout.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {
constexpr device gpu{.name = "gpu", .isa = instruction_set::ptx, .workers = 132, .shared_bytes = 232448};
constexpr llama model_8b(u32_t rows) {
    return {.hidden = 4096, .layers = 32, .heads = 32, .kv_heads = 8, .head_dim = 128, .intermediate = 14336, .vocab = 128256,
            .context = 8192, .rows = rows, .qk_norm = true, .weights = bf16, .kv = bf16};
}
}  // namespace

TEST_CASE("every number of rows of a large model fits the shared memory of an H200's block") {
    for (const u32_t rows : {1U, 2U, 4U, 8U, 16U}) {
        const stream_plan p = plan_stream(model_8b(rows), gpu, {});
        CHECK(check_layout(p).ok());
        const shared_layout s = shared_of(p);
        CHECK(s.slots >= 2);
        CHECK(s.end <= gpu.shared_bytes);
        CHECK(s.full % 8 == 0);
        CHECK(s.inputs % 16 == 0);
        CHECK(s.input_warp % 16 == 0);
    }
}

TEST_CASE("a block with little shared memory is refused with both sizes") {
    device small = gpu;
    small.shared_bytes = 100 * 1024;
    const verdict v = check_layout(plan_stream(model_8b(16), small, {}));
    CHECK(v.why == reason::too_large);
}

TEST_CASE("sizes beyond 32 bits are refused, not wrapped") {
    llama m = model_8b(16);
    m.hidden = 8192;
    m.intermediate = 63551 * 2048;
    const verdict v = check_layout(plan_stream(m, gpu, {}));
    CHECK(v.why == reason::too_large);
}

TEST_CASE("exchanges begin at even words and do not overlap") {
    const stream_plan p = plan_stream(model_8b(1), gpu, {});
    const word_layout w = words_of(p);
    const u64_t at[] = {w.residual, w.middle, w.qkv, w.partials, w.attended, w.gated, w.best, w.rounds, w.end};
    for (int i = 0; i < 8; ++i) CHECK((at[i] % 2 == 0 && at[i] < at[i + 1]));
    CHECK(w.rounds - w.best == 2 * 132);
    CHECK(w.end - w.rounds == 17 * 132 * 32);
    CHECK(w.attended - w.partials == 32ULL * 16 * 130);
}

TEST_CASE("the cache has room for every position, parameters for every layer") {
    const stream_plan p = plan_stream(model_8b(1), gpu, {});
    CHECK(u64_t{p.split_positions} * p.kv_splits >= 8192);
    CHECK(kv_bytes(p) == 32ULL * 8 * 8192 * 128 * 2);
    const parameter_layout l = parameters_of(p);
    CHECK(l.q_norm == 8192);
    CHECK(l.layer == 8192 + 256);
    CHECK(l.end == 32ULL * l.layer + 4096);
}

TEST_CASE("an order draws at its own position, if it has a head and a temperature") {
    const sampling_parameters how{.temperature = 0.5F, .top_k = 3, .top_p = 0.25F, .seed = 9};
    step_order o{.position = 7};
    order_draw(o, how);
    CHECK((o.head == drawing_head && o.how == draw_at(how, 7) && o.how.scale == 2.0F && o.how.share == 1U << 30));
    order_draw(o, {});
    CHECK((o.head == 1 && o.how == draw{}));
    o.head = 0;
    order_draw(o, how);
    CHECK((o.head == 0 && o.how == draw{}));
    CHECK(sizeof(step_order) == 32);
}

TEST_CASE("logits for draws cost no slot of the ring") {
    const shared_layout s = shared_of(plan_stream(model_8b(1), gpu, {}));
    CHECK(s.slots == 6);
    CHECK((s.heaps % 16 == 0 && s.logits == s.heaps + 2048 && s.end == s.logits + 122 * 32));
    CHECK(draws(plan_stream(model_8b(1), gpu, {})));
    device tight = gpu;
    tight.shared_bytes = s.end - 16;
    const shared_layout without = shared_of(plan_stream(model_8b(1), tight, {}));
    CHECK((without.slots == 6 && without.logits == 0 && without.end == s.heaps));
}
