// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/amk_structure.hpp>

#include "support/amk_samples.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

/// The decoder with `value` at `where` has a fault that begins with `expected`, and `more` in it.
void check_fault(const char* where, const nlohmann::json& value, std::string_view expected, std::string_view more = "") {
    amk_builder b = amk_decoder();
    b.program[nlohmann::json::json_pointer(where)] = value;
    const std::string faults = amk_faults(b.program);
    INFO(where << " = " << value.dump() << "\n" << faults);
    CHECK(faults.find(expected) == 0);
    CHECK(faults.find(more) != std::string::npos);
}
void check_good(const char* where, const nlohmann::json& value) {
    amk_builder b = amk_decoder();
    b.program[nlohmann::json::json_pointer(where)] = value;
    INFO(where << " = " << value.dump());
    CHECK(amk_faults(b.program).empty());
}

}  // namespace

TEST_CASE("the decoder has no fault") { CHECK(amk_faults(amk_decoder().program).empty()); }

TEST_CASE("ids are places") {
    for (const char* list : {"buffers", "counters", "tasks"}) {
        const std::string two = std::string("/") + list + "/2/id";
        const std::string found = std::string("bad_id: ") + list + "[2] has the id ";
        check_fault(two.c_str(), 1, found + "1: ", "number them anew");  // twice
        check_fault(two.c_str(), 1'000'000'000'000'000'000, found + "1000000000000000000");
        check_fault(two.c_str(), -1, found + "-1");
        amk_builder b = amk_decoder();
        std::swap(b.program[list][2], b.program[list][3]);
        CHECK(amk_faults(b.program).find(std::string("bad_id: ") + list + "[2] has the id 3") == 0);
    }
    amk_builder b = amk_decoder();  // every id doubled, references too: sparse
    for (auto& t : b.program["tasks"]) t["id"] = 2 * t["id"].get<int>();
    CHECK(amk_faults(b.program).find("bad_id: tasks[1] has the id 2") == 0);
}

TEST_CASE("references beyond their lists") {
    check_fault("/tasks/2/inputs/1", 24, "bad_input_ref: task 2 (t2, GEMV_TILE) reads buffer 24; there are 24");
    check_fault("/tasks/2/inputs/1", -1, "bad_input_ref: task 2 (t2, GEMV_TILE) reads buffer -1");
    check_fault("/tasks/2/outputs/0", 99, "bad_output_ref: task 2 (t2, GEMV_TILE) writes buffer 99; there are 24");
    check_fault("/tasks/2/out_counter", 16, "bad_out_counter_ref: task 2 (t2, GEMV_TILE) adds to counter 16; there are 16");
    check_fault("/tasks/2/waits/0/counter", 1'000'000'000'000,
                "bad_wait_counter_ref: task 2 (t2, GEMV_TILE) waits for counter 1000000000000");
}

TEST_CASE("operands and parameters of each operation") {
    check_fault("/tasks/1/inputs", ids{3}, "arity: task 1 (t1, RMSNORM) has 1 inputs; its operation takes 2 to 2");
    check_fault("/tasks/2/inputs", ids{5, 6, 4, 4}, "arity: task 2 (t2, GEMV_TILE) has 4 inputs; its operation takes 2 to 3");
    check_fault("/tasks/2/outputs", ids{}, "output_arity: task 2 (t2, GEMV_TILE) has 0 outputs; its operation has 1");
    check_fault("/tasks/2/outputs", ids{9, 9}, "output_arity: ");
    check_fault("/tasks/1/params", {{"eps", 1e-6}}, "missing_param: task 1 (t1, RMSNORM) lacks the parameter hidden");
    check_fault("/tasks/1/params/hidden", nullptr, "missing_param: task 1 (t1, RMSNORM) lacks the parameter hidden");
    check_fault("/tasks/1/op", "LAYERNORM", "no_kernel: task 1 (t1, LAYERNORM) cannot run");
    check_fault("/tasks/1/params/eps", "NaN", "bad_parameter: task 1 (t1, RMSNORM) has the parameter eps = 'NaN'; a finite number");
    check_fault("/tasks/1/params/eps", true, "bad_parameter: ");
    check_fault("/tasks/1/params/hidden", 8.0, "bad_parameter: task 1 (t1, RMSNORM) has the parameter hidden = 8.0; a whole number");
    check_fault("/tasks/1/params/hidden", 1'000'000'000'000'000'000, "bad_parameter: ");
    check_fault("/tasks/1/params/hidden", 18446744073709551615ULL, "bad_parameter: ");
    check_fault("/tasks/1/params/hidden", {1}, "bad_parameter: task 1 (t1, RMSNORM) has the parameter hidden = array");
    check_fault("/tasks/1/params/other", "NaN", "bad_parameter: task 1 (t1, RMSNORM) has the parameter 'other' = 'NaN'");
    check_good("/tasks/1/params/other", "anything else");
    check_good("/tasks/1/params/eps", 0);
}

TEST_CASE("what is read only is not written") {
    for (const auto& [buffer, kind] : {std::pair{2, "WEIGHT"}, std::pair{0, "IO_INPUT"}}) {
        amk_builder b = amk_decoder();
        b.task("COPY", {3}, {buffer}, b.counter(), {{0}});
        INFO(amk_faults(b.program));
        CHECK(amk_faults(b.program).find("writes_read_only: task 17 (t17, COPY) writes buffer") == 0);
        CHECK(amk_faults(b.program).find(kind) != std::string::npos);
    }
    amk_builder b = amk_decoder();
    b.program["buffers"][4]["kind"] = "CONST";
    CHECK(amk_faults(b.program).empty());
    b.task("COPY", {3}, {4}, b.counter());
    CHECK(amk_faults(b.program).find("writes_read_only: ") == 0);
}

TEST_CASE("waits") {
    check_fault("/tasks/2/waits/0/threshold", 0,
                "bad_threshold: task 2 (t2, GEMV_TILE) waits for counter 1 >= 0; a threshold is 1 to 4294967295");
    check_fault("/tasks/2/waits/0/threshold", -5, "bad_threshold: ");
    check_fault("/tasks/2/waits/0/threshold", 1'000'000'000'000'000'000, "bad_threshold: ");
    check_fault("/counters/1/init", 1,
                "wait_already_satisfied: task 2 (t2, GEMV_TILE) waits for counter 1 >= 1, but that counter starts at 1");
    check_fault("/counters/1/init", -1, "bad_counter: counter 1 starts at -1");
    check_fault("/counters/1/init", 4294967296, "bad_counter: ");
    auto waits = nlohmann::json::array();
    for (int i = 0; i < 9; ++i) waits.push_back({{"counter", 1}, {"threshold", 1}});
    check_fault("/tasks/2/waits", waits, "waits_over_cap: task 2 (t2, GEMV_TILE) has 9 waits; the format has at most 8");
    waits.erase(0);
    check_good("/tasks/2/waits", waits);
}

TEST_CASE("queues") {
    check_fault("/tasks/2/sm", -1, "bad_queue: task 2 (t2, GEMV_TILE) is to run on sm -1");
    check_fault("/tasks/2/sm", 1'000'000'000'000, "bad_queue: ");
    check_good("/tasks/2/sm", 81);
    amk_builder b = amk_decoder();
    b.program["target"] = {{"num_sms", 82}};
    b.at(2)["sm"] = 81;
    CHECK(amk_faults(b.program).empty());
    b.at(2)["sm"] = 82;
    CHECK(amk_faults(b.program).find("bad_queue: task 2 (t2, GEMV_TILE) is to run on sm 82; the target has 82") == 0);
}

TEST_CASE("shapes") {
    check_fault("/buffers/3/shape", ids{1, 1, 1, 1, 8}, "bad_shape: buffer 3 (b3) has 5 dimensions");
    check_fault("/buffers/3/shape", ids{0, 8}, "bad_shape: buffer 3 (b3) has a dimension of 0");
    check_fault("/buffers/3/shape", ids{-1, 8}, "bad_shape: buffer 3 (b3) has a dimension of -1");
    check_fault("/buffers/3/shape/0", 1'000'000'000'000'000'000, "bad_shape: buffer 3 (b3) has a dimension of 1000000000000000000");
}

TEST_CASE("pages") {
    const auto with_pages = [](const nlohmann::json& map, i64_t size) {
        amk_builder b;
        const int w = b.buffer("WEIGHT", {4});
        const int x = b.buffer("ACTIVATION", {4});
        const int y = b.buffer("IO_OUTPUT", {4});
        const int c = b.step("COPY", {w}, {x});
        b.step("COPY", {x}, {y}, {{c}});
        b.program["pages"] = {{"pages", {{{"id", 0}, {"space", "GLOBAL_SCRATCH"}, {"nbytes", size}}}}, {"buffer_to_page", map}};
        return amk_faults(b.program);
    };
    CHECK(with_pages({{"1", 0}}, 16) == "");
    CHECK(with_pages({{"1", 0}}, 15).find("page_too_small: buffer 1 (b1) has 16 bytes, its page 0 only 15") == 0);
    CHECK(with_pages({{"1", 0}}, -1).find("page_too_small: ") == 0);
    CHECK(with_pages({{"1", 1}}, 16).find("bad_page: buffer 1 (b1) is to lie in page 1; there are 1") == 0);
    CHECK(with_pages({{"7", 0}}, 16).find("bad_page: pages.buffer_to_page names buffer 7") == 0);
    CHECK(with_pages({{"1", 0}, {"01", 0}}, 16).find("bad_page: buffer 1 (b1) is given a page twice") == 0);
    CHECK(with_pages({{"0", 0}, {"1", 0}}, 16).find("shared_page: ") == 0);
    CHECK(with_pages({{"1", 0}, {"2", 0}}, 16).find("shared_page: ") == 0);
    CHECK(with_pages(nlohmann::json::object(), 16).find("bad_page: buffer 1 (b1) is an activation without a page") == 0);
}

TEST_CASE("memory of one sm is used on that sm alone") {
    amk_builder b = amk_decoder();
    b.program["buffers"][5]["space"] = "SMEM";  // written by task 1, read by tasks 2, 3, 4
    for (const int t : {1, 2, 3, 4}) b.at(t)["sm"] = 7;
    CHECK(amk_faults(b.program).empty());
    b.at(4)["sm"] = 8;
    INFO(amk_faults(b.program));
    CHECK(amk_faults(b.program).find("on_chip_across_queues: buffer 5 (b5) lies in memory of one sm") == 0);
}
