// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/stall_record.hpp>

#include <cstddef>
#include <string>

#include "support/catch.hpp"

using namespace netra;

static_assert(offsetof(stall_record, state) == stall_layout::state && offsetof(stall_record, role) == stall_layout::role);
static_assert(offsetof(stall_record, group) == stall_layout::group && offsetof(stall_record, layer) == stall_layout::layer);
static_assert(offsetof(stall_record, block) == stall_layout::block && offsetof(stall_record, word) == stall_layout::word);
static_assert(offsetof(stall_record, seen) == stall_layout::seen && offsetof(stall_record, wanted) == stall_layout::wanted);
static_assert(offsetof(stall_record, step) == stall_layout::step);

namespace {
std::string told(const stall_record& r, const stall_names& names = {}) {
    text<400> t;
    write_stall(t, r, names);
    return t.d;
}
constexpr stall_record sample{
    .state = stall_found, .role = 1, .group = 2, .layer = 3, .block = 17, .word = 128, .seen = 41, .wanted = 42, .step = 7};
}  // namespace

TEST_CASE("a stall names the task, the word, its value and what it must become") {
    const name groups[] = {"embedding", "qkv_proj", "o_proj"};
    const name roles[] = {"producer", "consumer"};
    CHECK(told(sample, {groups, 3, roles, 2}) == "block 17 (consumer) waits in o_proj, layer 3, step 7: word 128 is 41, it must become 42");
}

TEST_CASE("numbers without names stay numbers") {
    stall_record r = sample;
    r.layer = stall_without_layer;
    const name groups[] = {"embedding", "qkv_proj"};
    CHECK(told(r, {groups, 2, nullptr, 0}) == "block 17 (role 1) waits in group 2, step 7: word 128 is 41, it must become 42");
}

TEST_CASE("no stall gives no sentence, a record half written says so") {
    CHECK(told({}).empty());
    CHECK(told({.state = stall_being_written, .block = 3}).find("not written out") != std::string::npos);
}
