// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/identity.hpp>
#include <netra/engine/string_sink.hpp>

#include <map>
#include <vector>

#include "support/catch.hpp"

using namespace netra;

namespace {

template <class Contract>
std::string text_for(const Contract& c) {
    return written([&](auto& out) { describe(out, c); });
}

constexpr linear square{.rows = 1, .out = 576, .in = 576, .weight = q4_1};
static_assert(contract_text<square> == text("linear rows=1 out=576 in=576 weight=q4_1 bias=0 acc=f32 order=lanes16 tolerance=3727c5ac"));
static_assert(identity_of<square> == text("nk_1bdb0a70aa8684da"));
static_assert(identity_of<square> == identify(square));
constexpr llama model{
    .hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .weights = bf16};
static_assert(identity_of<model> == identify(model));

/// Adds a contract and its variants; all must differ, and each must have a text and an identity of its own.
class variants {
public:
    template <class Contract, class... Changes>
    void add(const Contract& base, Changes... changes) {
        std::vector<Contract> all{base};
        const auto change = [&](auto apply) {
            Contract c = base;
            apply(c);
            all.push_back(c);
        };
        (change(changes), ...);
        for (usz i = 0; i < all.size(); ++i) {
            for (usz k = 0; k < i; ++k) CHECK_FALSE(all[i] == all[k]);
            const std::string t = text_for(all[i]);
            INFO(t);
            CHECK(texts_.insert({t, 1}).second);
            CHECK(identities_.insert({identify(all[i]).d, t}).second);
            const Contract copy = all[i];
            CHECK(text_for(copy) == t);
        }
    }

private:
    std::map<std::string, int> texts_;
    std::map<std::string, std::string> identities_;
};

void add_formats(variants& all) {
    const auto with = [](auto apply) {
        linear c{.rows = 1, .out = 8, .in = 64, .weight = weight_format{u4, {quantization_scheme::grouped_scale, 64, bf16, 8}}};
        apply(c.weight);
        return c;
    };
    all.add(
        with([](weight_format&) {}), [&](linear& c) { c = with([](weight_format& w) { w.element = i8; }); },
        [&](linear& c) { c = with([](weight_format& w) { w.quant.scheme = quantization_scheme::grouped_scale_min; }); },
        [&](linear& c) { c = with([](weight_format& w) { w.quant.group = 16; }); },
        [&](linear& c) { c = with([](weight_format& w) { w.quant.scale = f32; }); },
        [&](linear& c) { c = with([](weight_format& w) { w.quant.zero = 7; }); },
        [&](linear& c) { c = with([](weight_format& w) { w.quant.zero = -8; }); },
        [&](linear& c) { c = with([](weight_format& w) {
                             w = {f16, {quantization_scheme::none, 2, f32, 0}};
                         }); },
        [&](linear& c) { c.weight = f16; }, [&](linear& c) { c.weight = q8_0; }, [&](linear& c) { c.weight = q4_0; },
        [&](linear& c) { c.weight = q4_1; }, [&](linear& c) { c.weight = f8e4m3; }, [&](linear& c) { c.weight = f8e5m2; });
}

}  // namespace

TEST_CASE("every field of every operation is part of its identity") {
    variants all;
    all.add(
        linear{.rows = 2, .out = 3, .in = 5}, [](linear& c) { c.rows = 1; }, [](linear& c) { c.out = 4; }, [](linear& c) { c.in = 4; },
        [](linear& c) { c.weight = bf16; }, [](linear& c) { c.bias = true; }, [](linear& c) { c.math.accumulate = bf16; },
        [](linear& c) { c.math.order = static_cast<reduction_order>(1); }, [](linear& c) { c.math.tolerance = 1e-4F; });
    add_formats(all);
    all.add(
        embedding{.rows = 2, .vocab = 3, .width = 5}, [](embedding& c) { c.rows = 1; }, [](embedding& c) { c.vocab = 4; },
        [](embedding& c) { c.width = 4; }, [](embedding& c) { c.weight = f16; });
    all.add(
        rms_norm{.rows = 2, .width = 3}, [](rms_norm& c) { c.rows = 1; }, [](rms_norm& c) { c.width = 4; },
        [](rms_norm& c) { c.eps = 1e-6F; }, [](rms_norm& c) { c.eps = __builtin_nextafterf(c.eps, 1.0F); },
        [](rms_norm& c) { c.plus_one = true; }, [](rms_norm& c) { c.groups = 2; }, [](rms_norm& c) { c.math.accumulate = bf16; },
        [](rms_norm& c) { c.math.order = static_cast<reduction_order>(1); }, [](rms_norm& c) { c.math.tolerance = 1e-4F; });
    all.add(
        rope_table{.rows = 2, .head_dim = 8}, [](rope_table& c) { c.rows = 1; }, [](rope_table& c) { c.head_dim = 4; },
        [](rope_table& c) { c.frequencies.theta = 1e6F; }, [](rope_table& c) { c.frequencies.dims = 4; },
        [](rope_table& c) { c.frequencies.scaling = rope_scaling::linear; },
        [](rope_table& c) { c.frequencies.scaling = rope_scaling::llama3; },
        [](rope_table& c) { c.frequencies.scaling = rope_scaling::table; }, [](rope_table& c) { c.frequencies.factor = 2.0F; },
        [](rope_table& c) { c.frequencies.low_frequency_factor = 2.0F; }, [](rope_table& c) { c.frequencies.high_frequency_factor = 2.0F; },
        [](rope_table& c) { c.frequencies.original_context = 7; }, [](rope_table& c) { c.frequencies.pairing = rope_pairing::adjacent; });
    all.add(
        rope_append{.heads = 4, .kv_heads = 2, .context = 8}, [](rope_append& c) { c.heads = 2; }, [](rope_append& c) { c.kv_heads = 4; },
        [](rope_append& c) { c.context = 4; }, [](rope_append& c) { c.kv = bf16; }, [](rope_append& c) { c.table.head_dim = 4; },
        [](rope_append& c) { c.qk_norm = true; }, [](rope_append& c) { c.norm_eps = 1e-5F; },
        [](rope_append& c) { c.norm_plus_one = true; });
    all.add(
        attention{.rows = 2, .heads = 4, .kv_heads = 2, .head_dim = 8, .context = 16}, [](attention& c) { c.rows = 1; },
        [](attention& c) { c.heads = 2; }, [](attention& c) { c.kv_heads = 4; }, [](attention& c) { c.head_dim = 4; },
        [](attention& c) { c.context = 8; }, [](attention& c) { c.window = 4; }, [](attention& c) { c.scale = 1.0F; },
        [](attention& c) { c.kv = f16; }, [](attention& c) { c.chunk = 64; }, [](attention& c) { c.splits = 2; },
        [](attention& c) { c.math.accumulate = bf16; }, [](attention& c) { c.math.order = static_cast<reduction_order>(1); },
        [](attention& c) { c.math.tolerance = 0.5F; });
    all.add(
        gated_mul{.rows = 2, .width = 3}, [](gated_mul& c) { c.rows = 1; }, [](gated_mul& c) { c.width = 4; },
        [](gated_mul& c) { c.act = activation::gelu; }, [](gated_mul& c) { c.act = activation::gelu_tanh; });
    all.add(
        add{.rows = 2, .width = 3}, [](add& c) { c.rows = 1; }, [](add& c) { c.width = 4; });
    all.add(sampling{.vocab = 3}, [](sampling& c) { c.vocab = 4; });
}

TEST_CASE("a projection is identified by its parts, its norm and what follows") {
    projection p;
    p.parts.push_back(square);
    p.parts.push_back(square);
    variants all;
    all.add(
        p, [](projection& c) { c.parts.push_back(square); }, [](projection& c) { c.parts[1].bias = true; },
        [](projection& c) { c.parts[0].bias = true; }, [](projection& c) { c.norm = true; }, [](projection& c) { c.before.width = 7; },
        [](projection& c) { c.after = epilogue::add; }, [](projection& c) { c.after = epilogue::gate; },
        [](projection& c) { c.act = activation::gelu; }, [](projection& c) { c.last_row = true; });

    projection unused = p;  // a norm that is described but not used
    unused.before = {.rows = 1, .width = 576};
    variants with_before;
    with_before.add(unused, [](projection& c) { c.norm = true; });
}

TEST_CASE("every field of a model is part of its identity") {
    variants all;
    all.add(
        model, [](llama& m) { m.hidden = 1; }, [](llama& m) { m.layers = 1; }, [](llama& m) { m.heads = 1; },
        [](llama& m) { m.kv_heads = 1; }, [](llama& m) { m.head_dim = 1; }, [](llama& m) { m.intermediate = 1; },
        [](llama& m) { m.vocab = 1; }, [](llama& m) { m.context = 1; }, [](llama& m) { m.rows = 1; }, [](llama& m) { m.eps = 0.0F; },
        [](llama& m) { m.rope.theta = 1.0F; }, [](llama& m) { m.rope.pairing = rope_pairing::adjacent; },
        [](llama& m) { m.act = activation::gelu; }, [](llama& m) { m.tied_head = true; }, [](llama& m) { m.qkv_bias = true; },
        [](llama& m) { m.o_bias = true; }, [](llama& m) { m.mlp_bias = true; }, [](llama& m) { m.qk_norm = true; },
        [](llama& m) { m.norm_plus_one = true; }, [](llama& m) { m.window = 1; }, [](llama& m) { m.first_window_layer = 1; },
        [](llama& m) { m.kv = bf16; }, [](llama& m) { m.weights.embedding = q8_0; }, [](llama& m) { m.weights.q = q8_0; },
        [](llama& m) { m.weights.k = q8_0; }, [](llama& m) { m.weights.v = q8_0; }, [](llama& m) { m.weights.o = q8_0; },
        [](llama& m) { m.weights.gate = q8_0; }, [](llama& m) { m.weights.up = q8_0; }, [](llama& m) { m.weights.down = q8_0; },
        [](llama& m) { m.weights.head = q8_0; });
    const std::string t = text_for(model);
    CHECK(t.starts_with(
        "decoder hidden=576 layers=30 heads=9 kv_heads=3 head_dim=64 intermediate=1536 vocab=49152 context=2048 rows=16 eps="));
    CHECK(t.find("llama ") == std::string::npos);
    CHECK(t == contract_text<model>.d);
}

TEST_CASE("contracts that compare equal have one identity") {
    rms_norm zero{.rows = 1, .width = 4, .eps = 0.0F};
    rms_norm minus_zero{.rows = 1, .width = 4, .eps = -0.0F};
    REQUIRE(zero == minus_zero);
    CHECK(text_for(zero) == text_for(minus_zero));
    CHECK(identify(zero) == identify(minus_zero));
}

TEST_CASE("an identity is the beginning of the text's SHA-256") {
    const std::string t = text_for(square);
    const std::string digest = hex_of(sha256_of(t.data(), t.size())).d;
    CHECK(std::string(identify(square).d) == "nk_" + digest.substr(0, 16));
    CHECK(std::string(identity_of<square>.d).size() == identity_of<square>.size());
}
