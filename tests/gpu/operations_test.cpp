// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The PTX kernels of single operations on a GPU, against the reference functions of their contracts: random shapes, poisoned outputs.
#include "support/catch.hpp"
#include "support/gpu.hpp"

using namespace netra;

namespace {

constexpr weight_format plain_formats[] = {f32, f16, bf16};
constexpr numerics wide{.order = reduction_order::lanes256};

u64_t announced_seed(const cuda::gpu& where) {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("%s, NETRA_SEED=%llu\n", where.name().c_str(), seed);
    return seed;
}

double relative_l2(const std::vector<float>& got, const std::vector<float>& expected) {
    double error = 0.0;
    double size = 0.0;
    for (usz i = 0; i < expected.size(); ++i) {
        const double e = static_cast<double>(expected[i]);
        error += (static_cast<double>(got[i]) - e) * (static_cast<double>(got[i]) - e);
        size += e * e;
    }
    return std::sqrt(error / size);
}

}  // namespace

TEST_CASE("linear gives the bits of its reference") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    test::dice d(announced_seed(*where));
    usz outputs = 0;
    for (u32_t i = 0; i < 120; ++i) {
        linear c{.rows = d.between(1, 16), .out = d.between(1, 300), .in = d.between(1, 1500), .weight = plain_formats[i % 3], .bias = d.percent(50), .math = wide};
        if (d.percent(50)) c.in = (c.in + 7) / 8 * 8;
        if (d.percent(20)) c.rows = 1, c.out = d.between(1000, 3000);
        INFO("rows " << c.rows << " out " << c.out << " in " << c.in << " weights " << name_of(c.weight) << " bias " << c.bias);
        const auto x = test::random_floats(d, usz{c.rows} * c.in);
        const auto w = test::random_weights(d, c.weight, usz{c.out} * c.in);
        const auto bias = test::random_floats(d, c.out);
        std::vector<float> expected(usz{c.rows} * c.out);
        reference(c, x.data(), w.data(), c.bias ? bias.data() : nullptr, expected.data());
        const auto got = test::run_kernel<float>(*where, c, expected.size(), x, w, bias);
        CHECK(test::differing(got, expected) == 0);
        outputs += got.size();
    }
    std::printf("%zu outputs of 120 contracts equal the reference bit for bit\n", outputs);
}

TEST_CASE("rms_norm gives the bits of its reference") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    test::dice d(announced_seed(*where));
    for (u32_t i = 0; i < 40; ++i) {
        const rms_norm c{.rows = d.between(1, 16), .width = i % 4 == 0 ? 256 * d.between(1, 16) : d.between(1, 3000), .eps = 1e-5F, .plus_one = d.percent(50), .groups = d.between(1, 5), .math = wide};
        INFO("rows " << c.rows << " width " << c.width << " groups " << c.groups << " plus_one " << c.plus_one);
        const auto x = test::random_floats(d, usz{c.rows} * c.groups * c.width);
        const auto w = test::random_floats(d, c.width);
        std::vector<float> expected(x.size());
        reference(c, x.data(), w.data(), expected.data());
        CHECK(test::differing(test::run_kernel<float>(*where, c, x.size(), x, w), expected) == 0);
    }
}

TEST_CASE("embedding gives the bits of its reference") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    test::dice d(announced_seed(*where));
    for (u32_t i = 0; i < 30; ++i) {
        const embedding c{.rows = d.between(1, 16), .vocab = d.between(1, 500), .width = d.between(1, 2000), .weight = plain_formats[i % 3]};
        INFO("rows " << c.rows << " vocab " << c.vocab << " width " << c.width << " weights " << name_of(c.weight));
        std::vector<i32_t> tokens(c.rows);
        for (i32_t& t : tokens) t = static_cast<i32_t>(d.below(c.vocab));
        const auto table = test::random_weights(d, c.weight, usz{c.vocab} * c.width);
        std::vector<float> expected(usz{c.rows} * c.width);
        reference(c, tokens.data(), table.data(), expected.data());
        CHECK(test::differing(test::run_kernel<float>(*where, c, expected.size(), tokens, table), expected) == 0);
    }
}

TEST_CASE("gated_mul stays within 1e-6 of its reference, for small, large and extreme gates") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    test::dice d(announced_seed(*where));
    for (const activation a : {activation::silu, activation::gelu, activation::gelu_tanh})
        for (const float size : {0.01F, 3.0F, 30.0F, 1000.0F}) {
            const gated_mul c{.rows = d.between(1, 16), .width = d.between(1, 3000), .act = a};
            INFO("rows " << c.rows << " width " << c.width << " activation " << static_cast<int>(a) << " size " << size);
            const auto x = test::random_floats(d, usz{2} * c.rows * c.width, size);
            std::vector<float> expected(usz{c.rows} * c.width);
            reference(c, x.data(), expected.data());
            const auto got = test::run_kernel<float>(*where, c, expected.size(), x);
            CHECK(relative_l2(got, expected) <= 1e-6);
        }
}

TEST_CASE("sampling chooses the largest logit, the lowest id among equals") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    test::dice d(announced_seed(*where));
    for (u32_t i = 0; i < 40; ++i) {
        const sampling c{.vocab = i == 0 ? 128256 : d.between(1, 5000)};
        auto logits = test::random_floats(d, c.vocab, i % 3 == 0 ? 0.0F : 50.0F);  // size 0: zeros of both signs, all equal
        if (i % 3 == 1)
            for (float& l : logits) l = std::round(l);  // many equals
        if (i % 3 == 2)
            for (float& l : logits) l -= 100.0F;  // all negative
        INFO("vocab " << c.vocab << " kind " << i % 3);
        CHECK(test::run_kernel<i32_t>(*where, c, 1, logits).front() == argmax(logits.data(), c.vocab));
    }
}
