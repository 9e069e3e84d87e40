// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The persistent kernel's text in the PTX interpreter, in random orders of its warps, against the CPU backend.
#include <netra/codegen/megakernel/kernel.hpp>
#include <netra/engine/relative_l2.hpp>

#include "support/catch.hpp"
#include "support/stream_rig.hpp"

#include <cstring>

using namespace netra;

namespace {

llama small_model(u32_t rows) {
    return {.hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .head_dim = 16, .intermediate = 97, .vocab = 81, .context = 64, .rows = rows,
            .tied_head = true, .weights = bf16, .kv = bf16};
}
/// More than one chunk of terms, biases, norms of heads, a width that is no multiple of 32.
llama wide_model(u32_t rows) {
    return {.hidden = 2312, .layers = 1, .heads = 6, .kv_heads = 2, .head_dim = 20, .intermediate = 40, .vocab = 70, .context = 64, .rows = rows,
            .qkv_bias = true, .o_bias = true, .mlp_bias = true, .qk_norm = true, .weights = bf16, .kv = bf16};
}

std::vector<i32_t> random_tokens(test::stream_rig& rig, u32_t count, u32_t vocab) {
    std::vector<i32_t> made(count);
    for (i32_t& t : made) t = static_cast<i32_t>(rig.random().below(vocab));
    return made;
}
double distance(const float* a, const std::vector<float>& b) { return relative_l2({a, b.size()}, b); }

/// One column of a matrix, or one element of a vector, is `value`.
void set_column(test::memory_model& model, weight_role role, u32_t column, float value) {
    for (const bound_weight& b : model.opened.bound) {
        if (b.role != role) continue;
        test::blob& bytes = test::bytes_of(model, *b.stored);
        const weight_format format = b.stored->format;
        const u64_t width = b.stored->shape.back();
        for (u64_t i = column; i < b.stored->elements(); i += width) {
            const u16_t half = format == weight_format{f16} ? f32_to_f16(value) : f32_to_bf16(value);
            if (format == weight_format{f32}) std::memcpy(bytes.data() + 4 * i, &value, 4);
            else std::memcpy(bytes.data() + 2 * i, &half, 2);
        }
    }
}

/// Runs `count` tokens; every logit must be the CPU's but for the rounding of activations and cached values.
void compare(const llama& m, u32_t blocks, stream_config config, u32_t count, u64_t seed, const std::function<void(test::memory_model&)>& edit = {}) {
    if (test::slow_build && (m.hidden > 1000 || m.rows == 2 || m.rows == 8)) return;
    config.kv_block = 4;
    const stream_plan plan = plan_stream(m, test::small_gpu(blocks), config);
    REQUIRE(check_stream_kernel(plan).ok());
    INFO("hidden " << m.hidden << ", rows " << m.rows << ", blocks " << blocks << ", bits " << activation_bits(plan) << ", seed " << seed);
    test::stream_rig rig(plan, seed, edit);
    const auto tokens = random_tokens(rig, count, m.vocab);
    const test::stream_run run = rig.run_tokens(tokens);
    CHECK(run.stall.state == stall_none);
    const auto expected = rig.expected(tokens);
    for (u32_t i = 0; i < count; ++i) {
        const float* logits = run.logits.data() + u64_t{i} * m.vocab;
        CHECK(distance(logits, expected[i]) < (activation_bits(plan) == 8 ? 4e-2 : activation_bits(plan) == 11 ? 1e-2 : 2e-3));
        CHECK(run.chosen[i] == argmax(logits, m.vocab));
    }
}

}  // namespace

TEST_CASE("one token a step, whatever the number of blocks") {
    for (const u32_t blocks : {1U, 3U, 40U}) compare(small_model(1), blocks, {}, 4, 1 + blocks);
    compare(wide_model(1), 3, {}, 3, 5);
}

TEST_CASE("several tokens a step") {
    for (const u32_t rows : {2U, 4U, 8U, 16U}) compare(small_model(rows), 3, {}, rows + rows / 2, rows);
    for (const u32_t rows : {2U, 4U}) compare(wide_model(rows), 4, {}, rows + 1, 20 + rows);
    compare(small_model(8), 3, {.activations = activation_parts::high_low}, 11, 3);
    for (const u32_t rows : {1U, 8U, 16U}) compare(small_model(rows), 3, {.activations = activation_parts::single}, rows + 2, 3 + rows);
    compare(small_model(2), 3, {.activations = activation_parts::half}, 4, 9);
    for (const u32_t rows : {8U, 16U}) compare(wide_model(rows), 3, {}, rows + 1, rows);
}

TEST_CASE("copies by a warp instead of the copy engine") {
    compare(small_model(1), 3, {.copies = copy_path::cp_async}, 3, 6);
    compare(small_model(16), 2, {.copies = copy_path::cp_async}, 20, 7);
}

TEST_CASE("f16 weights, whatever the size of activations") {
    for (const u32_t rows : {1U, 2U, 8U, 16U}) {
        llama m = small_model(rows);
        m.weights = f16;
        compare(m, 3, {}, rows + 1, 30 + rows);
    }
    llama m = wide_model(4);
    m.weights = f16;
    compare(m, 3, {}, 5, 40);
}

TEST_CASE("f16 products beside an activation a million times as large as the others") {
    const auto outlier = [](test::memory_model& model) {
        using enum weight_role;
        set_column(model, embedding, 0, 4.0F);
        for (const weight_role norm : {attention_norm, mlp_norm, final_norm}) set_column(model, norm, 0, 2.5e5F);
        for (const weight_role reads : {q, k, v, gate, up, weight_role::head}) set_column(model, reads, 0, 0.0F);
    };
    for (const u32_t rows : {1U, 8U})
        for (const dtype weights : {bf16, f16}) {
            llama m = small_model(rows);
            m.tied_head = false, m.weights = weights;
            compare(m, 3, {}, rows + 1, 70 + rows, outlier);
        }
}

TEST_CASE("kernels for race checkers") {
    for (const u32_t rows : {1U, 4U, 16U}) compare(small_model(rows), 3, {.race_check = true}, rows + 2, 80 + rows);
}

TEST_CASE("windows, partial and adjacent rotary pairs, activations, norms with one added") {
    llama m = small_model(1);
    m.window = 3;
    m.first_window_layer = 1;
    compare(m, 5, {.kv_splits = 2}, 9, 50);
    m = small_model(4);
    m.rope.dims = 8;
    m.rope.pairing = rope_pairing::adjacent;
    m.act = activation::gelu_tanh;
    m.norm_plus_one = true;
    compare(m, 5, {.kv_splits = 2}, 9, 51);
}

TEST_CASE("prompts without logits before the last pass, then the kernel's own choices, across the wrap of epochs") {
    const llama m = small_model(1);
    const stream_plan plan = plan_stream(m, test::small_gpu(5), {.kv_block = 4});
    test::stream_rig rig(plan, 60);
    rig.set_epoch(~u32_t{0} - 10);
    std::vector<i32_t> tokens = random_tokens(rig, 6, m.vocab);
    const test::stream_run prompt = rig.run_tokens(tokens, 0, true);
    const std::vector<step_order> orders{{.position = 6}, {.position = 7}, {.position = 8}};
    const test::stream_run loop = rig.run(orders, {-1, -1, -1});
    tokens.push_back(prompt.chosen.back());
    tokens.insert(tokens.end(), loop.chosen.begin(), loop.chosen.end() - 1);
    const auto expected = rig.expected(tokens);
    for (u32_t i = 0; i < 3; ++i) CHECK(distance(loop.logits.data() + u64_t{i} * m.vocab, expected[6 + i]) < 2e-3);
}

TEST_CASE("the order in which warps run changes no bit") {
    const llama m = small_model(2);
    const stream_plan plan = plan_stream(m, test::small_gpu(4), {.kv_block = 4});
    std::vector<float> first;
    for (const u64_t order : {1ULL, 2ULL, 3ULL}) {
        test::stream_rig rig(plan, 70);
        rig.machine().set_seed(order);
        const test::stream_run run = rig.run_tokens(std::vector<i32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
        if (first.empty()) first = run.logits;
        CHECK(std::memcmp(first.data(), run.logits.data(), 4 * 9 * m.vocab) == 0);
    }
}

TEST_CASE("a slot of the ring is not overwritten while loads from it may be under way") {
    // On an H200, kernels without this fence gave wrong steps now and then.
    test::stream_rig rig(plan_stream(small_model(1), test::small_gpu(3), {.kv_block = 4}), 76);
    CHECK(rig.remove_lines("fence.proxy.async.shared::cta") > 0);
    std::string said;
    try {
        rig.run_tokens(std::vector<i32_t>{1, 2, 3});
    } catch (const std::exception& e) {
        said = e.what();
    }
    CHECK(said.find("without a fence.proxy.async between") != std::string::npos);
}

TEST_CASE("delays before tasks change no bit") {
    const llama m = small_model(1);
    std::vector<float> first;
    for (const bool delays : {false, true}) {
        const stream_plan plan = plan_stream(m, test::small_gpu(3), {.kv_block = 4, .delays = delays});
        test::stream_rig rig(plan, 75);
        const test::stream_run run = rig.run_tokens(std::vector<i32_t>{1, 2, 3, 4, 5});
        CHECK(run.stall.state == stall_none);
        if (first.empty()) first = run.logits;
        CHECK(std::memcmp(first.data(), run.logits.data(), 4 * 5 * m.vocab) == 0);
    }
}

TEST_CASE("a launch whose words never come gives up and says where; the next one runs") {
    const llama m = small_model(1);
    const stream_plan plan = plan_stream(m, test::small_gpu(3), {.kv_block = 4});
    test::stream_rig rig(plan, 80);
    const test::stream_run lost = rig.run({{.position = 0}}, {-1}, 1);  // no step before it has chosen a token
    CHECK(lost.stall.state == stall_found);
    CHECK(lost.stall.wanted == 1);
    CHECK(lost.stall.step == 0);
    CHECK(lost.stall.layer == (lost.stall.group == static_cast<u32_t>(block_task::embedding) ? stall_without_layer : 0));
    CHECK(lost.stall.group < sizeof block_tasks / sizeof block_tasks[0]);
    rig.clear_stall();
    const std::vector<i32_t> tokens{3, 4};
    const test::stream_run run = rig.run_tokens(tokens);
    CHECK(run.stall.state == stall_none);
    const auto expected = rig.expected(tokens);
    CHECK(distance(run.logits.data() + m.vocab, expected[1]) < 2e-3);
}
