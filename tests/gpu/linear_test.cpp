// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The PTX kernel of linear on a GPU: the bits of the contract's reference function.
#include <netra/codegen/kernel.hpp>

#include <cmath>
#include <cstring>
#include <vector>

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/gpu.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

target target_of(const cuda::gpu& where) {
    const int capability = where.capability();
    for (const target& t : {sm_120a, sm_100a, sm_90a})
        if (t.capability == capability) return t;
    return capability >= 89 ? sm_89 : sm_80;
}

float between(test::dice& d, float low, float high) { return low + (high - low) * static_cast<float>(d.below(1U << 24)) / static_cast<float>(1U << 24); }

std::vector<u8_t> random_weights(test::dice& d, const linear& c) {
    std::vector<u8_t> bytes(c.out * weight_row_bytes(c));
    const u32_t size = bits_of(c.weight.element) / 8;
    for (usz i = 0; i < bytes.size(); i += size) {
        const float v = between(d, -1.0F, 1.0F);
        const u32_t stored = c.weight == f32 ? f32_bits(v) : c.weight == f16 ? f32_to_f16(v) : f32_to_bf16(v);
        std::memcpy(bytes.data() + i, &stored, size);
    }
    return bytes;
}
std::vector<float> random_floats(test::dice& d, usz n) {
    std::vector<float> v(n);
    for (float& x : v) x = between(d, -2.0F, 2.0F);
    return v;
}

template <class T>
cuda::buffer_memory upload(const cuda::gpu& where, const std::vector<T>& from) {
    cuda::buffer_memory made(where, from.size() * sizeof(T));
    made.write(std::as_bytes(std::span(from)));
    return made;
}

/// How many outputs differ in a bit from the reference's.
usz wrong_outputs(const cuda::gpu& where, const linear& c, test::dice& d) {
    const std::vector<float> x = random_floats(d, usz{c.rows} * c.in);
    const std::vector<u8_t> w = random_weights(d, c);
    const std::vector<float> bias = random_floats(d, c.out);
    std::vector<float> expected(usz{c.rows} * c.out);
    std::vector<float> got(expected.size());
    reference(c, x.data(), w.data(), c.bias ? bias.data() : nullptr, expected.data());

    const test::module_text made(kernel_of(c), target_of(where));
    const cuda::loaded_kernel kernel(where, made.image());
    const cuda::buffer_memory on_x = upload(where, x);
    const cuda::buffer_memory on_w = upload(where, w);
    const cuda::buffer_memory on_bias = upload(where, bias);
    cuda::buffer_memory on_y(where, got.size() * sizeof(float));
    on_y.fill(0xff);
    const cuda::device_memory arguments[] = {on_x.at(), on_w.at(), on_bias.at(), on_y.at()};
    kernel.launch(arguments);
    where.synchronize();
    on_y.read(std::as_writable_bytes(std::span(got)));
    usz wrong = 0;
    for (usz i = 0; i < got.size(); ++i) wrong += std::isfinite(expected[i]) && f32_bits(got[i]) == f32_bits(expected[i]) ? 0U : 1U;
    return wrong;
}

}  // namespace

TEST_CASE("linear in PTX gives the bits of its reference") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    std::printf("%s, NETRA_SEED=%llu\n", where->name().c_str(), seed);
    test::dice d(seed);
    usz outputs = 0;
    for (u32_t i = 0; i < 120; ++i) {
        const weight_format formats[] = {f32, f16, bf16};
        linear c{.rows = d.between(1, 16), .out = d.between(1, 300), .in = d.between(1, 1500), .weight = formats[i % 3], .bias = d.percent(50)};
        if (d.percent(50)) c.in = (c.in + 7) / 8 * 8;
        if (d.percent(20)) c.rows = 1, c.out = d.between(1000, 3000);
        c.math.order = reduction_order::lanes256;
        INFO("rows " << c.rows << " out " << c.out << " in " << c.in << " weights " << name_of(c.weight) << " bias " << c.bias);
        CHECK(wrong_outputs(*where, c, d) == 0);
        outputs += usz{c.rows} * c.out;
    }
    std::printf("%zu outputs of 120 contracts equal the reference bit for bit\n", outputs);
}
