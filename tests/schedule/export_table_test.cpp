// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/string_sink.hpp>
#include <netra/schedule/export_table.hpp>
#include <netra/schedule/program.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "schedule/tiny_model.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr llama tiny = test::tiny_model(1);
using decode = program<tiny, host_cpu(), lower_config{.workers = 2, .tile_outputs = 16, .per_head_waits = true}>;

struct tables {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        write_group_table(out, decode::view);
        write_buffer_table(out, decode::view);
        write_queue_table(out, decode::view);
    }
};

std::vector<std::string> lines_of(const std::string& s) {
    std::vector<std::string> lines;
    std::istringstream in(s);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}
std::vector<std::string> words_of(const std::string& s) {
    std::vector<std::string> words;
    std::istringstream in(s);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

}  // namespace

TEST_CASE("tables are the same at compile time and at run time") { CHECK(written(tables{}) == text_of<tables>.d); }

TEST_CASE("the table of groups has a line for each, with what its row says") {
    const auto lines = lines_of(written([](auto& out) { write_group_table(out, decode::view); }));
    REQUIRE(lines.size() == 1 + decode::view.group_count);
    CHECK(words_of(lines[0]) == std::vector<std::string>{"#", "group", "op", "tiles", "queues", "counters", "weights", "activations",
                                                         "caches", "flops", "waits"});
    for (usz i = 0; i < decode::view.group_count; ++i) {
        const group_row row = row_of(decode::view, i);
        const auto words = words_of(lines[1 + i]);
        INFO(lines[1 + i]);
        REQUIRE(words.size() >= 10);
        CHECK(words[0] == std::to_string(i));
        CHECK(words[1] == row.name.d);
        CHECK(words[2] == name_of(row.op));
        CHECK(words[3] == std::to_string(row.tiles));
        CHECK(words[4] == std::to_string(row.queues));
        CHECK(words[6] == std::to_string(row.cost.weights_read));
        CHECK(words[7] == std::to_string(row.cost.activations_read + row.cost.activations_written));
        CHECK(words[8] == std::to_string(row.cost.cache_read + row.cost.cache_written));
        CHECK(words[9] == std::to_string(row.cost.flops));
        CHECK(lines[1 + i].back() != ' ');
    }
    CHECK(lines[4].ends_with("  c2..c7 (3 a tile) >= 1, c8..c9 (1 a tile) >= 1, c10..c11 (1 a tile) >= 1, c0 >= 1"));
    CHECK(lines[6].ends_with("  c14 >= 2"));
    // columns stand below their titles
    const usz op = lines[0].find("op  ");
    for (usz i = 1; i < lines.size(); ++i) CHECK(lines[i].substr(op - 2, 2) == "  ");
}

TEST_CASE("rows say on how many queues a group's tiles are") {
    const dynamic_schedule s = lower_checked(tiny, {.workers = 7, .tile_outputs = 64, .assignment = queue_assignment::round_robin});
    for (usz i = 0; i < s.groups.size(); ++i) {
        const group_row row = row_of(view(s), i);
        CHECK(row.queues == std::min(row.tiles, 7U));
        CHECK(row.last_counter - row.first_counter + 1 == counters_of(s.groups[i]));
        CHECK(row.waits.size() == s.groups[i].waits.size());
    }
}

TEST_CASE("the table of buffers gives activations their place") {
    const auto lines = lines_of(written([](auto& out) { write_buffer_table(out, decode::view); }));
    REQUIRE(lines.size() == 1 + decode::view.buffer_count);
    CHECK(words_of(lines[0]) == std::vector<std::string>{"#", "buffer", "kind", "rows", "row", "bytes", "arena", "offset"});
    for (usz i = 0; i < decode::view.buffer_count; ++i) {
        const buffer& b = decode::view.buffers[i];
        const std::string place = b.kind == buffer_kind::activation ? std::to_string(b.arena) : "-";
        CHECK(words_of(lines[1 + i]) == std::vector<std::string>{std::to_string(i), b.name.d, name_of(b.kind), std::to_string(b.rows),
                                                                 std::to_string(b.row_bytes), place});
    }
}

TEST_CASE("the table of queues ends with their sum") {
    const step_shape step{.rows = 3, .past = 20};
    const auto lines = lines_of(written([&](auto& out) { write_queue_table(out, decode::view, step); }));
    REQUIRE(lines.size() == 4);
    const auto all = words_of(lines[3]);
    REQUIRE(all.size() == 6);
    CHECK(all[0] == "all");
    for (usz column = 1; column < 6; ++column)
        CHECK(std::stoull(words_of(lines[1])[column]) + std::stoull(words_of(lines[2])[column]) == std::stoull(all[column]));
    CHECK(all[2] == std::to_string(cost_of(decode::view, step).weights_read));
}

TEST_CASE("a group that waits by word names the groups that write") {
    dynamic_schedule s = lower_checked(tiny, {.workers = 2});
    usz reader = 1;
    while (s.groups[reader].waits.empty()) ++reader;
    s.groups[reader].words.push_back(0);
    std::string line = lines_of(written([&](auto& out) { write_group_table(out, view(s)); }))[1 + reader];
    CHECK(line.ends_with(std::string(", words of ") + s.groups[0].name.d));
    s.groups[reader].waits = {};
    s.groups[reader].words.push_back(1);
    line = lines_of(written([&](auto& out) { write_group_table(out, view(s)); }))[1 + reader];
    CHECK(line.ends_with(std::string("  words of ") + s.groups[0].name.d + ", words of " + s.groups[1].name.d));
}
