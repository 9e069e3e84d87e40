// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/operation.hpp>

#include <set>
#include <string>
#include <vector>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

struct expected_operand {
    u64_t rows;
    u64_t bytes;
    bool write;
};
bool lists(const operation& o, const std::vector<expected_operand>& expected) {
    const operand_list list = operands_of(o);
    if (list.size() != expected.size()) return false;
    for (usz i = 0; i < expected.size(); ++i)
        if (list[i].rows != expected[i].rows || list[i].bytes != expected[i].bytes || list[i].write != expected[i].write) return false;
    return true;
}

constexpr linear part{.rows = 2, .out = 8, .in = 64, .weight = q4_1, .bias = true};
constexpr attention attend_split{.rows = 2, .heads = 4, .kv_heads = 2, .head_dim = 8, .context = 300, .kv = f16, .splits = 2};

}  // namespace

TEST_CASE("every kind has a name of its own") {
    std::set<std::string> names;
    for (usz k = 0; k <= static_cast<usz>(op_kind::sampling); ++k) CHECK(names.insert(name_of(static_cast<op_kind>(k))).second);
    CHECK(std::string(name_of(op_kind::none)) == "none");
    CHECK(std::string(name_of(op_kind::sampling)) == "sampling");
}

TEST_CASE("an operation holds the contract it was made from") {
    const add sum{.rows = 2, .width = 10};
    const operation o = sum;
    CHECK(o.kind == op_kind::add);
    CHECK((bytes(o) == bytes(sum) && flops(o) == flops(sum) && check(o).ok()));
    CHECK(check(operation{add{.rows = 2, .width = 0}}).why == reason::zero_size);
    const operation nothing;
    CHECK((bytes(nothing) == 0 && flops(nothing) == 0 && check(nothing).ok() && operands_of(nothing).empty()));
    const operation merge = operation::combine(attend_split);
    CHECK((merge.kind == op_kind::attention_combine && merge.attend == attend_split && check(merge).ok()));
    CHECK(merge != operation{attend_split});
}

TEST_CASE("operands: entry, norm and elementwise") {
    CHECK(lists(rope_table{.rows = 2, .head_dim = 8}, {{1, 4, false}, {2, 32, true}}));
    CHECK(lists(rope_table{.rows = 2, .head_dim = 8, .frequencies = {.scaling = rope_scaling::table}},
                {{1, 4, false}, {1, 16, false}, {2, 32, true}}));
    CHECK(lists(embedding{.rows = 2, .vocab = 10, .width = 64, .weight = q8_0}, {{2, 4, false}, {1, 680, false}, {2, 256, true}}));
    CHECK(lists(rms_norm{.rows = 2, .width = 6}, {{2, 24, false}, {1, 24, false}, {2, 24, true}}));
    CHECK(lists(gated_mul{.rows = 2, .width = 6}, {{2, 24, false}, {2, 24, false}, {2, 24, true}}));
    CHECK(lists(add{.rows = 2, .width = 6}, {{2, 24, false}, {2, 24, false}, {2, 24, true}}));
    CHECK(lists(sampling{.vocab = 7}, {{1, 28, false}, {1, 4, true}}));
}

TEST_CASE("operands: words") {
    const embedding entry{.rows = 2, .vocab = 10, .width = 64, .weight = q8_0};
    operation o = operation::of_words(entry);
    CHECK(lists(o, {{2, 4, false}, {1, 680, false}, {2, 512, true}}));
    o.again = true;
    CHECK(lists(o, {{2, 512, false}, {2, 4, false}, {1, 680, false}, {2, 512, true}}));
    CHECK(lists(operation::of_words(entry, 3), {{2, 48, false}, {2, 4, false}, {1, 680, false}, {2, 512, true}}));
    projection p;
    p.parts.push_back(part);
    CHECK(lists(operation::of_words(p), {{2, 512, false}, {1, 320, false}, {1, 32, false}, {2, 64, true}}));
    CHECK(lists(operation::of_words(p, 3), {{2, 512, false}, {1, 320, false}, {1, 32, false}, {2, 32, true}, {2, 48, true}}));
    p.after = epilogue::add;
    CHECK(lists(operation::of_words(p), {{2, 512, false}, {1, 320, false}, {1, 32, false}, {2, 64, false}, {2, 64, true}}));
}

TEST_CASE("only projections and embeddings of words") {
    const embedding entry{.rows = 2, .vocab = 10, .width = 64};
    CHECK(check(operation::of_words(entry, 3)).ok());
    CHECK(check(operation::of_words(add{.rows = 2, .width = 8})).why == reason::bad_parameter);
    CHECK(check(operation::of_words({})).why == reason::bad_parameter);
    operation o = entry;
    o.pairs = 1;
    CHECK(check(o).why == reason::bad_parameter);
    o = operation::of_words(entry, 1);
    o.again = true;
    CHECK(check(o).why == reason::bad_parameter);
    projection p;
    p.parts.push_back(part);
    o = operation::of_words(p);
    CHECK(check(o).ok());
    o.again = true;
    CHECK(check(o).why == reason::bad_parameter);
}

TEST_CASE("operands: projections") {
    projection p;
    p.parts.push_back(part);
    CHECK(lists(p, {{2, 256, false}, {1, 320, false}, {1, 32, false}, {2, 32, true}}));
    p.after = epilogue::add;
    CHECK(lists(p, {{2, 256, false}, {1, 320, false}, {1, 32, false}, {2, 32, false}, {2, 32, true}}));
    p.after = epilogue::gate;
    p.parts.push_back(part);
    p.norm = true;
    p.before = {.rows = 2, .width = 64};
    CHECK(lists(p, {{2, 256, false}, {1, 256, false}, {1, 320, false}, {1, 32, false}, {1, 320, false}, {1, 32, false}, {2, 32, true}}));
    projection last;
    last.parts.push_back(part);
    last.last_row = true;
    CHECK(lists(last, {{1, 256, false}, {1, 320, false}, {1, 32, false}, {1, 32, true}}));
}

TEST_CASE("operands: attention") {
    const rope_append append{.heads = 4, .kv_heads = 2, .context = 300, .kv = f16, .table = {.rows = 2, .head_dim = 8}};
    CHECK(
        lists(append, {{2, 128, false}, {2, 64, false}, {2, 64, false}, {2, 32, false}, {2, 128, true}, {300, 32, true}, {300, 32, true}}));
    rope_append normed = append;
    normed.qk_norm = true;
    CHECK(operands_of(normed).size() == operands_of(append).size() + 2);
    attention whole = attend_split;
    whole.splits = 1;
    CHECK(lists(whole, {{2, 128, false}, {300, 32, false}, {300, 32, false}, {300, 32, false}, {300, 32, false}, {2, 128, true}}));
    const u64_t partial = 4ULL * 4 * 2 * 2 * 10;  // heads, splits, 3 chunks in 2 slots, values
    CHECK(
        lists(attend_split, {{2, 128, false}, {300, 32, false}, {300, 32, false}, {300, 32, false}, {300, 32, false}, {2, partial, true}}));
    CHECK(lists(operation::combine(attend_split), {{2, partial, false}, {2, 128, true}}));
}

TEST_CASE("lowered groups list their operations' operands in order") {
    for (const llama& m : {test::grouped_model, test::odd_model})
        for (const lower_config& c : test::all_configs()) {
            const auto s = test::lowered(m, c);
            for (const auto& g : s.groups) {
                const operand_list list = operands_of(s.operations[g.op]);
                REQUIRE(list.size() == g.accesses.size());
                for (usz i = 0; i < list.size(); ++i) REQUIRE(list[i].write == g.accesses[i].write);
            }
        }
}
