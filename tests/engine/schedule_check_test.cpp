// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/schedule_check.hpp>

#include "schedule/lowered.hpp"
#include "support/amk_samples.hpp"
#include "support/refusal.hpp"

using namespace netra;
using namespace netra::test;

namespace {

std::string reasons_of(const schedule_report& r) {
    std::string all;
    for (const auto& f : r.faults.list()) all += f.reason + ": " + f.sentence + "\n";
    return all;
}
schedule_report check(const nlohmann::json& json, const schedule_check_options& options = {}) {
    return check_schedule_text(json.dump(), "f.json", options);
}

void check_safe(const amk_builder& b) {
    const schedule_report r = check(b.program);
    INFO(reasons_of(r));
    CHECK(r.safe());
}
/// Refused; the first reason begins with `expected`.
void check_unsafe(const amk_builder& b, std::string_view expected) {
    const schedule_report r = check(b.program);
    INFO(reasons_of(r));
    CHECK_FALSE(r.safe());
    CHECK(reasons_of(r).find(expected) == 0);
}

/// An input of 8 columns, a square weight and `count` activations of 8 columns, then an output.
struct chain {
    amk_builder b{};
    int x = b.buffer("IO_INPUT", {1, 8});
    int w = b.buffer("WEIGHT", {8, 8});
    int y = b.buffer("IO_OUTPUT", {1, 8});
    int activation() { return b.buffer("ACTIVATION", {1, 8}); }
};

nlohmann::json pages_for(const nlohmann::json& map) {
    return {{"pages", {{{"id", 0}, {"space", "GLOBAL_SCRATCH"}, {"nbytes", 32}}, {{"id", 1}, {"space", "GLOBAL_SCRATCH"}, {"nbytes", 32}}}},
            {"buffer_to_page", map}};
}

}  // namespace

TEST_CASE("the decoder is safe, and is not when a wait is missing") {
    check_safe(amk_decoder());
    const schedule_report r = check(amk_decoder().program);
    CHECK(r.form == "amk");
    CHECK(r.tasks == 17);
    CHECK(r.exact_verdict == "accepted");
    for (const int task :
         {decoder_tasks::norm, decoder_tasks::rope_q, decoder_tasks::append_k, decoder_tasks::residual, decoder_tasks::head_1}) {
        amk_builder b = amk_decoder();
        b.at(task)["waits"].erase(0);
        INFO("task " << task);
        CHECK_FALSE(check(b.program).safe());
    }
    amk_builder b = amk_decoder();
    b.at(decoder_tasks::sample)["waits"][0]["threshold"] = 1;
    check_unsafe(b, "data_race: ");
    b.at(decoder_tasks::sample)["waits"][0]["threshold"] = 3;
    CHECK_FALSE(check(b.program).safe());
}

// The kinds that must be refused although each task alone looks right.

TEST_CASE("refused: a wait that an initial value satisfies") {
    amk_builder b = amk_decoder();
    b.program["counters"][14]["init"] = 2;
    check_unsafe(b, "wait_already_satisfied: task 16");
    b.program["counters"][14]["init"] = 1;  // one of two tiles is then awaited
    check_unsafe(b, "data_race: ");
}

TEST_CASE("refused: writes to what is read only, ordered or not") {
    chain c;
    c.b.step("COPY", {c.x}, {c.w});
    check_unsafe(c.b, "writes_read_only: task 0");
    chain two;
    two.b.step("COPY", {two.w}, {two.x});
    two.b.step("COPY", {two.w}, {two.x});
    check_unsafe(two.b, "writes_read_only: task 0");
}

TEST_CASE("refused: tiles that do not cover what is read, outputs in part") {
    chain c;
    const int a = c.activation();
    const int done = c.b.step("GEMV_TILE", {c.x, c.w}, {a}, {}, tile_params(8, 0, 6));
    c.b.step("COPY", {a}, {c.y}, {{done}});
    check_unsafe(c.b, "uncovered_read: ");
    chain part;
    part.b.step("GEMV_TILE", {part.x, part.w}, {part.y}, {}, tile_params(8, 0, 6));
    check_unsafe(part.b, "incomplete_output: ");
    chain none;
    none.b.step("COPY", {none.x}, {none.activation()});
    check_unsafe(none.b, "incomplete_output: ");
}

TEST_CASE("refused: a task that reads its own output before anything wrote it") {
    chain c;
    c.b.step("ADD", {c.x, c.y}, {c.y});
    check_unsafe(c.b, "uncovered_read: ");
}

TEST_CASE("refused: queues that block each other though the graph has no cycle") {
    chain c;
    const int p = c.activation();
    const int q = c.activation();
    const int r = c.activation();
    const auto build = [&](bool swapped) {
        amk_builder b = c.b;
        const int c_a = b.counter();
        const int c_b = b.counter();
        const int c_c = b.counter();
        const int c_d = b.counter();
        const auto add = [&](int which) {
            if (which == 0) b.task("COPY", {p}, {q}, c_a, {{c_d}}, {}, 0);
            if (which == 1) b.task("COPY", {c.x}, {r}, c_b, {}, {}, 0);
            if (which == 2) b.task("COPY", {r}, {c.y}, c_c, {{c_b}}, {}, 1);
            if (which == 3) b.task("COPY", {c.x}, {p}, c_d, {}, {}, 1);
        };
        for (const int which : swapped ? std::vector{1, 0, 3, 2} : std::vector{0, 1, 2, 3}) add(which);
        return b;
    };
    check_unsafe(build(false), "deadlock: ");
    check_safe(build(true));
}

TEST_CASE("refused: pages reused too early, or shared by what must not") {
    const auto build = [](const nlohmann::json& map, bool ordered) {
        chain c;
        const int a = c.activation();
        const int e = c.activation();
        const int f = c.activation();
        const int c_a = c.b.step("COPY", {c.x}, {a});
        const int c_e = c.b.step("COPY", {a}, {e}, {{c_a}});
        const int c_f = c.b.step("COPY", {c.x}, {f}, {{ordered ? c_e : c_a}});
        c.b.step("ADD", {e, f}, {c.y}, {{c_e}, {c_f}});
        c.b.program["pages"] = pages_for(map);
        return c.b;
    };
    check_safe(build({{"3", 0}, {"4", 1}, {"5", 0}}, true));
    CHECK_FALSE(check(build({{"3", 0}, {"4", 1}, {"5", 0}}, false).program).safe());          // f is written while a may still be read
    CHECK_FALSE(check(build({{"3", 0}, {"4", 1}, {"5", 1}}, true).program).safe());           // f replaces e, which is read after it
    check_unsafe(build({{"1", 0}, {"3", 0}, {"4", 1}, {"5", 0}}, true), "page_too_small: ");  // a weight of 256 bytes in 32
}

TEST_CASE("refused: a race among more tasks than others look at") {
    chain c;
    const int a = c.activation();
    int before = c.b.step("COPY", {c.x}, {a});
    for (int i = 0; i < 9000; ++i) before = c.b.step("COPY", {a}, {a}, {{before}});
    const int last = c.b.step("COPY", {a}, {c.y}, {{before}});
    check_safe(c.b);
    c.b.step("COPY", {c.x}, {a}, {{before}});
    check_unsafe(c.b, "data_race: ");
    CHECK(last == 9001);
}

TEST_CASE("refused: a cache row that is read before it is appended, or never is") {
    amk_builder b = amk_decoder();
    auto& waits = b.at(decoder_tasks::attention)["waits"];
    waits.erase(2);
    check_unsafe(b, "data_race: ");
    amk_builder far = amk_decoder();
    far.at(decoder_tasks::attention)["params"]["kv_len"] = 5;
    check_unsafe(far, "uncovered_read: ");
}

// The kinds that must be accepted.

TEST_CASE("accepted: write, read, rewrite, read, all ordered; a residual in place") {
    chain c;
    const int a = c.activation();
    const int e = c.activation();
    const int c1 = c.b.step("COPY", {c.x}, {a});
    const int c2 = c.b.step("COPY", {a}, {e}, {{c1}});
    const int c3 = c.b.step("ADD", {e, a}, {a}, {{c2}, {c1}});  // in place, after its reader
    c.b.step("COPY", {a}, {c.y}, {{c3}});
    check_safe(c.b);
    c.b.at(2)["waits"].erase(0);
    check_unsafe(c.b, "data_race: ");
}

TEST_CASE("accepted: tiles on two counters, joined by the reader, or read in part") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {2, 8});
    const int w = b.buffer("WEIGHT", {8, 8});
    const int a = b.buffer("ACTIVATION", {2, 8});
    const int y = b.buffer("IO_OUTPUT", {2, 8});
    const auto rows = [](int m, int n, int count) {
        auto p = tile_params(8, n, count);
        p["m_off"] = m;
        p["M_tile"] = 1;
        return p;
    };
    const int c0 = b.step("GEMM_TILE", {x, w}, {a}, {}, rows(0, 0, 8));
    const int c1 = b.step("GEMM_TILE", {x, w}, {a}, {}, rows(1, 0, 8));
    // each reads one row of a and waits for that tile alone
    b.step("GEMM_TILE", {a, w}, {y}, {{c0}}, rows(0, 0, 8));
    b.step("GEMM_TILE", {a, w}, {y}, {{c1}}, rows(1, 0, 8));
    check_safe(b);
    amk_builder whole = b;
    whole.at(2) = whole.at(3);
    whole.at(2)["id"] = 2;
    whole.at(2)["op"] = "COPY";
    whole.at(2)["inputs"] = {a};
    whole.at(2)["params"] = nlohmann::json::object();
    whole.program["tasks"].erase(3);
    check_unsafe(whole, "data_race: ");  // it reads both rows and waits for one
    whole.at(2)["waits"].push_back({{"counter", c0}, {"threshold", 1}});
    check_safe(whole);
    b.at(3)["waits"][0]["counter"] = c0;
    check_unsafe(b, "data_race: ");
}

TEST_CASE("accepted: a partial threshold whose remaining producer is ordered") {
    chain c;
    const int a = c.activation();
    const int e = c.activation();
    const int shared = c.b.counter();
    c.b.task("COPY", {c.x}, {a}, shared);               // first
    c.b.task("COPY", {a}, {e}, shared, {{shared, 1}});  // second: waits for the first
    c.b.step("COPY", {a}, {c.y}, {{shared, 1}});        // any one signal means that the first has run
    check_safe(c.b);
    c.b.at(2)["inputs"][0] = e;
    check_unsafe(c.b, "data_race: ");
    c.b.at(2)["waits"][0]["threshold"] = 2;
    check_safe(c.b);
}

TEST_CASE("accepted: unordered appends to different rows") {
    amk_builder b;
    const int x = b.buffer("IO_INPUT", {1, 4});
    const int cache = b.buffer("KV_CACHE", {6, 1, 4});
    b.step("KV_APPEND", {x, cache}, {cache}, {}, {{"pos", 2}});
    b.step("KV_APPEND", {x, cache}, {cache}, {}, {{"pos", 3}});
    check_safe(b);
    b.at(1)["params"]["pos"] = 2;
    check_unsafe(b, "data_race: ");
}

TEST_CASE("accepted: order by a common queue alone") {
    chain c;
    const int a = c.activation();
    const int k = c.b.counter();
    c.b.task("COPY", {c.x}, {a}, k, {}, {}, 5);
    c.b.task("COPY", {a}, {c.y}, k, {}, {}, 5);
    check_safe(c.b);
    c.b.at(1)["sm"] = 4;
    check_unsafe(c.b, "data_race: ");
    c.b.at(1)["sm"] = nullptr;
    check_unsafe(c.b, "data_race: ");
}

TEST_CASE("shapes are judged unless that is not wanted") {
    amk_builder b = amk_decoder();
    b.program["buffers"][2]["shape"] = {16, 9};
    check_unsafe(b, "misfit: task 0");
    CHECK(check(b.program, {.shapes = false}).safe());
    b.at(1)["waits"].clear();
    CHECK_FALSE(check(b.program, {.shapes = false}).safe());
}

TEST_CASE("a schedule may stand in an object with an id") {
    const nlohmann::json inner = amk_decoder().program;
    const schedule_report r = check({{"id", "one"}, {"kind", "x"}, {"safe", false}, {"schedule", inner}});
    CHECK(r.safe());
    CHECK(r.id == "one");
    CHECK(check({{"id", 7}, {"schedule", inner}}).id == "7");
    CHECK(check({{"schedule", inner}}).id.empty());
    check_refused([&] { check({{"id", {1}}, {"schedule", inner}}); }, {"f.json: 'id' is an array of 1 items"});
    check_refused([&] { check({{"id", "x"}, {"schedule", 1}}); }, {"neither a schedule of netra"});
}

TEST_CASE("lowered schedules are accepted by both checkers in both forms") {
    for (const llama& m : {grouped_model, odd_model}) {
        const loose_schedule s = lowered(m, {.workers = 3, .tile_outputs = 5});
        const schedule_report groups = check(schedule_to_json(view(s)));
        INFO(reasons_of(groups));
        CHECK(groups.safe());
        CHECK(groups.form == "netra groups");
        CHECK(groups.group_verdict == "accepted");
        CHECK(groups.exact_verdict == "accepted");
        const expanded_schedule made(view(s));
        const schedule_report tasks = check(task_schedule_to_json(made.view()));
        CHECK(tasks.safe());
        CHECK(tasks.form == "netra tasks");
        CHECK(tasks.tasks == groups.tasks);
    }
}

TEST_CASE("a group schedule without a wait is refused by both") {
    loose_schedule s = lowered(grouped_model, {.workers = 3, .tile_outputs = 5});
    for (group& g : s.groups)
        if (g.name == name("o_proj[0]")) g.waits = {};
    const schedule_report r = check(schedule_to_json(view(s)));
    CHECK_FALSE(r.safe());
    CHECK(r.group_verdict != "accepted");
    CHECK(r.exact_verdict != "accepted");
}

TEST_CASE("a group schedule whose structure is wrong is not written out") {
    loose_schedule s = lowered(grouped_model, {.workers = 3, .tile_outputs = 5});
    s.groups[3].accesses[0].buffer = 9999;
    const schedule_report r = check(schedule_to_json(view(s)));
    CHECK(reasons_of(r).find("unknown_buffer: ") == 0);
    CHECK(r.exact_verdict.empty());
    s.groups[3].accesses[0].buffer = 0;
    s.groups[3].tiles = 4'000'000'000;
    check_refused([&] { check(schedule_to_json(view(s))); }, {"f.json: its groups have 4000000", "use larger tiles"});
}

TEST_CASE("a schedule without a task is refused, whatever its form") {
    nlohmann::json program = amk_decoder().program;
    program["tasks"] = nlohmann::json::array();
    const std::string none = "zero_size: schedule: tasks is 0";
    CHECK(reasons_of(check(program)).find(none) == 0);
    CHECK(reasons_of(check(task_schedule_to_json(task_schedule().view()))).find(none) == 0);
    CHECK(reasons_of(check(schedule_to_json(view(loose_schedule())))).find("zero_size: schedule: task groups is 0") == 0);
}

TEST_CASE("a reason is said once") {
    schedule_faults faults;
    faults.add("data_race", "data race: a and b");
    faults.add("arity", "a has 3 inputs");
    CHECK(faults.list()[0].sentence == "a and b");
    CHECK(faults.list()[1].sentence == "a has 3 inputs");
    CHECK(schedule_faults::line("data_race", "data race: a and b") == "data_race: a and b");
    CHECK(schedule_faults::line("accepted", "accepted") == "accepted");
}

TEST_CASE("what is no schedule is refused") {
    check_refused([] { check({{"a", 1}}); }, {"f.json: neither a schedule of netra", "nor one of amk"});
    check_refused([] { check_schedule_text("", "f.json"); }, {"f.json: not a JSON object"});
    check_refused([] { check(amk_decoder().program, {.format = schedule_format::netra}); }, {"'netra_schedule' is missing"});
    check_refused([] { check({{"netra_schedule", 1}}, {.format = schedule_format::amk}); }, {"'buffers' is missing"});
}

TEST_CASE("a cycle is shown") {
    chain c;
    int first = c.b.counter();
    const int start = first;
    for (int i = 0; i < 3; ++i) {
        const int next = i == 2 ? start : c.b.counter();
        c.b.task("COPY", {c.x}, {c.activation()}, next, {{first}});
        first = next;
    }
    const schedule_report r = check(c.b.program);
    INFO(reasons_of(r));
    CHECK(reasons_of(r).find("cyclic_wait: ") == 0);
    for (const char* task : {"0:t0", "1:t1", "2:t2"}) CHECK(reasons_of(r).find(task) != std::string::npos);
}
