// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/devices.hpp>
#include <netra/engine/netra_schedule.hpp>

#include "schedule/lowered.hpp"
#include "schedule/random_schedule.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

dynamic_schedule read(const nlohmann::json& json) {
    static const std::string file = "f.json";
    return schedule_from_json({json, file});
}

template <class Schedule>
void check_same(const Schedule& s) {
    const nlohmann::json json = nlohmann::json::parse(schedule_to_json(view(s)).dump());
    const dynamic_schedule again = read(json);
    CHECK(again.groups == s.groups);
    CHECK(again.buffers == s.buffers);
    CHECK(again.operations == s.operations);
    CHECK(again.counters == s.counters);
    CHECK(again.queues == s.queues);
    CHECK(again.arena_bytes == s.arena_bytes);
    CHECK(again.where == s.where);
}

nlohmann::json sample() {
    return nlohmann::json::parse(schedule_to_json(view(lowered(grouped_model, {.workers = 2, .tile_outputs = 5}))).dump());
}
void check_refusal(const char* where, const nlohmann::json& value, std::initializer_list<std::string_view> parts) {
    nlohmann::json json = sample();
    json[nlohmann::json::json_pointer(where)] = value;
    check_refused([&] { read(json); }, parts);
}

}  // namespace

TEST_CASE("lowered schedules are read as they were written") {
    usz checked = 0;
    for (const lower_config& c : all_configs()) {
        if (++checked % (test::slow_build ? 51 : 17) != 0) continue;
        for (const llama& m : {grouped_model, odd_model})
            if (netra::check(m, c).ok()) check_same(lowered(m, c));
    }
}

TEST_CASE("any schedule is read as it was written") {
    const u64_t seed = 20261130;
    for (u64_t i = 0; i < 300; ++i) {
        INFO("seed " << seed + i);
        loose_schedule s = schedule_maker(seed + i).make();
        s.where.shared_bytes = i;
        s.where.isa = i % 2 == 0 ? instruction_set::ptx : instruction_set::amdgcn;
        if (i % 3 == 0) s.where = gpu_devices[i / 3 % std::size(gpu_devices)];
        for (group& g : s.groups) g.shared_bytes = i + 1;
        check_same(s);
    }
}

TEST_CASE("numbers must fit their fields") {
    check_refusal("/netra_schedule", 2, {"f.json: 'netra_schedule' is 2", "version 1"});
    check_refusal("/queues", -1, {"'queues' is -1", "from 0 to 65536"});
    check_refusal("/counters", 1'000'000'000'000'000'000, {"'counters' is 1000000000000000000", "from 0 to 4294967295"});
    check_refusal("/arena_bytes", "x", {"'arena_bytes' is 'x'"});
    check_refusal("/device/isa", "x86", {"'device.isa' is 'x86'", "one of host, ptx, amdgcn"});
    check_refusal("/device/gpu", {{"target", "sm_75"}}, {"'device.gpu.target' is 'sm_75'", "one of sm_80, sm_89, sm_90a, sm_100a, sm_120a"});
    check_refusal("/device/name", std::string(32, 'x'), {"'device.name'", "at most 31 bytes"});
    check_refusal("/operations/0/op", 1, {"'operations[0].op' is 1"});
    check_refusal("/buffers/0/kind", "thing", {"'buffers[0].kind' is 'thing'", "one of input, weight, state, activation, output"});
    check_refusal("/buffers/0/role", 256, {"'buffers[0].role' is 256", "from 0 to 255"});
    check_refusal("/buffers/0/rows", 18446744073709551615ULL, {"'buffers[0].rows' is 18446744073709551615"});
    check_refusal("/groups/1/op", 65536, {"'groups[1].op' is 65536"});
    check_refusal("/groups/1/tiles", 4294967296, {"'groups[1].tiles' is 4294967296"});
    check_refusal("/groups/1/queue", {1, 2}, {"'groups[1].queue' is an array of 2 items", "three numbers"});
    check_refusal("/groups/1/signal/2", 1.5, {"'groups[1].signal[2]' is 1.5"});
    check_refusal("/groups/1/accesses", nullptr, {"'groups[1].accesses' is null"});
    check_refusal("/groups/1/accesses/0/buffer", 70000, {"'groups[1].accesses[0].buffer' is 70000"});
    check_refusal("/groups/1/accesses/0/write", 1, {"'groups[1].accesses[0].write' is 1"});
    check_refusal("/groups/1/accesses/0/part", "all", {"'groups[1].accesses[0].part' is 'all'", "one of whole, past, fresh"});
    check_refusal("/groups/1/accesses/0/range/size", -1, {"'groups[1].accesses[0].range.size' is -1"});
    check_refusal("/groups/1/accesses/0/range/first", -9000000000000000000, {"'groups[1].accesses[0].range.first'", "62 bits"});
    check_refusal("/groups/2/waits/0/threshold", nullptr, {"'groups[2].waits[0].threshold' is null"});
    check_refusal("/groups/1/words", {0, 0, 0, 0, 0}, {"'groups[1].words' is an array of 5 items", "at most 4"});
    nlohmann::json many = sample();
    many["groups"] = std::vector<nlohmann::json>(5000, many["groups"][0]);
    check_refused([&] { read(many); }, {"'groups' is an array of 5000 items", "at most 4096"});
}

TEST_CASE("schedules that would take hours or fill the memory are not checked") {
    loose_schedule s;
    const u16_t a = s.add("a", buffer_kind::activation, 16);
    const auto refusal = [&](std::string_view part) {
        check_refused(
            [&] {
                require_checkable(view(s), "f.json");
                require_expandable(view(s), "f.json");
            },
            {"f.json: ", part});
    };
    const auto accepted = [&] {
        require_checkable(view(s), "f.json");
        require_expandable(view(s), "f.json");
        return true;
    };
    CHECK(accepted());
    group g = s.start("many", 1U << 20);
    g.accesses.push_back({.buffer = a, .write = true, .range = {.first = 0, .stride = 0, .size = 16, .low = 0, .high = 16}});
    s.finish(g);
    CHECK(accepted());
    s.groups[0].tiles += 1;
    refusal("its groups have 1048577 tiles; at most 1048576 are checked, use larger tiles");
    s.groups[0].tiles = ~0U;
    refusal("its groups have 4294967295 tiles");
    s.groups[0].tiles = 1U << 15;
    s.groups[0].waits.push_back({.count = 5000});
    refusal("up to group 'many' its tasks have more than 67108864 waits and accesses");
    s.groups[0].waits = {};
    group reader = s.start("reader", 1U << 15);
    reader.accesses.push_back({.buffer = a, .range = {.first = 0, .stride = 0, .size = 16, .low = 0, .high = 16}});
    reader.words.push_back(0);
    s.finish(reader);
    refusal("up to group 'reader'");
    s.groups[0].tiles = 1U << 10;
    CHECK(accepted());
    s.counters = (1U << 22) + 1;
    refusal("it has 4194305 counters; at most 4194304 are checked");
}
