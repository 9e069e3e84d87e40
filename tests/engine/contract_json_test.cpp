// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/contract_json.hpp>

#include "support/refusal.hpp"

using namespace netra;
using test::check_refused;

namespace {

operation again(const operation& o) {
    const auto json = nlohmann::json::parse(operation_to_json(o).dump());
    const std::string file = "f.json";
    return operation_from_json({json, file});
}

}  // namespace

TEST_CASE("every operation is read as it was written") {
    const linear part{.rows = 2, .out = 8, .in = 64, .weight = q4_1, .bias = true, .math = {.tolerance = 0.1F}};
    const rope_table table{
        .rows = 3,
        .head_dim = 8,
        .frequencies = {.theta = 5e5F, .dims = 8, .scaling = rope_scaling::llama3, .factor = 32.0F, .pairing = rope_pairing::adjacent}};
    projection several{.norm = true,
                       .before = {.rows = 2, .width = 64, .eps = 1e-6F, .plus_one = true, .groups = 2},
                       .after = epilogue::gate,
                       .act = activation::gelu_tanh,
                       .last_row = true};
    several.parts.push_back(part);
    several.parts.push_back({.rows = 2, .out = 4, .in = 64, .weight = bf16});
    const netra::attention heads{.rows = 2,
                                 .heads = 8,
                                 .kv_heads = 2,
                                 .head_dim = 16,
                                 .context = 100,
                                 .window = 7,
                                 .scale = 0.3F,
                                 .kv = dtype::f16,
                                 .chunk = 64,
                                 .splits = 3};
    for (const operation& o :
         {operation{}, operation::of_words(several, 7), operation::of_words(embedding{.rows = 1, .vocab = 9, .width = 32}), operation(table), operation(embedding{.rows = 1, .vocab = 9, .width = 32, .weight = q8_0}),
          operation(several.before), operation(several),
          operation(rope_append{.heads = 4,
          .kv_heads = 2,
          .context = 50,
          .kv = dtype::bf16,
          .table = table,
          .qk_norm = true,
          .norm_eps = 1e-3F,
          .norm_plus_one = true}),
          operation(heads), operation::combine(heads), operation(gated_mul{.rows = 1, .width = 5, .act = activation::gelu}),
          operation(add{.rows = 2, .width = 3}), operation(sampling{.vocab = 17}),
          operation(embedding{
              .rows = 1, .vocab = 9, .width = 32, .weight = {dtype::u4, {quantization_scheme::grouped_scale, 16, dtype::f16, -3}}})}) {
        INFO(operation_to_json(o).dump());
        CHECK(again(o) == o);
        CHECK(again(o).kind == o.kind);
    }
}

TEST_CASE("fields are refused by name") {
    const auto attempt = [](const char* where, const nlohmann::json& value) {
        auto json =
            nlohmann::json::parse(operation_to_json(operation(embedding{.rows = 1, .vocab = 9, .width = 32, .weight = q8_0})).dump());
        json[nlohmann::json::json_pointer(where)] = value;
        const std::string file = "f.json";
        operation_from_json({json, file});
    };
    CHECK_NOTHROW(attempt("/contract/vocab", 10));
    check_refused([&] { attempt("/op", "multiply"); }, {"f.json: 'op' is 'multiply'", "one of none, rope_table"});
    check_refused([&] { attempt("/contract", nullptr); }, {"'contract' is null", "an object"});
    check_refused([&] { attempt("/contract/vocab", -1); }, {"'contract.vocab' is -1", "from 0 to 4294967295"});
    check_refused([&] { attempt("/contract/vocab", 4294967296); }, {"'contract.vocab' is 4294967296"});
    check_refused([&] { attempt("/contract/weight/element", "f31"); }, {"'contract.weight.element' is 'f31'", "one of f32"});
    check_refused([&] { attempt("/contract/weight/zero", 1'000'000'000'000); }, {"'contract.weight.zero'", "32 bits"});
}

TEST_CASE("numbers in floating point and lists have their range") {
    const auto attempt = [](const operation& o, const char* where, const nlohmann::json& value) {
        auto json = nlohmann::json::parse(operation_to_json(o).dump());
        json[nlohmann::json::json_pointer(where)] = value;
        const std::string file = "f.json";
        return operation_from_json({json, file});
    };
    const operation norm(rms_norm{.rows = 1, .width = 8});
    CHECK(attempt(norm, "/contract/eps", 0.25).norm.eps == 0.25F);
    check_refused([&] { attempt(norm, "/contract/eps", 1e300); }, {"'contract.eps'", "range of fp32"});
    check_refused([&] { attempt(norm, "/contract/eps", "NaN"); }, {"'contract.eps' is 'NaN'"});
    check_refused([&] { attempt(norm, "/contract/plus_one", 1); }, {"'contract.plus_one' is 1", "true or false"});
    check_refused([&] { attempt(operation(projection{}), "/contract/parts", {1, 2, 3, 4}); }, {"'contract.parts'", "at most 3"});
}
