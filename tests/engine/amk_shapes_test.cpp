// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/amk_shapes.hpp>

#include "support/amk_samples.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

void check(const amk_builder& b, std::string_view expected) {
    const std::string faults = amk_faults(b.program);
    INFO(faults);
    if (expected.empty()) {
        CHECK(faults.empty());
    } else {
        CHECK(faults.find("misfit: ") == 0);
        CHECK(faults.find(expected) != std::string::npos);
    }
}
/// The decoder with `value` at `where`.
void check(const char* where, const nlohmann::json& value, std::string_view expected) {
    amk_builder b = amk_decoder();
    b.program[nlohmann::json::json_pointer(where)] = value;
    INFO(where << " = " << value.dump());
    check(b, expected);
}

struct operand {
    ids shape;
    const char* dtype = "F32";
};
/// One task that writes an output of the given shape.
amk_builder one(const char* op, const std::vector<operand>& inputs, const operand& output,
                const nlohmann::json& params = nlohmann::json::object(), const char* kind = "IO_INPUT") {
    amk_builder b;
    ids all;
    for (const operand& i : inputs) all.push_back(b.buffer(kind, i.shape, i.dtype));
    const int out = b.buffer("IO_OUTPUT", output.shape, output.dtype);
    b.step(op, all, {out}, {}, params);
    return b;
}

}  // namespace

TEST_CASE("the decoder fits") { check(amk_decoder(), ""); }

TEST_CASE("copies and sums") {
    check(one("COPY", {{{2, 4}}}, {{8}}), "");
    check(one("COPY", {{{2, 4}}}, {{9}}), "has 8 elements in its input, but 9 in its output");
    check(one("COPY", {{{4}, "I32"}}, {{4}, "I32"}), "");
    check(one("COPY", {{{4}, "F16"}}, {{4}}), "");
    check(one("COPY", {{{4}, "I32"}}, {{4}}), "copies I32 elements to F32 ones");
    check(one("ADD", {{{4}}, {{4}, "BF16"}}, {{4}}), "");
    check(one("ADD", {{{4}}, {{1}}}, {{4}}), "has 1 elements in its second input, but 4 in its output");
    check(one("SILU_MUL", {{{4}}, {{4}, "I8"}}, {{4}}), "computes with I8 elements");
}

TEST_CASE("embeddings gather rows, and reshape activations") {
    check("/tasks/0/params/hidden", 7, "has the parameter hidden = 7, but 8 columns in its output");
    check("/buffers/0/dtype", "F32", "has token ids of type F32");
    check("/buffers/2/shape", ids{16, 9}, "has 9 columns in its table, but 8 in its output");
    check("/buffers/0/shape", ids{2}, "has 2 token ids, but 1 rows in its output");
    check("/buffers/12/shape", ids{4, 2}, "has the parameter hidden = 4");  // the reshape of task 5
    check(one("EMBED", {{{3}, "I32"}, {{5, 4}}}, {{3, 4}}, {{"hidden", 4}}), "");
    check(one("EMBED", {{{3}, "I32"}, {{5, 4}}}, {{2, 4}}, {{"hidden", 4}}), "has 3 token ids, but 2 rows");
    check(one("EMBED", {{{1}, "I32"}, {{3, 4}}}, {{3, 4}}, {{"hidden", 4}}), "has 1 token ids, but 3 rows");  // an input is no activation
}

TEST_CASE("norms") {
    const nlohmann::json params = {{"eps", 1e-5}, {"hidden", 4}};
    check(one("RMSNORM", {{{2, 4}}, {{4}}}, {{2, 4}}, params), "");
    check(one("RMSNORM", {{{2, 4}}, {{8}}}, {{2, 4}}, params), "has 8 weights, but 4 columns in its input");
    check(one("RMSNORM", {{{2, 4}}, {{4}}}, {{4, 2}}, params), "has 2 columns in its output, but 4 in its input");
    check(one("RMSNORM", {{{2, 4}}, {{4}}}, {{1, 4}}, params), "has 8 elements in its input, but 4");
    check(one("RMSNORM", {{{1, 8}}, {{8}}}, {{1, 8}}, params), "has the parameter hidden = 4, but 8 columns");
    check(one("RMSNORM", {{{2, 4}}, {{4}}}, {{2, 4}}, {{"eps", -1.0}, {"hidden", 4}}), "has the parameter eps = -1");
    check(one("RMSNORM", {{{2, 4}}, {{4}, "U8"}}, {{2, 4}}, params), "computes with U8 elements");
}

TEST_CASE("projections") {
    const auto params = tile_params(8, 0, 6);
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "F16"}}, {{1, 6}}, params), "");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}}, {{6}}}, {{1, 6}}, params), "");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}}, {{5}}}, {{1, 6}}, params), "has 5 elements in its bias, but 6 columns in its output");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}}}, {{1, 6}}, tile_params(7, 0, 6)), "has the parameter K = 7, but 8 columns in its input");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 4}}}, {{1, 6}}, params), "has the parameter K = 8, but 4 columns in its weight");
    check(one("GEMV_TILE", {{{1, 8}}, {{7, 8}}}, {{1, 6}}, params), "has 7 rows in its weight, but 6 columns in its output");
    check(one("GEMV_TILE", {{{2, 8}}, {{6, 8}}}, {{1, 6}}, params), "has 2 rows in its input, but 1 in its output");
    check(one("GEMV_TILE", {{{1, 8}}, {{48}}}, {{1, 6}}, params), "has a weight of 1 dimensions");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I8"}}, {{1, 6}}, params), "computes with I8 elements");
    check(one("GEMV_TILE", {{{1, 8}, "I32"}, {{6, 8}}}, {{1, 6}}, params), "computes with I32 elements");
}

TEST_CASE("quantized projections") {
    const auto params = [](int qdtype, int group) {
        auto p = tile_params(8, 0, 6);
        p["qdtype"] = qdtype;
        p["group"] = group;
        return p;
    };
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I8"}, {{6, 2}}}, {{1, 6}}, params(6, 4)), "");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 4}, "U8"}, {{6, 2}}}, {{1, 6}}, params(7, 4)), "");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I4"}, {{6, 3}}}, {{1, 6}}, params(7, 3)), "");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I8"}}, {{1, 6}}, params(6, 4)), "has a quantized weight without scales");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I8"}, {{6, 3}}}, {{1, 6}}, params(6, 4)), "has 18 scales, but 12 groups of weights");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I8"}, {{6, 2}}}, {{1, 6}}, params(7, 4)), "has a weight of type I8 for qdtype 7");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "I8"}, {{6, 2}}}, {{1, 6}}, params(6, 0)), "has the parameter group = 0");
    check(one("GEMV_TILE", {{{1, 8}}, {{6, 8}, "U8"}, {{6, 2}}}, {{1, 6}}, params(7, 4)),
          "has 8 columns in its weight, but 4 for its input");
}

TEST_CASE("attention") {
    const nlohmann::json params = {{"head_dim", 4}, {"kv_start", 0}, {"kv_len", 2}, {"scale", 0.5}, {"n_heads", 4}, {"n_kv_heads", 2}};
    const auto with = [&](const char* key, const nlohmann::json& value) {
        nlohmann::json p = params;
        p[key] = value;
        return p;
    };
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}}, {{6, 2, 4}}}, {{1, 16}}, params), "");
    check(one("ATTENTION_TILE", {{{3, 4, 4}}, {{3, 6, 2, 4}}, {{3, 6, 2, 4}}}, {{3, 16}}, params), "");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}}, {{6, 2, 4}}}, {{4, 6}}, with("flags", 2)), "");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}}, {{6, 2, 4}}}, {{4, 4}}, with("flags", 2)),
          "has 16 elements in its output, but 24 by its parameters");
    check(one("ATTENTION_TILE", {{{2, 4}}, {{6, 2, 4}}, {{6, 2, 4}}}, {{1, 16}}, params), "has 8 elements in its queries, but 16");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 1, 4}}, {{6, 2, 4}}}, {{1, 16}}, params), "has 4 elements of a position in a cache, but 8");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}}, {{7, 2, 4}}}, {{1, 16}}, params),
          "caches of keys and of values of different shapes");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}}, {{6, 2, 4}}}, {{1, 16}}, with("scale", 0)), "has the parameter scale = 0");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}}, {{6, 2, 4}}}, {{1, 16}}, with("head_dim", 0)), "has the parameter head_dim = 0");
    check(one("ATTENTION_TILE", {{{4, 4}}, {{6, 2, 4}, "I8"}, {{6, 2, 4}}}, {{1, 16}}, params), "computes with I8 elements");
    check(one("ATTENTION_COMBINE", {{{4, 6}}, {{4, 6}}}, {{1, 16}}, {{"head_dim", 4}}), "");
    check(one("ATTENTION_COMBINE", {{{4, 6}}, {{4, 6}}}, {{1, 16}}), "");
    check(one("ATTENTION_COMBINE", {{{4, 6}}, {{4, 5}}}, {{1, 16}}), "has 20 elements in a part, but 24 in its first");
    check(one("ATTENTION_COMBINE", {{{4, 4}}, {{4, 4}}}, {{1, 16}}), "makes 16 elements of parts with 16");
    check(one("ATTENTION_COMBINE", {{{4, 6}}, {{4, 6}}}, {{1, 16}}, {{"head_dim", 6}}), "has the parameter head_dim = 6, but 4");
}

TEST_CASE("rotations") {
    const nlohmann::json params = {{"head_dim", 4}, {"theta", 10000}};
    check(one("ROPE", {{{2, 4}}, {{1}, "I32"}}, {{2, 4}}, params), "");
    check(one("ROPE", {{{3, 2, 4}}, {{3}, "I32"}}, {{3, 2, 4}}, params), "");
    check(one("ROPE", {{{3, 2, 4}}, {{1}, "I32"}}, {{3, 2, 4}}, params), "has 1 positions, but 3 for its input");
    check(one("ROPE", {{{8}}, {{1}, "I32"}}, {{8}}, params), "rotates a buffer of 1 dimensions");
    check(one("ROPE", {{{2, 4}}, {{1}, "I32"}}, {{4, 2}}, params), "has an output of another shape");
    check(one("ROPE", {{{2, 3}}, {{1}, "I32"}}, {{2, 3}}, {{"head_dim", 3}, {"theta", 10000}}), "has heads of 3 elements");
    check(one("ROPE", {{{2, 4}}, {{1}, "I32"}}, {{2, 4}}, {{"head_dim", 4}, {"theta", 0}}), "has the parameter theta = 0");
    check(one("ROPE", {{{2, 4}}, {{1}}}, {{2, 4}}, params), "has positions of type F32");
}

TEST_CASE("an append takes whole positions and replaces what it reads") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {1, 6});
    const int cache = b.buffer("KV_CACHE", {6, 1, 4});
    const int other = b.buffer("KV_CACHE", {6, 1, 4});
    b.step("KV_APPEND", {x, cache}, {cache}, {}, {{"pos", 0}});
    check(b, "appends 6 elements; a position of the cache has 4");
    b.program["buffers"][0]["shape"] = {1, 4};
    check(b, "");
    b.at(0)["inputs"][1] = other;
    check(b, "appends to another buffer than the cache that it reads");
    check(one("SAMPLE_ARGMAX", {{{2, 9}}}, {{2}, "I32"}), "");
    check(one("SAMPLE_ARGMAX", {{{2, 9}}}, {{1}, "I32"}), "has 1 elements of its output, but 2 rows of its input");
    check(one("SAMPLE_ARGMAX", {{{2, 9}}}, {{2}}), "writes tokens as F32");
}

TEST_CASE("a recipe is judged with its task") {
    const auto fused = [](const char* recipe) { return one("FUSED", {{{8}}}, {{8}}, {{"recipe", nlohmann::json::parse(recipe)}}); };
    check(fused(R"({"steps": [{"op": 1, "args": [{"in": 0}], "out": "final"}]})"), "");
    check(fused(R"({"steps": []})"), "task 0 (t0, FUSED) has a recipe without a list of steps");
}
