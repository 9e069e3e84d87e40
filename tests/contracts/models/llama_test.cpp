// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/models/llama.hpp>

#include <functional>
#include <string>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr llama tiny{.hidden = 96, .layers = 3, .heads = 6, .kv_heads = 2, .head_dim = 24, .intermediate = 160, .vocab = 50, .context = 64};
static_assert(check(tiny).ok());
static_assert(q_width(tiny) == 144 && kv_width(tiny) == 48 && qkv_width(tiny) == 240);

/// The verdict of `tiny` after a change.
verdict after(const std::function<void(llama&)>& change) {
    llama m = tiny;
    change(m);
    return check(m);
}
std::string said(const verdict& v) { return sentence(v).d; }

}  // namespace

TEST_CASE("every size must be there") {
    u32_t llama::*const sizes[] = {&llama::hidden,       &llama::layers, &llama::heads,   &llama::kv_heads, &llama::head_dim,
                                   &llama::intermediate, &llama::vocab,  &llama::context, &llama::rows};
    for (const auto size : sizes) {
        const verdict v = after([&](llama& m) { m.*size = 0; });
        CHECK(v.why == reason::zero_size);
    }
}

TEST_CASE("sizes beyond their limits are refused with both numbers") {
    const verdict layers = after([](llama& m) { m.layers = 1001; });
    CHECK(layers.why == reason::too_large);
    CHECK(said(layers) == "model: layers is 1001, the most that is supported is 1000");
    CHECK(after([](llama& m) { m.head_dim = 1026; }).why == reason::too_large);
    CHECK(after([](llama& m) { m.vocab = (1U << 28) + 1; }).why == reason::too_large);
    CHECK(after([](llama& m) { m.heads = 5000, m.kv_heads = 5000; }).why == reason::too_large);
    // 4096 heads of 1024 are fine, but not with numbers whose product leaves 32 bits
    CHECK(after([](llama& m) { m.hidden = 0xffffffffU; }).why == reason::too_large);
    CHECK(after([](llama& m) { m.rows = 17; }).why == reason::too_many_rows);
}

TEST_CASE("heads must share their keys evenly") {
    const verdict v = after([](llama& m) { m.kv_heads = 4; });
    CHECK(v.why == reason::heads_not_divisible);
    CHECK(v[label::heads] == 6);
    CHECK(v[label::kv_heads] == 4);
    CHECK(after([](llama& m) { m.kv_heads = 6; }).ok());
    CHECK(after([](llama& m) { m.kv_heads = 1; }).ok());
}

TEST_CASE("quantized rows must fill their blocks, matrix by matrix") {
    CHECK(after([](llama& m) { m.weights = q4_1; }).why == reason::not_a_multiple);  // o has rows of 144
    CHECK(after([](llama& m) { m.weights.q = q8_0; }).ok());
    CHECK(after([](llama& m) { m.weights.o = q8_0; }).why == reason::not_a_multiple);
    CHECK(after([](llama& m) { m.weights.down = q4_0; }).ok());
    CHECK(after([](llama& m) { m.intermediate = 100, m.weights.down = q4_0; }).why == reason::not_a_multiple);
    CHECK(after([](llama& m) { m.weights.gate = f8e4m3; }).why == reason::unsupported_dtype);
}

TEST_CASE("the head of a tied model is the embedding") {
    llama m = tiny;
    m.weights.embedding = q8_0;
    m.weights.head = f8e4m3;
    CHECK_FALSE(check(m).ok());
    m.tied_head = true;
    CHECK(check(m).ok());
    CHECK(head_format(m) == q8_0);
    CHECK(head_proj(m).weight == q8_0);
    CHECK(head_proj(m).rows == 1);
}

TEST_CASE("numbers outside their range are refused, NaN among them") {
    const float nan = __builtin_nanf("");
    for (const float eps : {nan, -1e-5F, 1.0F}) CHECK(after([&](llama& m) { m.eps = eps; }).why == reason::bad_parameter);
    for (const float theta : {nan, 0.0F, -1.0F, 1e20F}) CHECK(after([&](llama& m) { m.rope.theta = theta; }).why == reason::bad_parameter);
    CHECK(after([](llama& m) { m.rope.scaling = rope_scaling::linear, m.rope.factor = 0.5F; }).why == reason::bad_parameter);
    CHECK(after([](llama& m) { m.rope.scaling = rope_scaling::llama3, m.rope.high_frequency_factor = 1.0F; }).why == reason::bad_parameter);
    CHECK(after([](llama& m) { m.rope.dims = 26; }).why == reason::too_large);
    CHECK(after([](llama& m) { m.rope.dims = 7; }).why == reason::not_a_multiple);
    CHECK(after([](llama& m) { m.head_dim = 25; }).why == reason::not_a_multiple);
    CHECK(after([](llama& m) { m.kv = dtype::i8; }).why == reason::bad_parameter);
}

TEST_CASE("a window begins at its first layer") {
    llama m = tiny;
    m.window = 16;
    m.first_window_layer = 2;
    CHECK(attend(m, 0, 1).window == 0);
    CHECK(attend(m, 1, 1).window == 0);
    CHECK(attend(m, 2, 1).window == 16);
}

TEST_CASE("biases go where they are asked for") {
    llama m = tiny;
    m.qkv_bias = true;
    CHECK((q_proj(m).bias && k_proj(m).bias && v_proj(m).bias && !o_proj(m).bias && !up_proj(m).bias));
    m = tiny;
    m.o_bias = m.mlp_bias = true;
    CHECK((!q_proj(m).bias && o_proj(m).bias && gate_proj(m).bias && up_proj(m).bias && down_proj(m).bias && !head_proj(m).bias));
}

TEST_CASE("the bytes of the weights count every matrix once") {
    const u64_t matrices = 3 * (96ULL * 144 + 2 * 96 * 48 + 144 * 96 + 3 * 96 * 160) + 50 * 96;
    const u64_t norms = 7 * 96;
    CHECK(weight_bytes(tiny) == 4 * (matrices + norms));
    llama m = tiny;
    m.weights = bf16;
    CHECK(weight_bytes(m) == 2 * matrices + 4 * norms);
    m.mlp_bias = true;
    CHECK(weight_bytes(m) == 2 * matrices + 4 * norms + 3 * 4 * (160 + 160 + 96));
}
