// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/amk_reader.hpp>

#include "support/amk_samples.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

amk_program read(const nlohmann::json& program, schedule_faults& faults) {
    static const std::string file = "test.json";
    return read_amk({program, file}, faults);
}

/// What is said of the decoder when the value at `where` is `value`.
void check_unreadable(const char* where, const nlohmann::json& value, std::initializer_list<std::string_view> parts) {
    amk_builder b = amk_decoder();
    b.program[nlohmann::json::json_pointer(where)] = value;
    check_refused(
        [&] {
            schedule_faults faults;
            read(b.program, faults);
        },
        parts);
}

}  // namespace

TEST_CASE("records are read as they stand") {
    const amk_builder b = amk_decoder();
    schedule_faults faults;
    const amk_program p = read(b.program, faults);
    CHECK(faults.empty());
    REQUIRE(p.tasks.size() == 17);
    CHECK(p.buffers.size() == 24);
    CHECK(p.counters.size() == 16);
    CHECK(p.pos == 3);
    CHECK_FALSE(p.num_sms.has_value());
    const amk_task& a = p.tasks[decoder_tasks::attention];
    CHECK(a.op == amk_op::attention_tile);
    CHECK(a.inputs == std::vector<i64_t>{14, 16, 17});
    CHECK(a.whole("kv_len") == 4);
    CHECK(a.real("scale") == 0.5);
    CHECK(a.waits.size() == 3);
    CHECK_FALSE(a.sm.has_value());
    CHECK(p.name_of_task(decoder_tasks::attention) == "task 11 (t11, ATTENTION_TILE)");
    const amk_buffer& keys = p.buffers[16];
    CHECK(keys.kind == amk_kind::kv_cache);
    CHECK(keys.elements() == 24);
    CHECK(keys.bytes() == 96);
    CHECK(keys.rows() == 6);
    CHECK(keys.last() == 4);
    CHECK(p.name_of_buffer(16) == "buffer 16 (b16)");
}

TEST_CASE("optional keys may be missing, and a page list may be there") {
    amk_builder b = amk_decoder();
    b.program["target"] = {{"name", "x"}, {"num_sms", 82}};
    b.program["pages"] = {{"pages", {{{"id", 0}, {"space", "SMEM"}, {"nbytes", 64}}}}, {"buffer_to_page", {{"3", 0}}}};
    b.at(0).erase("waits");
    b.at(0).erase("sm");
    b.at(0).erase("label");
    b.program["counters"][0].erase("init");
    schedule_faults faults;
    const amk_program p = read(b.program, faults);
    CHECK(faults.empty());
    CHECK(p.num_sms == 82);
    REQUIRE(p.has_pages);
    CHECK(p.pages[0].space == amk_space::smem);
    CHECK(p.page_of == std::vector<std::pair<i64_t, i64_t>>{{3, 0}});
    CHECK(p.name_of_task(0) == "task 0 (EMBED)");
}

TEST_CASE("wrong types are refused by name") {
    check_unreadable("/tasks", 3, {"'tasks' is 3", "an array is expected"});
    check_unreadable("/tasks/2", "x", {"'tasks[2]' is 'x'", "an object is expected"});
    check_unreadable("/tasks/2/id", 1.5, {"'tasks[2].id' is 1.5", "a whole number"});
    check_unreadable("/tasks/2/id", true, {"'tasks[2].id' is true"});
    check_unreadable("/tasks/2/inputs", nullptr, {"'tasks[2].inputs' is null", "an array is expected"});
    check_unreadable("/tasks/2/inputs/1", "w", {"'tasks[2].inputs[1]' is 'w'"});
    check_unreadable("/tasks/2/waits/0/threshold", "1", {"'tasks[2].waits[0].threshold'"});
    check_unreadable("/tasks/2/waits/0", 1, {"'tasks[2].waits[0]' is 1", "an object is expected"});
    check_unreadable("/tasks/2/params", 1, {"'tasks[2].params' is 1", "an object"});
    check_unreadable("/tasks/2/op", 5, {"'tasks[2].op' is 5", "a text"});
    check_unreadable("/tasks/2/sm", "0", {"'tasks[2].sm'"});
    check_unreadable("/tasks/2/label", 5, {"'tasks[2].label'"});
    check_unreadable("/buffers/3/shape", 8, {"'buffers[3].shape' is 8"});
    check_unreadable("/buffers/3/shape/0", "NaN", {"'buffers[3].shape[0]' is 'NaN'"});
    check_unreadable("/buffers/3/name", nullptr, {"'buffers[3].name' is null"});
    check_unreadable("/counters/0/init", 0.5, {"'counters[0].init' is 0.5"});
    check_unreadable("/counters/0/id", 18446744073709551615ULL, {"'counters[0].id' is 18446744073709551615"});
    check_unreadable("/ir_version", "1.0", {"'ir_version' is '1.0'", "version 0"});
    check_unreadable("/ir_version", 2, {"'ir_version' is 2"});
    check_unreadable("/target", {{"num_sms", "many"}}, {"'target.num_sms' is 'many'"});
    check_unreadable("/pages", {{"pages", 1}}, {"'pages.pages' is 1"});
    check_unreadable("/pages", {{"pages", nlohmann::json::array()}, {"buffer_to_page", {{"x", 0}}}},
                     {"its key 'x' is not the id of a buffer"});
    check_unreadable("/pages", {{"pages", nlohmann::json::array()}, {"buffer_to_page", {{"3", "0"}}}}, {"'pages.buffer_to_page.3' is '0'"});
    amk_builder b = amk_decoder();
    b.program.erase("counters");
    check_refused(
        [&] {
            schedule_faults faults;
            read(b.program, faults);
        },
        {"'counters' is missing"});
}

TEST_CASE("names that the format does not know are faults, not errors") {
    for (const auto& [where, part] :
         std::initializer_list<std::pair<const char*, const char*>>{{"/tasks/2/op", "unknown_operation: tasks[2].op is 'what'"},
                                                                    {"/buffers/3/kind", "unknown_name: buffers[3].kind is 'what'"},
                                                                    {"/buffers/3/dtype", "unknown_name: buffers[3].dtype is 'what'"},
                                                                    {"/buffers/3/space", "unknown_name: buffers[3].space is 'what'"}}) {
        amk_builder b = amk_decoder();
        b.program[nlohmann::json::json_pointer(where)] = "what";
        INFO(amk_faults(b.program));
        CHECK(amk_faults(b.program).find(part) == 0);
    }
}
