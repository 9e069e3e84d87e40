// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/amk_recipe.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {

/// What is wrong with a recipe of a task with three inputs and an output of 8 columns.
std::string judged(const char* recipe) {
    const nlohmann::json params = {{"recipe", nlohmann::json::parse(recipe)}};
    const amk_task t{.op = amk_op::fused, .inputs = {0, 1, 2}, .outputs = {3}, .params = &params};
    return detail::amk_recipe(t, 8).judge();
}
void check(const char* recipe, const std::string& expected) {
    INFO(recipe << "\nsaid: " << judged(recipe));
    CHECK(judged(recipe).find(expected) != std::string::npos);
}

}  // namespace

TEST_CASE("recipes that are well formed") {
    for (const char* recipe :
         {R"({"steps": [{"op": 11, "args": [{"in": 0}, {"in": 1}], "out": 0, "out_dtype": "float32"},
                        {"op": 3, "args": [{"s": 0}, {"in": 2}], "out": "final", "params": {"eps": 1e-5, "hidden": 8}}]})",
          R"({"steps": [{"op": 1, "args": [{"in": 2}], "out": -1, "out_dtype": null}]})",
          R"({"steps": [{"op": 5, "args": [{"in": 0}, {"in": 1}], "out": "final", "params": {"K": 4, "n_off": 0, "N_tile": 8}}]})",
          R"({"steps": [{"op": 5, "args": [{"in": 0}, {"in": 1}], "out": 1, "params": {"K": 4, "n_off": 0, "N_tile": 4}},
                        {"op": 1, "args": [{"s": 1}], "out": "final"}]})"}) {
        INFO(recipe);
        CHECK(judged(recipe).empty());
    }
}

TEST_CASE("recipes that are not") {
    check("5", "has a recipe without a list of steps");
    check("{}", "has a recipe without a list of steps");
    check(R"({"steps": []})", "has a recipe without a list of steps");
    check(R"({"steps": [1]})", "step 0 is no object");
    check(R"({"steps": [{"op": 11, "args": [{"in": 0}, {"in": 1}], "out": 0}]})", "of which no step has the out \"final\"");
    check(R"({"steps": [{"op": 99, "args": [], "out": "final"}]})", "step 0 has no op that the format knows");
    check(R"({"steps": [{"op": -1, "args": [], "out": "final"}]})", "step 0 has no op that the format knows");
    check(R"({"steps": [{"op": 19, "args": [{"in": 0}], "out": "final"}]})", "step 0 is fused itself");
    check(R"({"steps": [{"op": 14, "args": [{"in": 0}], "out": "final"}]})", "an op that cannot be part of a recipe");
    check(R"({"steps": [{"op": 11, "out": "final"}]})", "has no list of args");
    check(R"({"steps": [{"op": 11, "args": [{"in": 0}], "out": "final"}]})", "a number of args that its op does not take");
    check(R"({"steps": [{"op": 1, "args": [{"in": 3}], "out": "final"}]})", "reads an input that the task does not have");
    check(R"({"steps": [{"op": 1, "args": [{"s": 0}], "out": "final"}]})", "reads what no step before it has written");
    check(R"({"steps": [{"op": 1, "args": [7], "out": "final"}]})", "has an arg that is neither");
    check(R"({"steps": [{"op": 1, "args": [{"in": 0}], "out": "final", "out_dtype": "evil"}]})", "has an out_dtype that no recipe has");
    check(R"({"steps": [{"op": 3, "args": [{"in": 0}, {"in": 2}], "out": "final", "params": {"eps": "NaN", "hidden": 8}}]})",
          "lacks a parameter");
    check(R"({"steps": [{"op": 1, "args": [{"in": 0}], "out": "end"}]})", "has an out that is neither");
    check(R"({"steps": [{"op": 5, "args": [{"in": 0}, {"in": 1}], "out": "final", "params": {"K": 4, "n_off": 0, "N_tile": 4}}]})",
          "step 0 writes only a part of the output");
    check(R"({"steps": [{"op": 5, "args": [{"in": 0}, {"in": 1}], "out": "final", "params": {"K": 4, "n_off": 0}}]})", "lacks a parameter");
    check(R"({"steps": [{"op": 16, "args": [{"in": 0}, {"in": 1}], "out": "final", "params": {"pos": 0}}]})", "cannot be part of a recipe");
    check(R"({"steps": [{"op": 1, "args": [{"in": 0}], "out": 0}, {"op": 1, "args": [{"s": 1}], "out": "final"}]})", "step 1 reads what");
}
