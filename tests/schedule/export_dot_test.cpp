// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/string_sink.hpp>
#include <netra/schedule/export_dot.hpp>
#include <netra/schedule/program.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "rejects/tiny_schedule.hpp"
#include "schedule/loose_schedule.hpp"
#include "schedule/tiny_model.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace netra;

namespace {

constexpr llama tiny_llama = test::tiny_model(2);
using decode = program<tiny_llama, host_cpu(), lower_config{.workers = 2}>;

struct graph {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        write_dot(out, decode::view);
    }
};

std::string dot_of(const schedule_view& s, const verdict& found = {}) {
    return written([&](auto& out) { write_dot(out, s, {}, found); });
}
usz count(const std::string& in, const std::string& what) {
    usz n = 0;
    for (usz at = 0; (at = in.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
}

/// What Graphviz draws, or nothing where it is not installed.
std::string drawn(const std::string& dot) {
    if (std::system("dot -V >/dev/null 2>&1") != 0) {
        WARN("not drawn: this machine has no dot (package graphviz)");
        return {};
    }
    const test::temporary_directory folder;
    test::write_file(folder / "in.dot", dot);
    const int status =
        std::system(("dot -Tsvg '" + folder / "in.dot" + "' >'" + folder / "out.svg" + "' 2>'" + folder / "log" + "'").c_str());
    std::ifstream log(folder / "log");
    const std::string said(std::istreambuf_iterator<char>(log), {});
    INFO(said << dot);
    CHECK(status == 0);
    CHECK(said.empty());
    std::ifstream svg(folder / "out.svg");
    return {std::istreambuf_iterator<char>(svg), {}};
}

}  // namespace

TEST_CASE("the graph is the same at compile time and at run time") { CHECK(dot_of(decode::view) == text_of<graph>.d); }

TEST_CASE("a node for each group, a cluster for each layer, an edge for each wait") {
    for (const bool per_head : {false, true}) {
        const dynamic_schedule s =
            lower_checked(tiny_llama, {.workers = 2, .tile_outputs = 16, .fuse_norm = false, .fuse_residual = false, .per_head_waits = per_head});
        const std::string dot = dot_of(view(s));
        usz waits = 0;
        for (const group& g : s.groups) waits += g.waits.size() + g.words.size();
        CHECK(count(dot, " bytes\"];\n") == s.groups.size());
        CHECK(count(dot, "subgraph cluster_") == tiny_llama.layers);
        CHECK(count(dot, " -> ") == waits);
        CHECK((dot.find("(3 a tile) >= 1\"];") != std::string::npos) == per_head);
        const std::string svg = drawn(dot);
        if (svg.empty()) continue;
        CHECK(count(svg, "class=\"node\"") == s.groups.size());
        CHECK(count(svg, "class=\"edge\"") == waits);
        CHECK(count(svg, "class=\"cluster\"") == tiny_llama.layers);
        CHECK(svg.find("o_proj[1]") != std::string::npos);
    }
}

TEST_CASE("edges name counters and threshold, nodes what a group does") {
    const dynamic_schedule s = lower_checked(tiny_llama, {.workers = 3});
    const std::string dot = dot_of(view(s));
    CHECK(dot.find("[label=\"rope_append[0]\\nrope_append\\n2 tiles, 2 queues\\n1408 bytes\"];") != std::string::npos);
    usz embedding = 0;
    while (s.groups[embedding].name != name("embedding")) ++embedding;
    const std::string counter = std::to_string(s.groups[embedding].signal.first);
    CHECK(dot.find("  g" + std::to_string(embedding) + " -> g" + std::to_string(embedding + 1) + " [label=\"c" + counter + " >= 1\"];\n") !=
          std::string::npos);
}

TEST_CASE("names cannot break out of their strings") {
    test::loose_schedule s;
    const char* const names[] = {"a\"]; evil [x=\"", "back\\slash\\", "\\N \\G",     "&lt; & &amp;",
                                 "line\nfeed\ttab",  "\xff\xfe",      "<b>bold</b>", "sub graph[0]"};
    for (const char* n : names) s.finish(s.start(n));
    const std::string dot = dot_of(view(s));
    CHECK(dot.find("a\\\"]; evil [x=\\\"\\nnone") != std::string::npos);
    CHECK(dot.find("back\\\\slash\\\\\\nnone") != std::string::npos);
    const std::string svg = drawn(dot);
    if (svg.empty()) return;
    CHECK(count(svg, "class=\"node\"") == s.groups.size());
    for (const char* shown :
         {"a&quot;]; evil [x=&quot;", "back\\slash\\", "\\N", "&amp;lt; &amp; &amp;amp;", "line?feed?tab", "&lt;b&gt;bold&lt;/b&gt;"}) {
        INFO(shown << '\n' << svg);
        const std::string without_spaces = [&] {  // graphviz writes some spaces as entities
            std::string t = svg;
            for (usz at; (at = t.find("&#160;")) != std::string::npos;) t.replace(at, 6, " ");
            return t;
        }();
        CHECK(without_spaces.find(shown) != std::string::npos);
    }
}

TEST_CASE("a schedule that cannot run is drawn with what is missing") {
    test::loose_schedule s;
    const added_group a = s.finish(s.start("a", 2));
    const u32_t missing = s.counters++;
    group b = s.start("b");
    b.waits.push_back({{missing, 0, 1}, 1, 7});
    b.waits.push_back({{a.signal.first, 0, 1}, 2, 1});  // of a, and the one that nobody signals
    s.finish(b);
    REQUIRE(s.check().why == reason::unsatisfiable_wait);
    const std::string dot = dot_of(view(s));
    CHECK(dot.find("c1 [shape=octagon, color=red, label=\"no group signals this\"];\n  c1 -> g1 [label=\"c1 >= 7\", color=red, fontcolor=red];") != std::string::npos);
    CHECK(dot.find("g0 -> g1 [label=\"c0 >= 1\"];") != std::string::npos);
    const std::string svg = drawn(dot);
    if (!svg.empty()) CHECK(count(svg, "class=\"node\"") == 3);
}

TEST_CASE("a wait by word is an edge of its own") {
    auto s = tiny();
    s.groups[group_store].waits = {};
    s.groups[group_store].words.push_back(group_gate);
    CHECK(dot_of(view(s)).find("  g1 -> g2 [label=\"by word\", arrowhead=vee];\n") != std::string::npos);
}

TEST_CASE("what is refused is red, under the sentence") {
    CHECK(dot_of(view(tiny())).find("red") == std::string::npos);

    auto race = tiny();
    race.groups[group_store].waits = {};
    std::string dot = dot_of(view(race), refuse(reason::data_race, "store", "gate").with(label::tile, 1));
    CHECK(dot.find("label=\"data race: store tile 1 and gate tile") != std::string::npos);
    CHECK(count(dot, ", color=red, penwidth=3];") == 2);
    CHECK(dot.find("g1 -> g2 [label=\"not ordered\", dir=none, style=dashed, color=red") != std::string::npos);
    const std::string svg = drawn(dot);
    if (!svg.empty()) CHECK(count(svg, "stroke-dasharray") == 1);

    auto circle = tiny();
    join(circle.groups[group_load], {{1, 1, 1}, 4});
    dot = dot_of(view(circle), refuse(reason::cyclic_wait, "load", "gate").with(label::counter, 1));
    CHECK(dot.find("g1 -> g0 [label=\"c1..c4 >= 1\", color=red, fontcolor=red, penwidth=2];") != std::string::npos);
    CHECK(dot.find("g0 -> g1 [label=\"c0 >= 4\", color=red") != std::string::npos);
    CHECK(dot.find("g1 -> g2 [label=\"c1..c4 (1 a tile) >= 1\"];") != std::string::npos);

    dot = dot_of(view(tiny()), refuse(reason::uncovered_read, "gate", "h").with(label::tile, 3));
    CHECK(count(dot, "color=red, penwidth=3") == 1);
    dot = dot_of(view(tiny()), refuse(reason::incomplete_output, "y"));
    CHECK(count(dot, "color=red, penwidth=3") == 1);
    dot = dot_of(view(tiny()), refuse(reason::tiles_overlap, "load", "h"));
    CHECK(dot.find("g0 -> g0 [label=\"not ordered\"") != std::string::npos);
}

TEST_CASE("counters that two groups signal have two edges") {
    test::loose_schedule s;
    group a = s.start("a", 3, true);
    s.finish(a);
    a = s.start("b", 2, true);
    a.signal.first = 1;  // b's tiles signal c1 and c2 too
    s.finish(a);
    group c = s.start("c");
    c.waits.push_back({{0, 0, 1}, 5, 1});
    s.finish(c);
    const std::string dot = dot_of(view(s));
    CHECK(dot.find("g0 -> g2 [label=\"c0..c2 >= 1\"];") != std::string::npos);
    CHECK(dot.find("g1 -> g2 [label=\"c1..c2 >= 1\"];") != std::string::npos);
    CHECK(dot.find("c3 -> g2 [label=\"c3..c4 >= 1\", color=red") != std::string::npos);
}
