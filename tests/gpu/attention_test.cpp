// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The PTX kernels around the kv caches on a GPU, against the reference functions of their contracts: random shapes, poisoned memory.
#include "support/attention_cases.hpp"
#include "support/catch.hpp"
#include "support/gpu.hpp"

#include <initializer_list>

using namespace netra;

namespace {

/// Runs kernels on copies of buffers, which come back.
class on_gpu {
public:
    explicit on_gpu(const cuda::gpu& where) : where_(where), seed_(test::seed_from_environment("NETRA_SEED")), dice_(seed_) {
        std::printf("%s, NETRA_SEED=%llu\n", where.name().c_str(), static_cast<unsigned long long>(seed_));
    }
    test::dice& dice() { return dice_; }

    template <class Contract>
    void operator()(const Contract& contract, std::initializer_list<test::memory*> buffers) const {
        const test::module_text made(kernel_of(contract), test::target_of(where_));
        const cuda::loaded_kernel kernel(where_, made.image());
        std::vector<cuda::buffer_memory> copies;
        std::vector<cuda::device_memory> arguments;
        for (const auto* b : buffers) copies.push_back(test::upload(where_, *b)), arguments.push_back(copies.back().at());
        kernel.launch(arguments);
        where_.synchronize();
        usz i = 0;
        for (auto* b : buffers) copies[i++].read(std::as_writable_bytes(std::span(*b)));
    }

private:
    const cuda::gpu& where_;
    u64_t seed_;
    test::dice dice_;
};

}  // namespace

TEST_CASE("add gives the bits of its reference") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    on_gpu on(*where);
    test::check_add(on, on.dice(), 20);
}

TEST_CASE("rope_append gives the bits of its reference and touches nothing else") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    on_gpu on(*where);
    test::check_rope_append(on, on.dice(), 120);
}

TEST_CASE("attention of random contracts stays within 1e-6 of its reference, with the same bits for any rows and splits") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    on_gpu on(*where);
    const u32_t count = static_cast<u32_t>(test::from_environment("NETRA_CASES", 100));
    std::printf("largest relative L2 distance of %u contracts: %.3g\n", count, test::check_attentions(on, on.dice(), count, 256));
}

TEST_CASE("attention of models' shapes, positions up to the end of the context") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    on_gpu on(*where);
    for (const u32_t position : {0U, 255U, 256U, 257U, 4095U, 8191U})
        for (const dtype kv : {dtype::bf16, dtype::f16}) {
            attention c{.rows = 1, .heads = 32, .kv_heads = 8, .head_dim = 64, .context = 8192, .kv = kv, .splits = position % 2 == 0 ? 16U : 1U};
            test::check_attention(on, on.dice(), c, position, 2.0F);
            c.heads = 9, c.kv_heads = 3, c.window = 4000, c.kv = dtype::f32;
            test::check_attention(on, on.dice(), c, position, 2.0F);
            c.heads = 16, c.kv_heads = 8, c.head_dim = 128, c.window = 0, c.kv = kv;
            test::check_attention(on, on.dice(), c, position, 2.0F);
        }
    attention widest{.rows = 16, .heads = 4, .kv_heads = 2, .head_dim = 1024, .context = 300, .kv = dtype::bf16, .chunk = 64};
    test::check_attention(on, on.dice(), widest, 250, 2.0F);
    widest.head_dim = 520;
    widest.chunk = 4096;
    test::check_attention(on, on.dice(), widest, 250, 2.0F);
    const attention far{.rows = 1, .heads = 4, .kv_heads = 1, .head_dim = 64, .context = 131072, .kv = dtype::bf16, .splits = 64};
    test::check_attention(on, on.dice(), far, 131071, 2.0F);
}

TEST_CASE("a recorded step takes the position that memory holds when it runs") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    on_gpu on(*where);
    constexpr u32_t steps = 20;
    const rope_append append{.heads = 4, .kv_heads = 2, .context = steps, .kv = dtype::bf16, .table = {.rows = 1, .head_dim = 64}};
    const attention attend{.rows = 1, .heads = 4, .kv_heads = 2, .head_dim = 64, .context = steps, .kv = dtype::bf16, .chunk = 16, .splits = 2};
    const test::module_text texts[] = {{kernel_of(append), test::target_of(*where)}, {kernel_of(attend), test::target_of(*where)}, {kernel_of(combine(attend)), test::target_of(*where)}};
    const cuda::loaded_kernel append_kernel(*where, texts[0].image()), attend_kernel(*where, texts[1].image()), combine_kernel(*where, texts[2].image());
    const usz cache = 2ULL * steps * 64 * 2;
    const auto made = [&](usz bytes) { return test::upload(*where, test::poisoned(bytes)); };
    cuda::buffer_memory qkv = made(8 * 64 * 4), angles = made(64 * 4), position = made(4), keys = made(cache), values = made(cache), partials = made(partial_bytes(attend)), out = made(4 * 64 * 4);
    const cuda::launch_graph step(*where, [&](cuda::stream stream) {
        append_kernel.launch(std::vector{qkv.at(), angles.at(), qkv.at(), qkv.at(), position.at(), keys.at(), values.at()}, stream);
        attend_kernel.launch(std::vector{qkv.at(), keys.at(), values.at(), position.at(), partials.at()}, stream);
        combine_kernel.launch(std::vector{partials.at(), position.at(), out.at()}, stream);
    });
    test::memory expected_keys = test::poisoned(cache), expected_values = test::poisoned(cache);
    for (u32_t p = 0; p < steps; ++p) {
        auto row = test::random_floats(on.dice(), 8 * 64);
        std::vector<float> turn(64);
        reference(append.table, p, nullptr, turn.data());
        qkv.write(std::as_bytes(std::span(row)));
        angles.write(std::as_bytes(std::span(turn)));
        position.write(std::as_bytes(std::span(&p, 1)));
        step.launch();
        where->synchronize();
        std::vector<float> got(4 * 64);
        out.read(std::as_writable_bytes(std::span(got)));
        reference(append, row.data(), turn.data(), nullptr, nullptr, p, expected_keys.data(), expected_values.data());
        row.resize(4 * 64);
        CHECK(relative_l2(got, test::expected_attention(attend, row, expected_keys, expected_values, p)) <= 1e-6);
    }
}
