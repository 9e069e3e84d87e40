// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/models/llama_weights.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr llama tiny{
    .hidden = 96, .layers = 2, .heads = 6, .kv_heads = 2, .head_dim = 24, .intermediate = 160, .vocab = 50, .weights = bf16};

static_assert(shape_of(tiny, weight_role::embedding) == weight_shape{50, 96});
static_assert(shape_of(tiny, weight_role::q) == weight_shape{144, 96});
static_assert(shape_of(tiny, weight_role::v) == weight_shape{48, 96});
static_assert(shape_of(tiny, weight_role::o) == weight_shape{96, 144});
static_assert(shape_of(tiny, weight_role::down) == weight_shape{96, 160});
static_assert(shape_of(tiny, weight_role::k_bias) == weight_shape{0, 48});
static_assert(shape_of(tiny, weight_role::q_norm) == weight_shape{0, 24});
static_assert(shape_of(tiny, weight_role::rope_factors) == weight_shape{0, 12});
static_assert(format_of(tiny, weight_role::o) == weight_format{bf16});
static_assert(format_of(tiny, weight_role::o_bias) == weight_format{f32});

}  // namespace

TEST_CASE("roles stand in the table at their own place, under names that differ") {
    std::set<std::string> names;
    for (usz i = 0; i < weight_role_count; ++i) {
        const auto role = static_cast<weight_role>(i);
        const weight_names& w = names_of(role);
        CHECK(w.role == role);
        CHECK(names.insert(w.role_name).second);
        CHECK(names.insert(w.gguf).second);
        if (role != weight_role::rope_factors) CHECK(names.insert(w.safetensors).second);
        for (const std::string pattern : {w.gguf, w.safetensors}) {
            if (!pattern.empty()) CHECK((pattern.find("{}") != std::string::npos) == per_layer(role));
        }
    }
}

TEST_CASE("a contract has the optional weights that it asks for, and no others") {
    const auto count = [](const llama& m) {
        int n = 0;
        for (const weight_names& w : weight_table) n += has_weight(m, w.role) ? 1 : 0;
        return n;
    };
    llama m = tiny;
    const int plain = count(m);
    CHECK(plain == 12);
    m.tied_head = true;
    CHECK(count(m) == plain - 1);
    m.qkv_bias = true;
    CHECK(count(m) == plain + 2);
    m.o_bias = true;
    CHECK(count(m) == plain + 3);
    m.mlp_bias = true;
    CHECK(count(m) == plain + 6);
    m.qk_norm = true;
    CHECK(count(m) == plain + 8);
    m.rope.scaling = rope_scaling::table;
    CHECK(count(m) == plain + 9);
}

TEST_CASE("each matrix has its own format, vectors are fp32") {
    llama m = tiny;
    for (const weight_names& w : weight_table) {
        weight_format* slot = format_slot(m.weights, w.role);
        CHECK((slot != nullptr) == is_matrix(shape_of(m, w.role)));
        if (slot == nullptr) continue;
        *slot = q4_0;
        CHECK(format_of(m, w.role) == q4_0);
        *slot = bf16;
        CHECK(m.weights == llama_formats{bf16});
    }
}

TEST_CASE("the shapes hold what the operations of the model read") {
    for (const weight_role role : {weight_role::q, weight_role::k, weight_role::v, weight_role::o, weight_role::gate, weight_role::up,
                                   weight_role::down, weight_role::head}) {
        const linear part = role == weight_role::q      ? q_proj(tiny)
                            : role == weight_role::k    ? k_proj(tiny)
                            : role == weight_role::v    ? v_proj(tiny)
                            : role == weight_role::o    ? o_proj(tiny)
                            : role == weight_role::gate ? gate_proj(tiny)
                            : role == weight_role::up   ? up_proj(tiny)
                            : role == weight_role::down ? down_proj(tiny)
                                                        : head_proj(tiny);
        CHECK(shape_of(tiny, role) == weight_shape{part.out, part.in});
        CHECK(elements_of(shape_of(tiny, role)) == u64_t{part.out} * part.in);
    }
}
