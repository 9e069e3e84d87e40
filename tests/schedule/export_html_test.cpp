// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/string_sink.hpp>
#include <netra/schedule/export_html.hpp>
#include <netra/schedule/program.hpp>

#include <string>

#include "rejects/tiny_schedule.hpp"
#include "schedule/loose_schedule.hpp"
#include "schedule/tiny_model.hpp"
#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr auto good = tiny();

struct page_of_good {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        write_html(out, view(good), {.title = "good"});
    }
};

std::string page(const schedule_view& s, const html_page& options = {}) {
    return written([&](auto& out) { write_html(out, s, options); });
}
/// What stands behind a key of the page's data, up to the end of its line.
std::string data(const std::string& page, const std::string& key) {
    const usz start = page.find("id=\"data\">");
    const usz at = page.find('"' + key + "\":", start) + key.size() + 3;
    REQUIRE(at < page.find("</script>", start));
    return page.substr(at, page.find('\n', at) - at);
}
usz count(const std::string& in, const std::string& what) {
    usz n = 0;
    for (usz at = 0; (at = in.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
}

}  // namespace

TEST_CASE("the page is the same at compile time and at run time") {
    CHECK(page(view(good), {.title = "good"}) == text_of<page_of_good>.d);
}

TEST_CASE("the data says what every task waits for, touches and signals") {
    const std::string p = page(view(good));
    CHECK(data(p, "sentence") == "\"\",");
    CHECK(data(p, "queues") == "2,\"levels\":6,\"counters\":9,\"words_from\":9,");
    CHECK(data(p, "held") == "[],");
    CHECK(data(p, "buffers") == R"([["x","input",1,1,64,0],["h","activation",0,1,64,0],["t","activation",0,1,64,64],["y","output",4,1,64,0]],)");
    CHECK(data(p, "names") == R"([["load",""],["gate","gated_mul"],["store",""]],)");
    // name, tile, queue, level, then how many signals, waits and accesses
    CHECK(data(p, "tasks") == "[0,0,0,0,1,0,2,0,1,1,0,1,0,2,0,2,0,1,1,0,2,0,3,1,1,1,0,2,"
                              "1,0,0,2,1,1,3,1,1,1,2,1,1,3,1,2,0,3,1,1,3,1,3,1,3,1,1,3,"
                              "2,0,1,4,1,1,2,2,1,0,4,1,1,2,2,2,1,5,1,1,2,2,3,0,5,1,1,2],");
    CHECK(data(p, "signals") == "[0,0,0,0,1,2,3,4,5,6,7,8],");
    CHECK(data(p, "waits") == "[0,1,4,0,1,4,0,1,4,0,1,4,1,1,1,2,1,1,3,1,1,4,1,1],");
    CHECK(data(p, "accesses").starts_with("[0,0,1,0,16,3,0,1,0,16,0,0,1,16,32,3,0,1,16,32,"));
    CHECK(data(p, "costs").starts_with("[0,32,0,0,0,32,0,0,"));
    CHECK(data(p, "refused") == "[]}");
}

TEST_CASE("neighbouring counters of one threshold are one wait") {
    test::loose_schedule s;
    const added_group a = s.finish(s.start("a", 5, true));
    group b = s.start("b");
    join(b, a);
    b.waits.push_back({{a.signal.first + 1, 0, 1}, 2, 1});
    s.finish(b);
    CHECK(data(page(view(s)), "waits") == "[0,5,1,1,2,1],");
}

TEST_CASE("waits by word are counters behind those of the schedule") {
    auto s = tiny();
    s.groups[group_store].waits = {};
    s.groups[group_store].words.push_back(group_gate);
    const std::string p = page(view(s));
    CHECK(data(p, "queues") == "2,\"levels\":6,\"counters\":13,\"words_from\":9,");
    CHECK(data(p, "waits") == "[0,1,4,0,1,4,0,1,4,0,1,4,9,1,1,10,1,1,11,1,1,12,1,1],");
}

TEST_CASE("a refusal stands on top, and the tasks that it names are marked") {
    auto s = tiny();
    s.groups[group_store].waits = {};
    const verdict v = refuse(reason::data_race, "store", "gate").with(label::tile, 0).with(label::other_tile, 0).with(label::end_byte, 16);
    const std::string p = page(view(s), {.found = v});
    CHECK(data(p, "reason").starts_with("\"data_race\","));
    CHECK(data(p, "sentence").starts_with("\"data race: store tile 0 and gate tile 0 touch bytes  to 16"));
    CHECK(data(p, "refused") == "[4,8,0]}");
    const u32_t witness[] = {4, 9};
    CHECK(data(page(view(s), {.found = v, .witness = witness, .witness_count = 2}), "refused") == "[4,9,0]}");
}

TEST_CASE("tasks that never run have no level on the page") {
    auto s = tiny();
    s.groups[group_gate].waits[0].threshold = 5;
    const std::string p = page(view(s), {.found = check_schedule(view(s))});
    CHECK(data(p, "reason").starts_with("\"unsatisfiable_wait\","));
    CHECK(data(p, "queues").starts_with("2,\"levels\":2,"));
    CHECK(count(data(p, "tasks"), ",-1,") == 8);
}

TEST_CASE("without groups only tasks, waits and bytes are shown") {
    const expanded_schedule written_out(view(good));
    const std::string p = written([&](auto& out) { write_html(out, written_out.view()); });
    CHECK(data(p, "words_from") == "-1,");
    CHECK(data(p, "names") == R"([["load",""],["gate",""],["store",""]],)");
    CHECK(data(p, "costs") == "[],");
    CHECK(data(p, "tasks") == data(page(view(good)), "tasks"));
    CHECK(written([](auto& out) { write_html(out, expanded_view{}); }).find("\"tasks\":[],") != std::string::npos);
}

TEST_CASE("names cannot break out of the page") {
    auto s = tiny();
    s.groups[0].name = "</script><b>\"\\&";
    s.groups[1].name = "line\nfeed\xff";
    s.buffers[0].name = "<!--<script>";
    for (char& c : s.buffers[1].name.d) c = 'n';  // without an end
    const std::string p = page(view(s), {.title = "</title><script>\"&"});
    CHECK(data(p, "names").starts_with(R"([["\u003c/script\u003e\u003cb\u003e\u0022\u005c\u0026",""],["line?feed?",)"));
    CHECK(data(p, "buffers").starts_with(R"([["\u003c!--\u003cscript\u003e","input",)"));
    CHECK(data(p, "buffers").find('"' + std::string(32, 'n') + '"') != std::string::npos);
    CHECK(p.find("<title>&lt;/title>&lt;script>\"&amp;</title>") != std::string::npos);
    CHECK(data(p, "title").starts_with(R"("\u003c/title\u003e\u003cscript\u003e\u0022\u0026",)"));
    CHECK(count(p, "<script") == 2);
    CHECK(count(p, "</script>") == 2);
}

TEST_CASE("the page asks for nothing from elsewhere") {
    const std::string p = page(view(good));
    for (const char* outside : {"http:", "https:", "//cdn", "src=", "href=", "@import", "url(", "fetch(", "import("}) {
        INFO(outside);
        CHECK(p.find(outside) == std::string::npos);
    }
    CHECK(p.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("costs are those of the step") {
    const dynamic_schedule s = lower_checked(test::tiny_model(2), {.workers = 3});
    const step_shape step{.rows = 1, .past = 40};
    const std::string costs = data(page(view(s), {.step = step}), "costs");
    std::string expected;
    for (const group& g : s.groups)
        for_each_tile_cost(view(s), g, step, [&](u32_t, const cost& c) {
            for (const u64_t n : {c.weights_read, c.activations_read + c.activations_written, c.cache_read + c.cache_written, c.flops})
                expected += (expected.empty() ? "[" : ",") + std::to_string(n);
        });
    CHECK(costs == expected + "],");
}
