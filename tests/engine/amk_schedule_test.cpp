// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/amk_schedule.hpp>

#include "support/amk_samples.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

task_schedule expand(const amk_builder& b) {
    const std::string file = "test.json";
    schedule_faults faults;
    const amk_program p = read_amk({b.program, file}, faults);
    check_amk_structure(p, faults);
    REQUIRE(faults.empty());
    task_schedule s = expand_amk(p, faults);
    for (const auto& f : faults.list()) UNSCOPED_INFO(f.sentence);
    REQUIRE(faults.empty());
    return s;
}

std::vector<expanded_access> accesses(const task_schedule& s, int task) {
    const expanded_task& t = s.tasks[static_cast<usz>(task)];
    return {s.accesses.begin() + t.first_access, s.accesses.begin() + t.first_access + t.access_count};
}

expanded_access reads(u32_t buffer, u64_t first_row, u64_t end_row, u64_t first_byte, u64_t end_byte) {
    return {.buffer = buffer, .write = false, .first_row = first_row, .end_row = end_row, .first_byte = first_byte, .end_byte = end_byte};
}
expanded_access writes(u32_t buffer, u64_t first_row, u64_t end_row, u64_t first_byte, u64_t end_byte) {
    return {.buffer = buffer, .write = true, .first_row = first_row, .end_row = end_row, .first_byte = first_byte, .end_byte = end_byte};
}

/// The decoder with a parameter of a task changed has a fault that begins with `expected`.
void check_fault(int task, const char* key, const nlohmann::json& value, std::string_view expected) {
    amk_builder b = amk_decoder();
    b.at(task)["params"][key] = value;
    INFO(amk_faults(b.program));
    CHECK(amk_faults(b.program).find(expected) == 0);
}

}  // namespace

TEST_CASE("buffers hold what stood in them before the step") {
    const task_schedule s = expand(amk_decoder());
    CHECK(s.buffers[0].kind == buffer_kind::input);
    CHECK(s.buffers[0].held_rows == 1);
    CHECK(s.buffers[2].kind == buffer_kind::weight);
    CHECK(s.buffers[2].rows == 16);
    CHECK(s.buffers[2].row_bytes == 32);
    CHECK(s.buffers[2].held_rows == 16);
    CHECK(s.buffers[3].kind == buffer_kind::activation);
    CHECK(s.buffers[3].held_rows == 0);
    CHECK(s.buffers[16].kind == buffer_kind::state);
    CHECK(s.buffers[16].rows == 6);
    CHECK(s.buffers[16].held_rows == 3);  // the first appended position is 3
    CHECK(s.buffers[23].kind == buffer_kind::output);
    CHECK(s.buffers[3].space != s.buffers[5].space);
}

TEST_CASE("a cache that is not appended to holds the positions before that of the step") {
    amk_builder b = amk_decoder();
    b.at(decoder_tasks::append_k) = b.at(decoder_tasks::append_v);
    b.at(decoder_tasks::append_k)["id"] = decoder_tasks::append_k;
    CHECK(expand(b).buffers[16].held_rows == 3);
    b.program["meta"]["pos"] = 5;
    CHECK(expand(b).buffers[16].held_rows == 5);
    CHECK(expand(b).buffers[17].held_rows == 3);
    b.program["meta"]["pos"] = 50;
    CHECK(expand(b).buffers[16].held_rows == 6);
    b.program["meta"].erase("pos");
    CHECK(expand(b).buffers[16].held_rows == 6);
}

TEST_CASE("queues, waits, signals and counters") {
    amk_builder b = amk_decoder();
    b.at(0)["sm"] = 2;
    b.at(1)["sm"] = 0;
    b.at(2)["sm"] = 2;
    b.program["counters"][5]["init"] = 0;
    const task_schedule s = expand(b);
    CHECK(s.tasks[0].queue == 2);
    CHECK(s.tasks[1].queue == 0);
    CHECK(s.tasks[2].queue == 2);
    CHECK(s.tasks[3].queue == 3);  // of its own
    CHECK(s.tasks[4].queue == 4);
    CHECK(s.queues == 3 + 14);
    const expanded_task& sample = s.tasks[decoder_tasks::sample];
    CHECK(sample.wait_count == 1);
    CHECK(s.waits[sample.first_wait] == expanded_wait{14, 2});
    CHECK(sample.signal_count == 1);
    CHECK(s.signals[sample.first_signal] == 15);
    CHECK(std::string(sample.name.d) == "16:t16");
    CHECK(s.counters.size() == 16);
}

TEST_CASE("what each operation touches") {
    const task_schedule s = expand(amk_decoder());
    CHECK(accesses(s, decoder_tasks::embed) == std::vector{reads(0, 0, 1, 0, 4), reads(2, 0, 16, 0, 32), writes(3, 0, 1, 0, 32)});
    // a tile of columns: the rows of the weight that make it
    CHECK(accesses(s, decoder_tasks::head_1) == std::vector{reads(3, 0, 1, 0, 32), reads(21, 8, 16, 0, 32), writes(22, 0, 1, 32, 64)});
    // the cache that an append lists as an input is not read
    CHECK(accesses(s, decoder_tasks::append_k) == std::vector{reads(15, 0, 1, 0, 16), writes(16, 3, 4, 0, 16)});
    CHECK(accesses(s, decoder_tasks::attention) ==
          std::vector{reads(14, 0, 2, 0, 16), reads(16, 0, 4, 0, 16), reads(17, 0, 4, 0, 16), writes(18, 0, 1, 0, 32)});
    CHECK(accesses(s, decoder_tasks::residual) == std::vector{reads(3, 0, 1, 0, 32), reads(20, 0, 1, 0, 32), writes(3, 0, 1, 0, 32)});
}

TEST_CASE("positions of caches with several rows, and of several sequences") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {2, 4});
    const int two = b.buffer("KV_CACHE", {6, 2, 4});
    const int batch = b.buffer("KV_CACHE", {2, 6, 1, 4}, "F16");
    b.step("KV_APPEND", {x, two}, {two}, {}, {{"pos", 5}});
    b.step("KV_APPEND", {x, batch}, {batch}, {}, {{"pos", 5}});
    const task_schedule s = expand(b);
    CHECK(s.buffers[1].held_rows == 10);
    CHECK(accesses(s, 0).back() == writes(1, 10, 12, 0, 16));
    CHECK(s.buffers[2].rows == 6);
    CHECK(s.buffers[2].row_bytes == 16);
    CHECK(accesses(s, 1).back() == writes(2, 5, 6, 0, 16));
}

TEST_CASE("several positions are appended at once") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {3, 4});
    const int cache = b.buffer("KV_CACHE", {6, 1, 4});
    b.step("KV_APPEND", {x, cache}, {cache}, {}, {{"pos", 3}});
    CHECK(accesses(expand(b), 0).back() == writes(1, 3, 6, 0, 16));
    b.at(0)["params"]["pos"] = 4;
    CHECK(amk_faults(b.program).find("out_of_bounds: task 0 (t0, KV_APPEND) appends 3 positions from 4 on; buffer 1 (b1) has 6") == 0);
}

TEST_CASE("tiles of rows and columns") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {4, 8});
    const int w = b.buffer("WEIGHT", {6, 8});
    const int bias = b.buffer("WEIGHT", {6});
    const int y = b.buffer("ACTIVATION", {4, 6}, "F16");
    auto params = tile_params(8, 2, 4);
    params["M_tile"] = 2;
    params["m_off"] = 1;
    b.step("GEMM_TILE", {x, w, bias}, {y}, {}, params);
    const task_schedule s = expand(b);
    CHECK(accesses(s, 0) == std::vector{reads(0, 1, 3, 0, 32), reads(1, 2, 6, 0, 32), reads(2, 0, 1, 8, 24), writes(3, 1, 3, 4, 12)});
    const auto fault = [&](const char* key, int value) {
        amk_builder other = b;
        other.at(0)["params"][key] = value;
        return amk_faults(other.program);
    };
    CHECK(fault("m_off", 3).find("out_of_bounds: task 0 (t0, GEMM_TILE) writes 2 rows from 3 on; buffer 3 (b3) has 4") == 0);
    CHECK(fault("M_tile", 0).find("out_of_bounds: ") == 0);
    CHECK(fault("n_off", 3).find("out_of_bounds: task 0 (t0, GEMM_TILE) writes 4 columns from 3 on; buffer 3 (b3) has 6") == 0);
}

TEST_CASE("what lies outside of its buffer") {
    check_fault(decoder_tasks::head_1, "n_off", 9,
                "out_of_bounds: task 15 (t15, GEMV_TILE) writes 8 columns from 9 on; buffer 22 (b22) has 16");
    check_fault(decoder_tasks::head_1, "n_off", -1, "out_of_bounds: ");
    check_fault(decoder_tasks::head_1, "N_tile", 0, "out_of_bounds: ");
    check_fault(decoder_tasks::head_1, "N_tile", 2147483647, "out_of_bounds: ");
    check_fault(decoder_tasks::append_k, "pos", 6,
                "out_of_bounds: task 9 (t9, KV_APPEND) appends 1 positions from 6 on; buffer 16 (b16) has 6");
    check_fault(decoder_tasks::append_k, "pos", -1, "out_of_bounds: ");
    check_fault(decoder_tasks::attention, "kv_len", 0, "empty_window: task 11 (t11, ATTENTION_TILE) attends to 0 positions");
    check_fault(decoder_tasks::attention, "kv_len", -1, "empty_window: ");
    check_fault(decoder_tasks::attention, "kv_len", 7,
                "out_of_bounds: task 11 (t11, ATTENTION_TILE) reads 7 positions from 0 on; buffer 16 (b16) has 6");
    check_fault(decoder_tasks::attention, "kv_start", 3, "out_of_bounds: ");
    check_fault(decoder_tasks::attention, "kv_start", -1, "out_of_bounds: ");
    check_fault(decoder_tasks::attention, "n_heads", 0, "heads_not_divisible: ");
    check_fault(decoder_tasks::attention, "n_kv_heads", 0, "heads_not_divisible: ");
    check_fault(decoder_tasks::attention, "n_kv_heads", 3,
                "heads_not_divisible: task 11 (t11, ATTENTION_TILE) has 2 query heads for 3 key-value heads");
}

TEST_CASE("tiles of rows on operations that have none") {
    check_fault(decoder_tasks::head_1, "m_off", 1, "row_tile_ignored: task 15 (t15, GEMV_TILE) is given the rows from 1 on, 1 of them");
    check_fault(decoder_tasks::residual, "M_tile", 2, "row_tile_ignored: task 13 (t13, ADD) ");
    amk_builder b = amk_decoder();
    b.at(decoder_tasks::head_1)["params"]["m_off"] = 0;
    b.at(decoder_tasks::head_1)["params"]["M_tile"] = 1;  // all rows
    CHECK(amk_faults(b.program).empty());
}

TEST_CASE("buffers of one page share its memory") {
    amk_builder b;
    const int x = b.buffer("ACTIVATION", {4});
    const int y = b.buffer("ACTIVATION", {2});
    const int z = b.buffer("IO_OUTPUT", {2});
    const int in = b.buffer("IO_INPUT", {4});
    b.step("COPY", {in}, {x});
    b.program["pages"] = {{"pages", {{{"id", 0}, {"nbytes", 16}}}}, {"buffer_to_page", {{"0", 0}, {"1", 0}}}};
    const task_schedule s = expand(b);
    CHECK(s.buffers[static_cast<usz>(x)].space == s.buffers[static_cast<usz>(y)].space);
    CHECK(s.buffers[static_cast<usz>(x)].offset == s.buffers[static_cast<usz>(y)].offset);
    CHECK(s.buffers[static_cast<usz>(z)].space != s.buffers[static_cast<usz>(in)].space);
    CHECK(s.buffers[static_cast<usz>(z)].space != s.buffers[static_cast<usz>(x)].space);
}

TEST_CASE("rows of packed elements that are not whole bytes") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {1, 8});
    const int w = b.buffer("WEIGHT", {3, 8});
    const int y = b.buffer("ACTIVATION", {1, 3}, "I4");
    b.step("GEMV_TILE", {x, w}, {y}, {}, tile_params(8, 0, 2));
    CHECK(amk_faults(b.program).find(
              "out_of_bounds: task 0 (t0, GEMV_TILE) writes a part of buffer 2 (b2), whose rows are not whole bytes") == 0);
    b.at(0)["params"]["N_tile"] = 3;
    CHECK(accesses(expand(b), 0).back() == writes(2, 0, 1, 0, 2));
}
