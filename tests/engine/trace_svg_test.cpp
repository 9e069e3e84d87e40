// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/trace_svg.hpp>

#include <set>

#include "support/catch.hpp"
#include "support/dice.hpp"

using namespace netra;
using test::containing;

namespace {

usz count(const std::string& text, const std::string& part) {
    usz n = 0;
    for (usz at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
    return n;
}

/// Elements close in the order in which they opened, attributes are quoted, and no character is outside XML.
bool well_formed(const std::string& svg) {
    std::vector<std::string> open;
    for (usz i = 0; i < svg.size(); ++i) {
        if (static_cast<u8_t>(svg[i]) < 0x20 && svg[i] != '\n') return false;
        if (svg[i] == '>') return false;
        if (svg[i] != '<') continue;
        const usz end = svg.find('>', i);
        if (end == std::string::npos) return false;
        const std::string tag = svg.substr(i + 1, end - i - 1);
        if (count(tag, "\"") % 2 != 0 || tag.find('<') != std::string::npos) return false;
        const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
        if (tag[0] == '/') {
            if (open.empty() || open.back() != name) return false;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
        i = end;
    }
    return open.empty();
}

std::vector<trace_span> random_spans(test::dice& d, u32_t blocks, u32_t each) {
    std::vector<trace_span> spans;
    for (u32_t b = 0; b < blocks; ++b)
        for (const char* role : {"producer", "consumer"})
            for (u64_t i = 0, t = 1'000'000'000; i < each; ++i) {
                const u64_t end = t + d.between(0, 5000);
                spans.push_back({b, role, "group" + std::to_string(d.below(9)) + "[" + std::to_string(i) + "]", t, end});
                t = end + d.between(0, 500);
            }
    return spans;
}

}  // namespace

TEST_CASE("every span is drawn in its group's colour, with a tooltip that says what and when") {
    const std::vector<trace_span> spans = {
        {0, "consumer", "qkv_proj[0]", 5000, 7500}, {1, "consumer", "o_proj[0]", 7500, 9000}, {1, "", "qkv_proj[1]", 9000, 15000}};
    const std::string svg = timeline_svg(spans, {.title = "one <step>"});
    CHECK(well_formed(svg));
    CHECK_THAT(svg, containing("<title>qkv_proj[0]: block 0, consumer, 0 ns to 2.5 \xC2\xB5s (2.5 \xC2\xB5s)</title>"));
    CHECK_THAT(svg, containing("<title>qkv_proj[1]: block 1, 4 \xC2\xB5s to 10 \xC2\xB5s (6 \xC2\xB5s)</title>"));
    CHECK_THAT(svg, containing("one &lt;step&gt;"));
    CHECK_THAT(svg, containing("block 0") && containing("block 1") && containing("3 tasks, 10 \xC2\xB5s"));
    CHECK(count(svg, "class=\"lane\"") == 3);
    CHECK(count(svg, "<rect class=\"g0\"") == 3);  // two spans and the legend
    CHECK(count(svg, "<rect class=\"g1\"") == 2);
    CHECK_THAT(svg, containing("qkv_proj <tspan class=\"quiet\">28.3 %"));
}

TEST_CASE("a window of time draws what lies in it") {
    const std::vector<trace_span> spans = {{0, "", "a", 100, 200}, {0, "", "b", 200, 400}, {0, "", "c", 500, 600}};
    const std::string svg = timeline_svg(spans, {.begin_ns = 150, .end_ns = 350});
    CHECK(well_formed(svg));
    CHECK_THAT(svg, !containing("<title>a:") && containing("<title>b:") && !containing("<title>c:"));
    CHECK_THAT(svg, containing("1 tasks, 200 ns"));
    // half before the window, half in it
    CHECK_THAT(svg, containing("b <tspan class=\"quiet\">75.0 %"));
}

TEST_CASE("names of any bytes, no spans, spans of no length and huge times give a picture all the same") {
    CHECK(well_formed(timeline_svg({})));
    const std::vector<trace_span> odd = {{0, "<&>\"", "\xff\x01<script>]]>&\xEF\xBF\xBF", 7, 7}, {0xffffffff, "", "", 0, ~u64_t{0}}};
    const std::string svg = timeline_svg(odd, {.title = "\x1b[31m\"<", .width = 0});
    CHECK(well_formed(svg));
    CHECK_THAT(svg, !containing("<script>") && !containing("nan") && !containing("inf"));
    CHECK(well_formed(timeline_svg(odd, {.begin_ns = ~u64_t{0}, .end_ns = 3})));
    const std::vector<trace_span> backwards = {{0, "", "a", 2, 1}};
    CHECK_THROWS_WITH(timeline_svg(backwards), containing("ends at 1 ns"));
}

TEST_CASE("pictures of many blocks stay inside their frame, with a readable number of ticks") {
    const u64_t seed = test::seed_from_environment("NETRA_SEED");
    INFO("NETRA_SEED=" << seed);
    test::dice d(seed);
    for (const u32_t blocks : {1U, 4U, 40U, 132U}) {
        const auto spans = random_spans(d, blocks, d.between(1, 60));
        const std::string svg = timeline_svg(spans);
        CHECK(well_formed(svg));
        CHECK(count(svg, "</title></rect>") == spans.size());
        const usz ticks = count(svg, "<line class=\"grid\"");
        CHECK((ticks >= 2 && ticks <= 16));
        for (usz at = svg.find("x=\""); at != std::string::npos; at = svg.find(" x=\"", at + 1)) {
            const double x = std::stod(svg.substr(svg.find('"', at) + 1));
            if (x < 0 || x > 1600) FAIL("x is " << x);
        }
    }
}
