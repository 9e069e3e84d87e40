// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Whole models through the persistent kernel in the PTX interpreter, beside the CPU backend on the same weights and bf16 caches.
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/interpreted_steps.hpp"
#include "support/memory_model.hpp"

using namespace netra;

namespace {

struct shape {
    const char* what;
    llama model;
    u32_t blocks;
    target code = sm_90a;
};
const shape shapes[] = {
    {"one layer", {.hidden = 64, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 32, .intermediate = 96, .vocab = 50, .context = 64, .rows = 1, .weights = bf16, .kv = bf16}, 2},
    {"two layers", {.hidden = 96, .layers = 2, .heads = 6, .kv_heads = 2, .head_dim = 16, .intermediate = 160, .vocab = 70, .context = 64, .rows = 1, .tied_head = true, .weights = f16, .kv = bf16}, 3},
};

opened_model open(const test::memory_model& from) {
    opened_model m;
    m.contract = from.opened.contract;
    m.naming = from.opened.naming;
    m.path = from.opened.path;
    for (const tensor& t : from.opened.weights.tensors()) m.weights.add(t);
    m.bound = bind_weights(m.weights, m.contract, m.naming, true);
    return m;
}

}  // namespace

TEST_CASE("a model in the interpreter gives the CPU's logits") {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("NETRA_SEED=%llu\n", static_cast<unsigned long long>(seed));
    for (const auto& [what, model, blocks, code] : shapes) {
        INFO(what);
        test::dice d(seed);
        const test::memory_model made = test::make_memory_model(model, d);
        session cpu(loaded_model(open(made)), {.workers = 1});
        auto steps = std::make_unique<test::interpreted_steps>(made.opened, model.weights.q.element, test::tiny_gpu(blocks, code), gpu_options{.prompt_rows = 4, .steps = 3, .keep_logits = true}, seed);
        test::interpreted_steps& machine = *steps;
        gpu_session gpu(std::move(steps), {.keep_logits = true});
        const std::vector<u32_t> prompt{3, 1, 4, 1, 5, 9};
        generation c = cpu.generate(prompt, {.max_tokens = 6, .ignore_eos = true});
        gpu_generation g = gpu.generate(prompt, {.max_tokens = 6, .ignore_eos = true});
        for (int i = 0; i < 6; ++i) {
            const auto from_cpu = c.next();
            const auto from_gpu = g.next();
            REQUIRE(from_gpu);
            const double error = test::relative_l2(gpu.logits(), std::vector<float>(cpu.logits().begin(), cpu.logits().end()));
            std::printf("%s: step %d: %u %u, relative L2 %.2e, %llu instructions\n", what, i, *from_cpu, *from_gpu, error,
                        static_cast<unsigned long long>(machine.machine().thread_instructions()));
            CHECK(error < 2e-3);
            if (*from_cpu != *from_gpu) break;
        }
    }
}
