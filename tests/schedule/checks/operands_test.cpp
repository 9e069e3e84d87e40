// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// No operand of a lowered group can be declared to touch other bytes than its operation's tiles do.
#include <netra/schedule/checks/operands.hpp>

#include <netra/schedule/check.hpp>

#include "schedule/lowered.hpp"
#include "support/catch.hpp"

#include <cstdio>
#include <string>

using namespace netra;
using namespace netra::test;

namespace {

bool same_tiles(const byte_range& a, const byte_range& b, u32_t tiles) {
    for (u32_t t = 0; t < tiles; ++t) {
        const interval x = bytes_of_tile(a, t);
        const interval y = bytes_of_tile(b, t);
        if (!(x == y || (x.empty() && y.empty()))) return false;
    }
    return true;
}

/// Other ranges with the same first and last byte.
std::vector<byte_range> others(const byte_range& r, u32_t tiles) {
    const interval all = hull(r, tiles);
    const u64_t size = all.end - all.begin;
    const u64_t piece = (size + tiles - 1) / tiles;
    std::vector<byte_range> changed{same_bytes(all.begin, size), cut(all.begin, size, piece), cut(all.begin, size, (piece + 3) / 4 * 4),
                                    cut(all.begin, size, 2 * piece, 2)};
    for (const i64_t by : {-4, 4}) {
        changed.push_back(r);
        changed.back().size += static_cast<u64_t>(by);
        changed.push_back(r);
        changed.back().stride += static_cast<u64_t>(by);
        changed.push_back(r);
        changed.back().first += by;
    }
    changed.push_back(r);
    changed.back().per += 1;
    return changed;
}

/// The first group of that kind in a lowered model.
usz find(const loose_schedule& s, op_kind kind) {
    usz g = 0;
    while (s.operations[s.groups[g].op].kind != kind) ++g;
    return g;
}
std::string said(const loose_schedule& s) { return sentence(check_structure(view(s))).d; }

}  // namespace

TEST_CASE("another range for any operand of any lowered group is refused") {
    usz tried = 0;
    usz accepted_wrongly = 0;
    for (const llama& m : {grouped_model, odd_model})
        for (const lower_config& c : all_configs()) {
            if (c.tile_outputs == 5 || c.workers == 2) continue;
            loose_schedule s = lowered(m, c);
            REQUIRE(check_structure(view(s)).ok());
            for (auto& g : s.groups)
                for (auto& a : g.accesses) {
                    const byte_range kept = a.range;
                    for (const byte_range& changed : others(kept, g.tiles)) {
                        if (same_tiles(kept, changed, g.tiles) || !(hull(kept, g.tiles) == hull(changed, g.tiles))) continue;
                        a.range = changed;
                        const schedule_view one = view(s);
                        ++tried;
                        accepted_wrongly += detail::tile_shares(one, g).run().ok() ? 1U : 0U;
                    }
                    a.range = kept;
                }
        }
    std::printf("%zu changes\n", tried);
    CHECK(tried > 10000);
    CHECK(accepted_wrongly == 0);
}

TEST_CASE("a projection's tile reads its whole input") {
    loose_schedule s = lowered(grouped_model, {.workers = 2, .kv_splits = 1, .fuse_residual = false});
    group& g = s.groups[find(s, op_kind::attention) + 1];  // o_proj
    REQUIRE(g.tiles == 2);
    g.accesses[0].range = cut(0, 96, 48);
    CHECK(said(s) == "task group o_proj[0] tile 0: operand 0 (attended[0]) is not declared where the operation's tile reads or writes it");
}

TEST_CASE("an operation that does not know of tiles has one") {
    loose_schedule s = lowered(grouped_model, {.workers = 2, .fuse_norm = false});
    group& g = s.groups[find(s, op_kind::rms_norm)];
    g.tiles = 2;
    for (auto& a : g.accesses) a.range = cut(0, 96, 48);
    CHECK(check_structure(view(s)).why == reason::wrong_tile);
}

TEST_CASE("an addition replaces what it adds to") {
    loose_schedule s = lowered(grouped_model, {.workers = 2, .fuse_residual = false});
    group& g = s.groups[find(s, op_kind::add)];
    std::swap(g.accesses[0].buffer, g.accesses[1].buffer);
    CHECK(check_structure(view(s)).why == reason::wrong_tile);
    loose_schedule fused = lowered(grouped_model, {.workers = 2, .kv_splits = 1});
    group& o = fused.groups[find(fused, op_kind::attention) + 1];
    o.accesses[2].buffer = o.accesses[0].buffer;
    CHECK(check_structure(view(fused)).why == reason::wrong_tile);
}

TEST_CASE("queries, keys and values lie side by side, and caches are read in both parts") {
    const loose_schedule good = lowered(grouped_model, {.workers = 2});
    const usz append = find(good, op_kind::rope_append);
    const usz attend = find(good, op_kind::attention);
    loose_schedule s = good;
    s.groups[append].accesses[1].range.first += 4;
    CHECK_FALSE(check_structure(view(s)).ok());
    for (const usz cache : {5U, 6U}) {
        s = good;
        s.groups[append].accesses[cache].part = row_part::whole;
        CHECK(check_structure(view(s)).why == reason::wrong_tile);
    }
    for (const usz cache : {1U, 2U, 3U, 4U}) {
        s = good;
        s.groups[attend].accesses[cache].part = row_part::whole;
        CHECK(check_structure(view(s)).why == reason::wrong_tile);
    }
    s = good;
    s.groups[attend].accesses[2].buffer = s.groups[attend].accesses[3].buffer;  // past keys, fresh values
    CHECK(check_structure(view(s)).why == reason::wrong_tile);
}

TEST_CASE("a group without a contract may declare anything") {
    loose_schedule s;
    group g = s.start("free", 3);
    reads(g, s.add("b", buffer_kind::activation, 64), {.first = -3, .stride = 7, .size = 20, .low = 0, .high = 64, .per = 2});
    s.finish(g);
    const schedule_view one = view(s);
    CHECK(detail::tile_shares(one, s.groups[0]).run().ok());
}
