// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Persistent kernels' schedules are safe whatever their sizes, and damage to them does not go unnoticed.
#include <netra/codegen/megakernel/layout.hpp>
#include <netra/schedule/checks/exact.hpp>
#include <netra/schedule/lower_stream.hpp>

#include "schedule/streamed.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

verdict exactly(const loose_schedule& s) { return check_exact(expanded_schedule(view(s)).view()).found; }
/// What check_stream says of one schedule, but for its queues.
verdict judge(const loose_schedule& s) {
    const verdict v = s.check();
    return v.ok() ? check_polled(view(s)) : v;
}
std::string shown(const stream_plan& p, const stream_scope& c) {
    std::ostringstream o;
    const llama& m = p.model;
    o << "blocks " << p.blocks << " splits " << p.kv_splits << " hidden " << m.hidden << " layers " << m.layers << " heads " << m.heads << "/" << m.kv_heads
      << " of " << m.head_dim << " intermediate " << m.intermediate << " vocab " << m.vocab << " rows " << m.rows << ", steps " << c.steps << " headless "
      << c.headless << " draws " << c.draws << " of " << c.rounds << " rounds, active " << c.active << " own queues " << c.own_queues;
    return o.str();
}

constexpr llama small{.hidden = 48, .layers = 2, .heads = 6, .kv_heads = 3, .head_dim = 4, .intermediate = 20, .vocab = 51, .context = 64,
                      .rows = 2, .weights = bf16, .kv = bf16};
const stream_plan plan = plan_stream(small, gpu_of(5), {.kv_splits = 2});

group& named(loose_schedule& s, const char* what) {
    for (auto& g : s.groups)
        if (std::string(g.name.d) == what) return g;
    throw std::runtime_error(what);
}

}  // namespace

TEST_CASE("words lie where the kernel has them") {
    dice d(7);
    for (int i = 0; i < 200; ++i) {
        const stream_plan p = random_plan(d);
        const loose_schedule s = streamed(p);
        const word_layout w = words_of(p);
        const u64_t places[] = {w.residual, w.middle, w.qkv, w.partials, w.attended, w.gated, w.best, w.rounds};
        const u32_t values = p.model.heads / p.model.kv_heads * p.model.head_dim;
        const bool padded = values % divided_up(values, p.kv_splits) != 0;
        for (usz b = 0; b < (padded ? 5U : p.model.rows == 1 ? 8U : 7U); ++b) REQUIRE(s.buffers[b].arena == places[b] * word_bytes);
        if (!padded) REQUIRE(s.arena_bytes == w.end * word_bytes);
        u64_t cached = 0;
        for (const auto& b : s.buffers)
            if (b.kind == buffer_kind::state) cached += bytes(b);
        REQUIRE(cached == 2 * kv_bytes(p));
    }
}

TEST_CASE("tiles are on the queues of their blocks") {
    for (const u32_t blocks : {1U, 5U, 132U}) {
        const stream_plan p = plan_stream(small, gpu_of(blocks), {});
        const loose_schedule s = streamed(p);
        const schedule_view v = view(s);
        REQUIRE(s.queues == 2 * blocks);
        for (const auto& g : s.groups) {
            const std::string called(g.name.d);
            const auto starts = [&](const char* what) { return called.rfind(what, 0) == 0; };
            const bool multiplies = starts("qkv") || starts("o_proj") || starts("gate_up") || starts("down") || starts("head") || starts("round");
            for (u32_t t = 0; t < g.tiles; ++t) REQUIRE(v.queue_of(g, t) % 2 == (multiplies ? 0U : 1U));
            if (starts("attention"))
                for (u32_t t = 0; t < g.tiles; ++t) REQUIRE(v.queue_of(g, t) / 2 == t % blocks);
            const stream_op ops[] = {stream_op::qkv, stream_op::o, stream_op::gate_up, stream_op::down};
            const char* names[] = {"qkv", "o_proj", "gate_up", "down"};
            for (usz i = 0; i < 4; ++i) {
                if (!starts(names[i])) continue;
                REQUIRE(g.tiles == p[ops[i]].units);
                for (u32_t b = 0; b < blocks; ++b) {
                    const u32_t place = place_of(p, ops[i], g.layer, b);
                    for (u32_t u = 0; u < units_at(p, ops[i], place); ++u) REQUIRE(v.queue_of(g, unit_at(p, ops[i], place, u)) / 2 == b);
                }
            }
        }
    }
}

TEST_CASE("random plans are safe, with the kernel's queues and with a queue for every tile") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 60 : 400);
    std::printf("NETRA_FUZZ_SEED=%llu, %llu plans\n", seed, count);
    u64_t safe = 0;
    for (u64_t i = 0; i < count; ++i) {
        dice d((seed << 32) + i);
        const stream_plan p = random_plan(d);
        stream_scope c = random_scope(p, d);
        INFO("NETRA_FUZZ_SEED=" << seed << ", plan " << i << ": " << shown(p, c));
        if (!choices_end(p)) continue;
        ++safe;
        const loose_schedule s = streamed(p, c);
        const verdict v = s.check();
        INFO(sentence(v).d);
        REQUIRE(v.ok());
        const verdict e = exactly(s);
        INFO(sentence(e).d);
        REQUIRE(e.ok());
        const bool queues_hold = !c.own_queues && (c.active <= 1 || c.active == p.kv_splits);
        if (queues_hold) REQUIRE(check_polled(view(s)).ok());
        u64_t tasks = 0;
        for (const auto& g : s.groups) tasks += g.tiles;
        if (tasks < 120) REQUIRE(oracle::judge(view(s)).empty());
    }
    CHECK(safe * 10 > count * 7);
}

TEST_CASE("every wait is needed") {
    stream_plan one_row = plan;
    one_row.model.rows = 1;
    for (const u32_t variant : {0U, 1U, 2U, 3U}) {
        const bool own = variant % 2 != 0;
        const loose_schedule good = variant < 2 ? streamed(plan, {.steps = 3, .headless = 1, .own_queues = own})
                                                : streamed(one_row, {.steps = 3, .draws = 3, .rounds = 2, .own_queues = own});
        REQUIRE(good.check().ok());
        for (usz g = 0; g < good.groups.size(); ++g)
            for (usz w = 0; w < good.groups[g].words.size(); ++w) {
                loose_schedule s = good;
                auto& words = s.groups[g].words;
                words[w] = words.back(), --words.count;
                INFO(good.groups[g].name.d << " does not wait for " << good.groups[good.groups[g].words[w]].name.d);
                CHECK_FALSE(judge(s).ok());
            }
    }
}

TEST_CASE("tokens that are given may not be embedded at once") {
    for (const u32_t headless : {0U, 1U}) {
        loose_schedule s = streamed(plan, {.headless = headless});
        REQUIRE(s.check().ok());
        group& g = named(s, "embedding[1]");
        g.words = {};
        for (usz i = 0; i + 1 < g.accesses.size(); ++i) g.accesses[i] = g.accesses[i + 1];
        --g.accesses.count;
        s.operations[g.op] = operation::of_words(token_embedding(plan.model));
        CHECK(s.check().why == reason::data_race);
        CHECK_FALSE(exactly(s).ok());
    }
}

TEST_CASE("blocks that poll without a result to show are not waited for") {
    // A block without units polls the residual words: an empty tile on a queue of its own.
    loose_schedule s = streamed(plan, {.own_queues = true});
    group& g = named(s, "qkv[0]");
    REQUIRE(s.check().ok());
    ++g.tiles;
    g.queue.first = s.queues;
    s.queues += g.tiles;
    s.where.workers = s.queues;
    CHECK(s.check().why == reason::data_race);
    CHECK_FALSE(exactly(s).ok());
}

TEST_CASE("a cache is read by the queue that wrote it") {
    loose_schedule s = streamed(plan);
    REQUIRE(judge(s).ok());
    group& g = named(s, "attention[2]");  // layer 0 of the second step
    g.queue.first += 2;
    CHECK(s.check().ok());
    CHECK(judge(s).why == reason::unpolled_read);
}

TEST_CASE("a projection that reads less than its contract says is refused") {
    const loose_schedule good = streamed(plan);
    for (usz g = 0; g < good.groups.size(); ++g) {
        if (good.operations[good.groups[g].op].kind == op_kind::none) continue;
        for (usz i = 0; i < good.groups[g].accesses.size(); ++i) {
            loose_schedule s = good;
            byte_range& r = s.groups[g].accesses[i].range;
            r.high -= 4;
            INFO(good.groups[g].name.d << " operand " << i);
            CHECK_FALSE(s.check().ok());
        }
    }
}

TEST_CASE("a choice that nothing follows on its queue is refused") {
    loose_schedule s = streamed(plan, {.own_queues = true});
    group& g = named(s, "choose[0]");
    g.queue.first = s.queues;
    s.queues += g.tiles;
    s.where.workers = s.queues;
    CHECK(s.check().why == reason::data_race);
    CHECK_FALSE(exactly(s).ok());
}

TEST_CASE("exchanges have memory of their own") {
    const loose_schedule good = streamed(plan);
    for (usz a = 0; a < 7; ++a)
        for (usz b = 0; b < 7; ++b) {
            if (a == b) continue;
            loose_schedule s = good;
            s.buffers[a].arena = s.buffers[b].arena;
            s.arena_bytes += bytes(s.buffers[a]);
            INFO(s.buffers[a].name.d << " at " << s.buffers[b].name.d);
            CHECK_FALSE(judge(s).ok());
        }
}

namespace {

/// One change, named by its kind.
const char* damage(loose_schedule& s, dice& d) {
    group& g = s.groups[d.below(s.groups.size())];
    netra::access& a = g.accesses[d.below(g.accesses.size())];
    switch (d.below(8)) {
        case 0:
            if (g.words.empty()) return "nothing";
            g.words[d.below(g.words.size())] = static_cast<u16_t>(d.below(s.groups.size()));
            return "awaited group";
        case 1:
            if (!g.words.empty()) --g.words.count;
            return "dropped wait";
        case 2:
            g.queue = {d.below(s.queues), d.below(4), d.between(1, 2)};
            return "queue map";
        case 3:
            a.range.high -= a.range.high > 8 ? 8U : 0U;
            return "end of a range";
        case 4:
            a.range.size = a.range.size / 16 * 8;
            return "size of a range";
        case 5:
            a.range.first += d.percent(50) ? 8 : -8;
            return "begin of a range";
        case 6:
            s.buffers[d.below(7)].arena = s.buffers[d.below(7)].arena;
            return "memory";
        default: {
            group& other = (&g)[&g != &s.groups.back()];
            const group kept = g;
            g = other;
            other = kept;
            return "order of groups";
        }
    }
}

}  // namespace

TEST_CASE("the group checker accepts no damaged stream that the exact checker refuses") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 300 : 3000);
    std::printf("NETRA_FUZZ_SEED=%llu, %llu mutants\n", seed, count);
    u64_t safe = 0;
    u64_t accepted = 0;
    for (u64_t i = 0; i < count; ++i) {
        dice d((seed << 32) + i);
        stream_plan p = random_plan(d);
        p.model.layers = d.between(1, 2);
        stream_scope c = random_scope(p, d);
        c.steps = d.between(2, 3);
        loose_schedule s = streamed(p, c);
        if (d.percent(70)) s.operations.assign(s.operations.size(), operation{});  // so that only the order and the memory can give it away
        std::string what;
        for (u32_t changes = d.percent(75) ? 1 : 2; changes > 0; --changes) what += std::string(damage(s, d)) + " ";
        const verdict v = s.check();
        accepted += v.ok();
        s.operations.assign(s.operations.size(), operation{});
        if (!check_structure(view(s)).ok()) continue;
        for (const auto& g : s.groups)
            for (const u16_t w : g.words)
                if (w >= &g - s.groups.data()) goto next;
        {
            const verdict e = exactly(s);
            safe += e.ok();
            if (v.ok() && !e.ok())
                FAIL("NETRA_FUZZ_SEED=" << seed << ", mutant " << i << " (" << what << ") of " << shown(p, c) << ": exact: " << sentence(e).d);
        }
    next:;
    }
    std::printf("%llu safe, %llu accepted\n", safe, accepted);
    CHECK(accepted * 100 > count * 5);
    CHECK(accepted * 100 < count * 80);
    CHECK(accepted <= safe);
    CHECK(accepted * 100 > safe * 75);
}
