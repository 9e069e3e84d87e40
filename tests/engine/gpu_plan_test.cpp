// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/gpu_plan.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace netra;

namespace {

constexpr llama model_1b{.hidden = 2048,
                         .layers = 16,
                         .heads = 32,
                         .kv_heads = 8,
                         .head_dim = 64,
                         .intermediate = 8192,
                         .vocab = 128256,
                         .context = 8192,
                         .tied_head = true,
                         .weights = bf16};
constexpr llama model_8b{.hidden = 4096,
                         .layers = 32,
                         .heads = 32,
                         .kv_heads = 8,
                         .head_dim = 128,
                         .intermediate = 14336,
                         .vocab = 128256,
                         .context = 8192,
                         .weights = bf16};
constexpr llama model_smollm2{.hidden = 576,
                              .layers = 30,
                              .heads = 9,
                              .kv_heads = 3,
                              .head_dim = 64,
                              .intermediate = 1536,
                              .vocab = 49152,
                              .context = 8192,
                              .tied_head = true,
                              .weights = q4_1};

/// A GPU as its driver describes the record's.
cuda::gpu_properties real_of(const device& d, u32_t driver = 12080) {
    return {.name = d.name.d,
            .capability = d.gpu.capability,
            .multiprocessors = d.workers,
            .registers = d.gpu.registers,
            .threads = d.gpu.threads,
            .shared_bytes = d.shared_bytes,
            .memory_bytes = d.memory_bytes - d.memory_bytes / 50,
            .cache_bytes = d.gpu.cache_bytes,
            .driver_version = driver,
            .cooperative = true,
            .mps = false,
            .mps_percentage = ""};
}

}  // namespace

TEST_CASE("the records of netra are found again, and fit the GPU they are of") {
    for (const device& d : gpu_devices) {
        INFO(d.name.d);
        const cuda::gpu_properties real = real_of(d);
        CHECK(device_of(real) == d);
        CHECK(cuda::device_refusal(device_of(real), real).empty());
    }
}

TEST_CASE("other GPUs get a record of what their driver says") {
    cuda::gpu_properties real = real_of(h100_sxm);
    real.multiprocessors = 114;
    const device pcie = device_of(real);
    CHECK(pcie.workers == 114);
    CHECK(pcie.gpu.code == sm_90a);
    CHECK(cuda::device_refusal(pcie, real).empty());
    CHECK(plan_for(model_1b, bf16, pcie, {}).decode.blocks == 114);

    real.capability = 121;  // no exact target of netra's is for it
    CHECK(device_of(real).gpu.code == sm_89);
    real.capability = 87;
    CHECK(device_of(real).gpu.code == sm_80);
    // a driver that does not know the newest target's PTX yet
    CHECK(device_of(real_of(rtx5090, 12070)).gpu.code == sm_89);
    CHECK(device_of(real_of(rtx5090, 12080)).gpu.code == sm_120a);
}

TEST_CASE("a prompt's plan reads the memory of the plan for single tokens") {
    for (const llama& m : {model_1b, model_8b, model_smollm2})
        for (const device& d : gpu_devices) {
            INFO(d.name.d << ", hidden " << m.hidden);
            // 14336 terms of an input and the ring may be more than 99 KB
            if (m == model_8b && d.shared_bytes < 100 * 1024 &&
                !check_layout(plan_stream(streamed(m, 1, bf16), d, {.activations = activation_parts::single})).ok()) {
                CHECK_THROWS_WITH(plan_for(m, bf16, d, {}), test::containing("shared memory"));
                continue;
            }
            const gpu_plans p = plan_for(m, bf16, d, {});
            CHECK(p.decode.model.rows == 1);
            CHECK(p.decode.model.weights == llama_formats{bf16});
            CHECK(p.decode.model.kv == bf16);
            CHECK(check_layout(p.decode).ok());
            if (!p.prompt) {
                CHECK_FALSE(p.why_fewer.empty());
                continue;
            }
            CHECK(share_memory(*p.prompt, p.decode));
            CHECK(p.prompt->model.rows > 1);
            CHECK(check_layout(*p.prompt).ok());
            CHECK(stream_stride(*p.prompt) == stream_stride(p.decode));
            CHECK(kv_bytes(*p.prompt) == kv_bytes(p.decode));
            CHECK(parameters_of(*p.prompt).end == parameters_of(p.decode).end);
            CHECK((p.prompt->model.rows == 16) == p.why_fewer.empty());
        }
    CHECK(plan_for(model_1b, f16, h200, {}).prompt->model.rows == 16);
    CHECK(plan_for(model_1b, f16, h200, {.prompt_rows = 15}).prompt->model.rows == 8);
    CHECK_FALSE(plan_for(model_1b, f16, h200, {.prompt_rows = 1}).prompt);
}

TEST_CASE("what differs is no shared memory") {
    const gpu_plans p = plan_for(model_1b, bf16, h200, {});
    const auto differs = [&](auto change) {
        stream_plan other = *p.prompt;
        change(other);
        return !share_memory(other, p.decode);
    };
    CHECK_FALSE(differs([](stream_plan&) {}));
    CHECK_FALSE(differs([](stream_plan& o) { o.parts = 2; }));
    CHECK(differs([](stream_plan& o) { o.ops[3].pass_units += 1; }));
    CHECK(differs([](stream_plan& o) { o.blocks -= 1; }));
    CHECK(differs([](stream_plan& o) { o.kv_splits -= 1; }));
    CHECK(differs([](stream_plan& o) { o.split_positions += 16; }));
    CHECK(differs([](stream_plan& o) { o.config.kv_block = 32; }));
    CHECK(differs([](stream_plan& o) { o.model.context += 1; }));
}

TEST_CASE("models and options without a kernel are refused with the reason") {
    llama m = model_1b;
    m.head_dim = 512;
    CHECK_THROWS_WITH(plan_for(m, bf16, h200, {}), test::containing("head_dim"));
    CHECK_THROWS_WITH(plan_for(model_1b, f32, h200, {}), test::containing("weights other than"));
    CHECK_THROWS_WITH(plan_for(model_1b, bf16, host_cpu(), {}), test::containing("does not run PTX"));
    device small = h200;
    small.shared_bytes = 60 * 1024;
    CHECK_THROWS_WITH(plan_for(model_1b, bf16, small, {}), test::containing("shared memory"));
    CHECK_THROWS_WITH(plan_for(model_1b, bf16, h200, {.prompt_rows = 17}), test::containing("17"));
    CHECK_THROWS_WITH(plan_for(model_1b, bf16, h200, {.steps = 0}), test::containing("0 steps"));
}

TEST_CASE("memory is counted before it is taken") {
    const gpu_plans p = plan_for(model_8b, bf16, h200, {});
    const gpu_memory_needs needs = memory_needs(p, {});
    CHECK(needs.weights >= 2 * (u64_t{32} * (4096ULL * (6144 + 4096) + 3ULL * 4096 * 14336) + 4096ULL * 128256));
    CHECK(needs.weights < 2 * (u64_t{32} * (4096ULL * (6144 + 4096) + 3ULL * 4096 * 14336) + 4096ULL * 128256) * 103 / 100);
    CHECK(needs.embedding == 2ULL * 4096 * 128256);
    CHECK(needs.cache >= 2ULL * 2 * 32 * 8 * 8192 * 128);
    CHECK(needs.angles == 4ULL * 8192 * 128);
    CHECK(needs.logits == 4ULL * 128256 * 16);
    CHECK(memory_needs(p, {.steps = 64, .keep_logits = true}).logits == 4ULL * 128256 * 64);
    CHECK(needs.trace == 0);
    CHECK(memory_needs(p, {.steps = 3, .stream = {.trace = true}}).trace == 32ULL * 132 * 3 * traced_tasks(p.decode));
    CHECK_NOTHROW(require_memory(needs, needs.all(), 8192));
    CHECK_THROWS_WITH(require_memory(needs, needs.all() - 1, 8192), test::containing("8192 tokens"));
    CHECK_THROWS_WITH(require_memory(needs, 24'000'000, 8192), test::containing("24 MB are free"));
}
