// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Lowered models are safe in every configuration, and no damage to them goes unnoticed that the oracle notices.
#include <netra/schedule/checks/exact.hpp>
#include <netra/schedule/lower.hpp>

#include "schedule/lowered.hpp"
#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/oracle.hpp"

#include <array>
#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

template <class T>
auto& any_of(T& items, dice& d) {
    return items[d.below(items.size())];
}

u64_t multiple_of_4(dice& d, u64_t below) { return d.below(below / 4 + 1) * 4; }

void change_wait(group& g, dice& d, u32_t counters) {
    if (g.waits.empty()) return;
    netra::wait& w = any_of(g.waits, d);
    switch (d.below(7)) {
        case 0:
            w = g.waits.back(), --g.waits.count;
            break;
        case 1:
            w.threshold -= 1;
            break;
        case 2:
            w.threshold += 1;
            break;
        case 3:
            w.first.first += d.percent(50) ? 1U : ~0U;
            break;
        case 4:
            w.count += d.percent(50) ? 1U : ~0U;
            break;
        case 5:
            w.first = {d.below(counters), d.below(3), d.between(1, 3)};
            break;
        default:
            w.first.num = d.below(3), w.first.den = d.between(1, 3);
            break;
    }
}
void change_range(byte_range& r, dice& d, u64_t row) {
    switch (d.below(7)) {
        case 0:
            r.first += d.percent(50) ? 4 : -4;
            break;
        case 1:
            r.stride = multiple_of_4(d, row);
            break;
        case 2:
            r.size = multiple_of_4(d, row);
            break;
        case 3:
            r.low = multiple_of_4(d, row);
            break;
        case 4:
            r.high = multiple_of_4(d, row);
            break;
        case 5:
            r.per = d.between(1, 3);
            break;
        default:
            r = cut(0, row, r.size == 0 ? 4 : r.size);
            break;
    }
}
void change_memory(loose_schedule& s, dice& d) {
    buffer& b = any_of(s.buffers, d);
    switch (d.below(4)) {
        case 0:
            b.row_bytes -= 4;
            break;
        case 1:
            s.arena_bytes -= 4;
            break;
        case 2:
            b.arena = any_of(s.buffers, d).arena;
            break;
        default:
            b.arena = multiple_of_4(d, s.arena_bytes);
            break;
    }
}
void change_access(loose_schedule& s, group& g, dice& d) {
    netra::access& a = any_of(g.accesses, d);
    switch (d.below(6)) {
        case 0:
            a.write = !a.write;
            break;
        case 1:
            a.part = static_cast<row_part>(d.below(3));
            break;
        case 2:
            a.buffer = static_cast<u16_t>(d.below(s.buffers.size()));
            break;
        default:
            change_range(a.range, d, s.buffers[a.buffer].row_bytes);
            break;
    }
}

/// One change, named by its kind.
const char* mutate(loose_schedule& s, dice& d) {
    group& g = any_of(s.groups, d);
    switch (d.below(8)) {
        case 0:
        case 1:
            change_wait(g, d, s.counters);
            return "wait";
        case 2:
            change_access(s, g, d);
            return "access";
        case 3:
            change_memory(s, d);
            return "memory";
        case 4:
            g.queue = {d.below(4), d.below(4), d.between(1, 3)};
            return "queue map";
        case 5: {
            group& other = d.percent(50) ? any_of(s.groups, d) : (&g)[&g != &s.groups.back()];
            const group kept = g;
            g = other;
            other = kept;
            return "order of groups";
        }
        case 6: {
            group& other = any_of(s.groups, d);
            if (g.waits.empty()) return "nothing";
            if (other.waits.size() < 4) other.waits.push_back(g.waits.back());
            --g.waits.count;
            return "moved wait";
        }
        default:
            if (d.percent(50))
                g.tiles += d.percent(50) ? 1U : ~0U;
            else if (d.percent(50))
                g.signal.first += d.percent(50) ? 1U : ~0U;
            else
                g.signal.num = 1, g.signal.den = d.between(1, 3);
            return "tiles and signals";
    }
}

}  // namespace

TEST_CASE("every configuration is safe and accepted") {
    usz tasks = 0;
    usz turn = 0;
    for (const llama& m : {grouped_model, odd_model})
        for (const lower_config& c : all_configs()) {
            if (slow_build && ++turn % 7 != 0) continue;
            const loose_schedule s = lowered(m, c);
            const verdict v = s.check();
            INFO("workers " << c.workers << " tile " << c.tile_outputs << " splits " << c.kv_splits << " norm " << c.fuse_norm << " qkv "
                            << c.fuse_qkv << " gate " << c.fuse_gate_up << " residual " << c.fuse_residual << " per head "
                            << c.per_head_waits << ": " << sentence(v).d);
            for (const auto& g : s.groups) tasks += g.tiles;
            REQUIRE(v.ok());
            // note: the oracle's time grows with the square of the tasks
            if (c.tile_outputs == 2 && c.workers != 3) continue;
            REQUIRE(oracle::judge(view(s)).empty());
        }
    std::printf("%zu tasks checked\n", tasks);
}

TEST_CASE("the exact checker judges damaged lowerings as the oracle does, the group checker accepts none that it finds unsafe") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 300 : 20000);
    std::printf("NETRA_FUZZ_SEED=%llu, %llu mutants\n", seed, count);
    const auto configs = all_configs();
    std::array<u64_t, reason_count> verdicts{};
    u64_t safe = 0;
    for (u64_t i = 0; i < count; ++i) {
        dice d((seed << 32) + i);
        loose_schedule s = lowered(d.percent(50) ? grouped_model : odd_model, any_of(configs, d));
        if (d.percent(60)) s.operations.assign(s.operations.size(), operation{});  // so that only the order and the memory can give it away
        std::string what;
        for (u32_t changes = d.percent(75) ? 1 : 2; changes > 0; --changes) what += std::string(mutate(s, d)) + " ";
        const verdict v = s.check();
        ++verdicts[static_cast<usz>(v.why)];
        s.operations.assign(s.operations.size(), operation{});  // the oracle and the exact checker know tasks, not operations
        if (!check_structure(view(s)).ok()) continue;
        const std::string problem = oracle::judge(view(s));
        const exact_result exact = check_exact(expanded_schedule(view(s)).view());
        safe += problem.empty() ? 1U : 0U;
        if (exact.ok() == problem.empty() && (problem.empty() || !v.ok())) continue;
        FAIL("NETRA_FUZZ_SEED=" << seed << ", mutant " << i << " (" << what << "): oracle '" << problem << "', exact: " << sentence(exact.found).d
                                << ", groups: " << sentence(v).d << "\n" << dump(view(s)));
    }
    std::printf("%llu of them safe\n", safe);
    for (usz r = 0; r < reason_count; ++r)
        if (verdicts[r] != 0) std::printf("  %-24s %6llu\n", name_of(static_cast<reason>(r)), verdicts[r]);
    CHECK(verdicts[static_cast<usz>(reason::accepted)] * 100 > count * 5);
    CHECK(verdicts[static_cast<usz>(reason::accepted)] * 100 < count * 70);
}
