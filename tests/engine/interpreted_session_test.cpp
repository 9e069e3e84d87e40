// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Whole models through the persistent kernel in the PTX interpreter, beside the CPU backend on the same weights and bf16 caches.
#include <netra/engine/model_file.hpp>
#include <netra/engine/relative_l2.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/interpreted_steps.hpp"
#include "support/memory_model.hpp"

using namespace netra;

namespace {

/// A model for both executors, from the same tensors.
struct subject {
    opened_model for_cpu;
    opened_model for_gpu;
    dtype weights;
};

opened_model same_tensors(const opened_model& from) {
    opened_model m;
    m.contract = from.contract;
    m.naming = from.naming;
    m.path = from.path;
    for (const tensor& t : from.weights.tensors()) m.weights.add(t);
    m.bound = bind_weights(m.weights, m.contract, m.naming, true);
    return m;
}

struct outcome {
    u32_t steps = 0;
    double worst = 0.0;
    std::vector<u32_t> ids{};
    std::vector<std::vector<float>> logits{};
    u64_t instructions = 0;
    u32_t prompt_rows = 1;
    u32_t bits = 0;  ///< of an activation: the fewest of both kernels
};

gpu_session interpreted(const opened_model& model, dtype weights, const device& where, const gpu_options& options, u64_t seed,
                        test::interpreted_steps*& steps) {
    auto made = std::make_unique<test::interpreted_steps>(model, weights, where, options, seed);
    steps = made.get();
    return gpu_session(std::move(made), {.keep_logits = true});
}

/// Also with nearly exact activations a few cached keys and values round to the other bf16 neighbour.
double tolerance(u32_t bits) { return bits == 8 ? 4e-2 : bits == 11 ? 1.5e-2 : 6e-3; }

/// Greedy; compares while both say the same. A token may differ where the CPU's two logits are nearly equal.
outcome compare(subject of, const device& where, gpu_options options, const std::vector<u32_t>& prompt, u32_t tokens, u64_t seed) {
    options.keep_logits = true;
    test::interpreted_steps* steps = nullptr;
    gpu_session gpu = interpreted(of.for_gpu, of.weights, where, options, seed, steps);
    session cpu(loaded_model(std::move(of.for_cpu)), {.workers = 1});
    outcome o{.prompt_rows = steps->prompt_rows(),
              .bits = least_activation_bits(steps->plans())};
    generation c = cpu.generate(prompt, {.max_tokens = tokens, .ignore_eos = true});
    gpu_generation g = gpu.generate(prompt, {.max_tokens = tokens, .ignore_eos = true});
    for (u32_t i = 0; i < tokens; ++i) {
        const auto from_cpu = c.next();
        const auto from_gpu = g.next();
        REQUIRE((from_cpu && from_gpu));
        ++o.steps;
        o.ids.push_back(*from_gpu);
        o.logits.emplace_back(gpu.logits().begin(), gpu.logits().end());
        o.worst = std::max(o.worst, relative_l2(gpu.logits(), cpu.logits()));
        if (*from_cpu == *from_gpu) continue;
        const double margin = static_cast<double>(cpu.logits()[*from_cpu]) - static_cast<double>(cpu.logits()[*from_gpu]);
        std::printf("parts at step %u with a margin of %.3g\n", i, margin);
        CHECK(margin < 2 * tolerance(o.bits));
        break;
    }
    o.instructions = steps->machine().thread_instructions();
    return o;
}

constexpr llama tied = [] {
    llama m{.hidden = 96, .layers = 2, .heads = 6, .kv_heads = 2, .head_dim = 16, .intermediate = 160, .vocab = 70, .context = 700, .rows = 1,
            .tied_head = true, .weights = f16, .kv = bf16};
    if (test::slow_build) m.hidden = 32, m.layers = 1, m.heads = 2, m.kv_heads = 1, m.intermediate = 40;
    return m;
}();

std::vector<u32_t> prompt_of(usz n, u32_t vocab) {
    std::vector<u32_t> ids;
    for (usz i = 0; i < n; ++i) ids.push_back(static_cast<u32_t>((7 * i * i + 3 * i + 1) % vocab));
    return ids;
}
u64_t announced_seed() {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("NETRA_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

}  // namespace

TEST_CASE("every small model of the goldens gives the CPU's logits") {
    const u64_t seed = announced_seed();
    test::dice d(seed);
    usz i = 0;
    for (const auto& [name, model] : test::golden_models()) {
        if (const char* only = std::getenv("NETRA_GPU_MODEL"); only != nullptr && name.find(only) == std::string::npos) continue;
        ++i;
        if (test::slow_build && i % 20 != 0) continue;
        const test::temporary_directory directory;
        model.write_directory(directory.path());
        const dtype weights = model.format() == weight_format{f16} ? f16 : bf16;
        const open_options options{
            .context = 128, .kv = bf16, .storage = weights == f16 ? weight_storage::as_f16 : weight_storage::as_bf16};
        subject of{open_model(directory.path(), options), open_model(directory.path(), options), weights};
        const u32_t rows[] = {16, 4, 8, 2};
        const u32_t blocks = d.between(1, 4);
        const target code = d.percent(50) ? sm_90a : sm_80;
        auto prompt = model.golden().at("prompts").at(1).at("ids").get<std::vector<u32_t>>();
        prompt.resize(prompt.size() + d.below(4), prompt.front());
        const outcome o = compare(std::move(of), test::tiny_gpu(blocks, code), {.prompt_rows = rows[i % 4], .steps = d.between(1, 4)},
                                  prompt, 3, seed + i);
        std::printf("%-32s %u blocks, %-6s, %2u tokens, %2u at a time, %2u bits: relative L2 %.1e over %u steps, %4llu M instructions\n",
                    name.c_str(), blocks, code.name.d, static_cast<u32_t>(prompt.size()), o.prompt_rows, o.bits, o.worst, o.steps,
                    static_cast<unsigned long long>(o.instructions / 1'000'000));
        INFO(name);
        CHECK(o.worst <= tolerance(o.bits));
    }
    CHECK(i > 0);
}

TEST_CASE("neither the order of instructions nor the steps of a launch nor an epoch's wrap changes a bit") {
    const u64_t seed = announced_seed();
    test::dice d(seed);
    const test::memory_model made = test::make_memory_model(tied, d);
    const std::vector<u32_t> prompt = prompt_of(test::slow_build ? 9 : 21, tied.vocab);
    const u32_t tokens = test::slow_build ? 3 : 6;
    const auto run = [&](u32_t steps, u64_t order, u32_t epoch, bool delays) {
        test::interpreted_steps* machine = nullptr;
        gpu_session gpu =
            interpreted(made.opened, f16, test::tiny_gpu(4),
                        {.prompt_rows = 8, .steps = steps, .keep_logits = true, .stream = {.delays = delays}}, order, machine);
        machine->set_epoch(epoch);
        std::vector<std::vector<float>> logits;
        gpu_generation g = gpu.generate(prompt, {.max_tokens = tokens, .ignore_eos = true});
        while (g.next()) logits.emplace_back(gpu.logits().begin(), gpu.logits().end());
        return logits;
    };
    const auto expected = run(1, seed, 1, false);
    REQUIRE(expected.size() == tokens);
    CHECK(run(5, seed + 3, ~u32_t{0} - 4, false) == expected);
    if (test::slow_build) return;
    CHECK(run(5, seed + 1, 1, false) == expected);
    CHECK(run(2, seed + 2, 1, false) == expected);
    CHECK(run(3, seed + 4, 1, true) == expected);
}

TEST_CASE("draws of launches of many steps are those of their logits") {
    const u64_t seed = announced_seed();
    test::dice d(seed);
    const test::memory_model made = test::make_memory_model(tied, d);
    const sampling_parameters how{.temperature = 2.0F, .top_k = 30, .top_p = 0.9F, .seed = seed};
    const u32_t tokens = test::slow_build ? 5 : 9;
    std::vector<u32_t> drawn[2];
    for (const u32_t steps : {1U, 4U}) {
        test::interpreted_steps* machine = nullptr;
        gpu_session gpu = interpreted(made.opened, f16, test::tiny_gpu(3), {.prompt_rows = 4, .steps = steps, .keep_logits = true}, seed + steps, machine);
        REQUIRE(machine->draws());
        gpu_generation g = gpu.generate(prompt_of(6, tied.vocab), {.max_tokens = tokens, .ignore_eos = true, .sampling = how});
        std::vector<u32_t>& ids = drawn[steps / 4];
        while (const auto id = g.next()) {
            INFO("step " << ids.size());
            CHECK(static_cast<i32_t>(*id) == reference({tied.vocab}, how, 5 + ids.size(), gpu.logits().data()));
            ids.push_back(*id);
        }
        CHECK(ids.size() == tokens);
    }
    CHECK(drawn[0] == drawn[1]);
}

TEST_CASE("contexts on both sides of every block and split of the cache") {
    const u64_t seed = announced_seed();
    test::dice d(seed);
    const test::memory_model made = test::make_memory_model(tied, d);
    for (const usz n : {1U, 15U, 16U, 17U, 65U, 257U}) {
        if (test::slow_build && n != 17) continue;
        subject of{same_tensors(made.opened), same_tensors(made.opened), f16};
        const outcome o = compare(std::move(of), test::tiny_gpu(8), {.prompt_rows = 16, .steps = 4}, prompt_of(n, tied.vocab), 3, seed + n);
        std::printf("context %3zu: relative L2 %.1e over %u steps\n", n, o.worst, o.steps);
        INFO("context " << n);
        CHECK(o.worst <= tolerance(o.bits));
    }
}

TEST_CASE("bf16 weights that f16 does not hold are multiplied as bf16") {
    test::dice d(announced_seed());
    llama m = tied;
    m.weights = bf16, m.tied_head = false;
    test::memory_model made = test::make_memory_model(m, d);
    const auto down = std::find_if(made.opened.bound.begin(), made.opened.bound.end(), [](const auto& b) { return b.role == weight_role::down; });
    test::blob& bytes = test::bytes_of(made, *down->stored);
    const u16_t large = f32_to_bf16(300.0F);
    std::memcpy(bytes.data(), &large, 2);
    test::interpreted_steps* steps = nullptr;
    const gpu_session gpu = interpreted(made.opened, bf16, test::tiny_gpu(3), {.prompt_rows = 16}, 1, steps);
    CHECK(steps->plans().why_rounded == "memory: tensor 'blk.0.ffn_down.weight': its largest element is 300, and f16 needs one from 3.81e-06 to 255");
    CHECK(activation_bits(steps->plans().decode) == 16);
    CHECK(activation_bits(*steps->plans().prompt) == 8);
    CHECK_THROWS_WITH(interpreted(made.opened, bf16, test::tiny_gpu(3), {.prompt_rows = 16, .stream = {.activations = activation_parts::half}}, 1, steps),
                      test::containing("take other activations than half"));
    const u16_t beyond = f32_to_bf16(70000.0F);
    std::memcpy(bytes.data(), &beyond, 2);
    CHECK_THROWS_WITH(interpreted(made.opened, f16, test::tiny_gpu(3), {.prompt_rows = 16}, 1, steps), test::containing("keep matrices as bf16"));
    std::memcpy(bytes.data(), &large, 2);
    if (test::slow_build) return;
    subject of{same_tensors(made.opened), same_tensors(made.opened), bf16};
    CHECK(compare(std::move(of), test::tiny_gpu(3), {.prompt_rows = 16, .steps = 2}, prompt_of(18, m.vocab), 2, 5).worst <= tolerance(8));
}

TEST_CASE("a trace has every task of every block, in the order of its steps") {
    test::dice d(announced_seed());
    llama m = tied;
    m.layers = 2;
    const test::memory_model made = test::make_memory_model(m, d);
    test::interpreted_steps* machine = nullptr;
    gpu_session gpu =
        interpreted(made.opened, f16, test::tiny_gpu(3), {.prompt_rows = 4, .steps = 3, .stream = {.trace = true}}, 1, machine);
    gpu_generation g = gpu.generate(prompt_of(9, tied.vocab), {.max_tokens = 4, .ignore_eos = true});
    while (g.next()) {
    }
    // block -> task -> its spans
    std::map<u32_t, std::map<std::string, std::vector<trace_span>>> seen;
    for (const trace_span& s : machine->trace()) seen[s.block][s.name].push_back(s);
    REQUIRE(seen.size() == 3);
    for (auto& [block, tasks] : seen)
        for (const char* name : {"qkv[0]", "qkv[1]", "o[0]", "gate_up[1]", "down[1]", "head"}) {
            INFO(name << " of block " << block);
            const auto& spans = tasks[name];
            REQUIRE(spans.size() == 3);
            for (usz i = 0; i < 3; ++i) {
                CHECK(spans[i].role == "consumer");
                CHECK(spans[i].begin_ns <= spans[i].end_ns);
                if (i > 0) CHECK(spans[i - 1].end_ns <= spans[i].begin_ns);
            }
        }
}
