// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/shapes.hpp>

#include <string>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

constexpr lower_config one_worker{.workers = 1, .kv_splits = 1, .fuse_norm = false, .fuse_residual = false};

constexpr llama one_layer = [] {
    llama m = grouped_model;
    m.layers = 1;
    return m;
}();

template <class Change>
std::string after(Change change) {
    loose_schedule s = lowered(one_layer, one_worker);
    change(s);
    return sentence(check_structure(view(s))).d;
}
netra::group& first_of(loose_schedule& s, op_kind kind) {
    usz g = 0;
    while (s.operations[s.groups[g].op].kind != kind) ++g;
    return s.groups[g];
}
operation& first_operation(loose_schedule& s, op_kind kind) { return s.operations[first_of(s, kind).op]; }

}  // namespace

TEST_CASE("lowered models agree with themselves") {
    for (const llama& m : {grouped_model, odd_model})
        for (const lower_config& c : all_configs()) {
            const loose_schedule s = lowered(m, c);
            REQUIRE(check_shapes(view(s)).ok());
        }
}

TEST_CASE("all operations of a step have its rows") {
    const std::string fewer = ": rows is 1, but it must be 2 to fit the rest of the contract";
    CHECK(after([](auto& s) { first_operation(s, op_kind::embedding).embed.rows = 1; }) == "embedding" + fewer);
    CHECK(after([](auto& s) { first_operation(s, op_kind::rms_norm).norm.rows = 1; }) == "attention_norm[0]" + fewer);
    CHECK(after([](auto& s) {
              for (auto& p : first_operation(s, op_kind::projection).project.parts) p.rows = 1;
          }) == "qkv[0]" + fewer);
    CHECK(after([](auto& s) { first_operation(s, op_kind::rope_append).append.table.rows = 1; }) == "rope_append[0]" + fewer);
    CHECK(after([](auto& s) { first_operation(s, op_kind::attention).attend.rows = 1; }) == "attention[0]" + fewer);
    CHECK(after([](auto& s) { first_operation(s, op_kind::add).sum.rows = 1; }) == "o_add[0]" + fewer);
    CHECK(after([](auto& s) {
              first_operation(s, op_kind::rope_table).angles.rows = 1;
          }) == "embedding: rows is 2, but it must be 1 to fit the rest of the contract");
}

TEST_CASE("gates have the rows of the step") {
    loose_schedule s = lowered(one_layer, {.fuse_gate_up = false});
    first_operation(s, op_kind::gated_mul).gate.rows = 1;
    CHECK(std::string(sentence(check_structure(view(s))).d) == "gated_mul[0]: rows is 1, but it must be 2 to fit the rest of the contract");
}

TEST_CASE("who appends to a cache and who reads it mean the same layout") {
    CHECK(after([](auto& s) { first_operation(s, op_kind::attention).attend.context = 5; }) ==
          "attention[0]: context is 5, but it must be 6 to fit the rest of the contract");
    CHECK(after([](auto& s) {
              auto& a = first_operation(s, op_kind::attention).attend;  // as many bytes, but twice as many heads of half the width
              a.kv_heads = 6, a.heads = 12, a.head_dim = 2;
              auto& g = first_of(s, op_kind::attention);
              g.tiles = 6;
              for (auto& x : g.accesses) x.range.stride /= 2, x.range.size /= 2;
          }) == "attention[0]: kv heads of a cache is 6, but it must be 3 to fit the rest of the contract");
    CHECK(after([](auto& s) {
              auto& a = first_operation(s, op_kind::attention).attend;  // half as many bytes, in half of the row
              a.kv = f16;
              for (usz i = 1; i < 5; ++i) first_of(s, op_kind::attention).accesses[i].range = cut(0, 24, 8);
          }) == "attention[0]: bits of a cache's element is 16, but it must be 32 to fit the rest of the contract");
}

TEST_CASE("a cache has no rows and no bytes that its operations do not know of") {
    const auto cache_of = [](auto& s) -> buffer& { return s.buffers[first_of(s, op_kind::attention).accesses[1].buffer]; };
    CHECK(after([&](auto& s) { cache_of(s).rows = 7; }) == "keys[0]: rows of a cache is 7, but it must be 6 to fit the rest of the contract");
    CHECK(after([&](auto& s) { cache_of(s).row_bytes = 52; }) ==
          "keys[0]: bytes of a cache's row is 52, but it must be 48 to fit the rest of the contract");
    CHECK(after([](auto& s) {
              const u16_t b = first_of(s, op_kind::add).accesses[0].buffer;
              s.buffers[b].kind = buffer_kind::state;  // the hidden state cannot be a cache
          }) == "hidden: rows of a cache is 2, but it must be 0 to fit the rest of the contract");
}

TEST_CASE("elements lie on multiples of their size") {
    const std::string odd = ", which is not a multiple of 4";
    CHECK(after([](auto& s) {
              const u16_t b = first_of(s, op_kind::add).accesses[0].buffer;
              s.buffers[b].row_bytes += 2;
              s.arena_bytes += 1000;
              for (auto& other : s.buffers)
                  if (other.kind == buffer_kind::activation && &other != &s.buffers[b]) other.arena += 64;
          }) == "hidden: bytes of a row is 98" + odd);
    CHECK(after([](auto& s) {
              s.buffers[first_of(s, op_kind::embedding).accesses[2].buffer].arena = 2;
              s.arena_bytes += 64;
          }) == "hidden: first byte in the arena is 2" + odd);
    CHECK(after([](auto& s) {
              auto& a = first_of(s, op_kind::embedding).accesses[0];
              s.buffers[a.buffer].row_bytes = 8;
              a.range = same_bytes(2, 4);
          }) == "embedding: first byte of an operand is 2" + odd);
}

TEST_CASE("tiles are cut between elements") {
    loose_schedule s = lowered(one_layer, {.workers = 2, .kv_splits = 1, .fuse_residual = false});
    group& add = first_of(s, op_kind::add);
    REQUIRE(add.tiles == 2);
    for (auto& a : add.accesses) a.range = {.first = -2, .stride = 50, .size = 50, .low = 0, .high = 96};
    CHECK(check_structure(view(s)).ok());  // 0 to 48 and 48 to 96
    for (auto& a : add.accesses) a.range = {.first = -4, .stride = 50, .size = 50, .low = 0, .high = 96};
    CHECK(std::string(sentence(check_structure(view(s))).d) == "o_add[0]: last byte of a tile + 1 is 46, which is not a multiple of 4");
}

TEST_CASE("a head that reads the last row needs all rows") {
    loose_schedule s = lowered(one_layer, one_worker);
    group& head = s.groups[s.groups.size() - 2];
    s.buffers.push_back(s.buffers[head.accesses[0].buffer]);
    s.buffers.back().rows = 1;
    head.accesses[0].buffer = static_cast<u16_t>(s.buffers.size() - 1);
    CHECK(std::string(sentence(check_structure(view(s))).d) == "task group head: normed (operand 0) has 1 rows, the operation needs 2");
    CHECK(after([](auto& last) {
              for (auto& o : last.operations)
                  if (o.kind == op_kind::projection && o.project.last_row) o.project.parts[0].rows = 2;
          }) == "head: rows is 2, but it must be 1 to fit the rest of the contract");
}
