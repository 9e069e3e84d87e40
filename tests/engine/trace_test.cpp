// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/trace.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {
const std::vector<trace_span> sample = {{7, "consumer", "qkv_proj[0]", 1000, 3500},
                                        {7, "producer", "stream", 900, 9000},
                                        {3, "consumer", "qkv_proj[0]", 1250, 3001},
                                        {3, "", "sampling", 8000, 8000}};
}

TEST_CASE("a trace has an event for each span, times in microseconds from the first one on") {
    const auto json = nlohmann::json::parse(chrome_trace(sample));
    std::vector<nlohmann::json> spans;
    for (const auto& e : json["traceEvents"])
        if (e["ph"] == "X") spans.push_back(e);
    REQUIRE(spans.size() == sample.size());
    for (usz i = 0; i < sample.size(); ++i) {
        CHECK(spans[i]["name"] == sample[i].name);
        CHECK(spans[i]["pid"] == sample[i].block);
    }
    CHECK(spans[0]["cat"] == "qkv_proj");
    CHECK(spans[0]["ts"] == 0.1);
    CHECK(spans[0]["dur"] == 2.5);
    CHECK(spans[1]["ts"] == 0.0);
    CHECK(spans[2]["ts"] == 0.35);
    CHECK(spans[3]["dur"] == 0.0);
    CHECK(spans[0]["tid"] == spans[2]["tid"]);
    CHECK(spans[0]["tid"] != spans[1]["tid"]);
}

TEST_CASE("blocks are processes and roles are threads, each named once") {
    const auto json = nlohmann::json::parse(chrome_trace(sample));
    std::map<std::string, usz> named;
    for (const auto& e : json["traceEvents"])
        if (e["ph"] == "M" && e["args"].contains("name"))
            ++named[std::to_string(e["pid"].get<u32_t>()) + " " + e["args"]["name"].get<std::string>()];
    const std::map<std::string, usz> expected = {{"3 block 3", 1}, {"3 consumer", 1}, {"3 tasks", 1},
                                                 {"7 block 7", 1}, {"7 consumer", 1}, {"7 producer", 1}};
    CHECK(named == expected);
}

TEST_CASE("a span that ends before it begins is refused by name; bad bytes in a name are not fatal") {
    const std::vector<trace_span> backwards = {{1, "", "good", 5, 6}, {2, "", "o_proj[3]", 100, 99}};
    CHECK_THROWS_WITH(chrome_trace(backwards), test::containing("span 1 (o_proj[3] on block 2) ends at 99 ns"));
    const std::vector<trace_span> bytes = {{1, "\xff", "a\"\n\xc3", 0, 1}};
    CHECK_NOTHROW(nlohmann::json::parse(chrome_trace(bytes)));
    CHECK(nlohmann::json::parse(chrome_trace({}))["traceEvents"].empty());
}
