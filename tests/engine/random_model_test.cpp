// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Random models: the same for one seed whatever the number of workers, as the contract says, and they decode.
#include <netra/engine/random_model.hpp>
#include <netra/engine/session.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr llama some{.hidden = 64,
                     .layers = 2,
                     .heads = 4,
                     .kv_heads = 2,
                     .head_dim = 16,
                     .intermediate = 96,
                     .vocab = 32768,
                     .context = 64,
                     .qkv_bias = true,
                     .weights = bf16,
                     .kv = bf16};

std::vector<float> logits_of(const random_model& m) {
    session s(loaded_model(m.open()), {.workers = 1});
    s.generate(std::vector<u32_t>{1, 2, 3}).next();
    return {s.logits().begin(), s.logits().end()};
}

}  // namespace

TEST_CASE("one seed is one model, whatever the number of workers") {
    const std::vector<float> logits = logits_of(random_model(some, 5));
    CHECK(logits_of(random_model(some, 5, 3)) == logits);
    CHECK(logits_of(random_model(some, 6)) != logits);
    double squares = 0.0;
    for (const float v : logits) squares += static_cast<double>(v) * static_cast<double>(v);
    const double size = std::sqrt(squares / static_cast<double>(logits.size()));
    CHECK(size > 0.3);
    CHECK(size < 3.0);
}

TEST_CASE("matrices are stored as the contract says, vectors as f32; norms are around 1, or around 0 where 1 is added") {
    for (const dtype format : {f32, f16, bf16})
        for (const bool plus_one : {false, true}) {
            llama m = some;
            m.vocab = 100;
            m.weights = format;
            m.norm_plus_one = plus_one;
            const random_model made(m, 1);
            const opened_model o = made.open(f32);
            CHECK(o.contract.kv == f32);
            for (const bound_weight& b : o.bound) {
                const bool matrix = is_matrix(shape_of(m, b.role));
                CHECK(b.stored->format == (matrix ? weight_format{format} : weight_format{f32}));
                if (b.role != weight_role::final_norm) continue;
                std::vector<float> values(b.stored->elements());
                dequantize(*b.stored, 0, values);
                for (const float v : values) CHECK(std::abs(v - (plus_one ? 0.0F : 1.0F)) <= 0.25F);
            }
        }
}

TEST_CASE("contracts that are refused, and quantized matrices, are refused") {
    llama m = some;
    m.weights = q8_0;
    CHECK_THROWS_AS(random_model(m, 1), model_error);
    m = some;
    m.heads = 3;
    CHECK_THROWS_AS(random_model(m, 1), model_error);
}
