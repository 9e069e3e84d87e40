// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/schedule/checks/exact.hpp>

#include "schedule/lowered.hpp"
#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/flat_oracle.hpp"
#include "support/flat_schedule.hpp"
#include "support/oracle.hpp"

#include <cstdio>

using namespace netra;
using namespace netra::test;

namespace {

/// An expanded schedule that can be changed in every way.
struct loose_tasks {
    std::vector<expanded_buffer> buffers{};
    std::vector<u64_t> counters{};
    u32_t queues = 1;
    std::vector<flat_task> tasks{};
    std::vector<u64_t> spaces{};

    static loose_tasks of(const expanded_view& v) {
        loose_tasks s{.buffers = {v.buffers, v.buffers + v.buffer_count}, .counters = {v.counters, v.counters + v.counter_count}, .queues = v.queues};
        for (usz t = 0; t < v.task_count; ++t) {
            const expanded_task& x = v.tasks[t];
            s.tasks.push_back({.queue = x.queue,
                               .signals = {v.signals + x.first_signal, v.signals + x.first_signal + x.signal_count},
                               .waits = {v.waits + x.first_wait, v.waits + x.first_wait + x.wait_count},
                               .accesses = {v.accesses + x.first_access, v.accesses + x.first_access + x.access_count}});
        }
        s.spaces = {v.spaces, v.spaces + v.space_count};
        return s;
    }
    /// Calls `f` with the view.
    template <class F>
    auto with_view(F&& f) const {
        const flat_schedule made(buffers, counters, queues, tasks);
        expanded_view v = made.view();
        v.spaces = spaces.data();
        v.space_count = spaces.size();
        return f(v);
    }
};

/// Changes that bring about what lowerings never have: partial thresholds, initial values, odd orders, shifted bytes.
void mutate(loose_tasks& s, dice& d) {
    const auto some_task = [&]() -> flat_task& { return s.tasks[d.below(s.tasks.size())]; };
    flat_task& t = some_task();
    switch (d.below(12)) {
        case 0:
            if (!t.waits.empty()) t.waits.erase(t.waits.begin() + d.below(t.waits.size()));
            break;
        case 1:
            if (!t.waits.empty()) {
                expanded_wait& w = t.waits[d.below(t.waits.size())];
                w.threshold = d.percent(70) && w.threshold > 0 ? w.threshold - 1 : w.threshold + d.below(2);
            }
            break;
        case 2:
            if (!s.counters.empty()) s.counters[d.below(s.counters.size())] += d.between(1, 2);
            break;
        case 3:
            std::swap(t, some_task());
            break;
        case 4:
            t.queue = d.below(s.queues);
            break;
        case 5:
            if (!s.counters.empty()) t.waits.push_back({d.below(s.counters.size()), d.between(0, 3)});
            break;
        case 6:
            if (!s.counters.empty()) t.signals.push_back(d.below(s.counters.size()));
            break;
        case 7:
            if (!t.signals.empty()) t.signals.erase(t.signals.begin() + d.below(t.signals.size()));
            break;
        case 8:
            if (!t.accesses.empty()) {
                expanded_access& a = t.accesses[d.below(t.accesses.size())];
                const u64_t row = s.buffers[a.buffer].row_bytes;
                a.first_byte = d.below(row + 1);
                a.end_byte = a.first_byte + d.below(row + 1 - a.first_byte);
            }
            break;
        case 9:
            if (!t.accesses.empty()) {
                expanded_access& a = t.accesses[d.below(t.accesses.size())];
                const u64_t rows = s.buffers[a.buffer].rows;
                a.first_row = d.below(rows);
                a.end_row = a.first_row + d.below(rows - a.first_row + (d.percent(5) ? 2 : 1));
            }
            break;
        case 10: {
            expanded_buffer& b = s.buffers[d.below(s.buffers.size())];
            if (d.percent(50)) b.held_rows = d.below(b.rows + 1);
            if (d.percent(50)) b.offset = d.below(b.offset + 3);
            if (d.percent(20)) b.space = s.buffers[d.below(s.buffers.size())].space;
            break;
        }
        default:
            if (s.tasks.size() > 1 && d.percent(30)) s.tasks.erase(s.tasks.begin() + d.below(s.tasks.size()));
            break;
    }
}

bool awaits(const expanded_view& v, u32_t t, u32_t u) {
    const expanded_task& x = v.tasks[t];
    const expanded_task& y = v.tasks[u];
    if (x.queue == y.queue && u < t) return true;
    for (u32_t i = 0; i < x.wait_count; ++i)
        for (u32_t k = 0; k < y.signal_count; ++k)
            if (v.waits[x.first_wait + i].counter == v.signals[y.first_signal + k]) return true;
    return false;
}
bool touch_same_bytes(const expanded_view& v, u32_t t, u32_t u) {
    for (u32_t i = 0; i < v.tasks[t].access_count; ++i)
        for (u32_t k = 0; k < v.tasks[u].access_count; ++k) {
            const expanded_access& a = v.accesses[v.tasks[t].first_access + i];
            const expanded_access& b = v.accesses[v.tasks[u].first_access + k];
            const expanded_buffer& x = v.buffers[a.buffer];
            const expanded_buffer& y = v.buffers[b.buffer];
            if (!(a.write || b.write) || x.space != y.space) continue;
            for (u64_t r = a.first_row; r < a.end_row; ++r)
                for (u64_t q = b.first_row; q < b.end_row; ++q)
                    if (x.offset + r * x.row_bytes + a.first_byte < y.offset + q * y.row_bytes + b.end_byte &&
                        y.offset + q * y.row_bytes + b.first_byte < x.offset + r * x.row_bytes + a.end_byte && a.first_byte < a.end_byte && b.first_byte < b.end_byte)
                        return true;
        }
    return false;
}

/// Empty when the refusal is true and its tasks show it.
std::string judge_witness(const expanded_view& v, const exact_result& r) {
    switch (r.found.why) {
        case reason::cyclic_wait:
        case reason::queue_deadlock:
        case reason::deadlock:
            if (r.tasks.size() == 0 || r.found[label::tasks] != r.tasks.size()) return "no cycle";
            for (usz i = 0; i < r.tasks.size(); ++i)
                if (!awaits(v, r.tasks[i], r.tasks[(i + 1) % r.tasks.size()])) return "a cycle with a gap";
            return {};
        case reason::data_race:
        case reason::shared_memory_race: {
            if (r.tasks.size() != 2) return "not a pair";
            const auto ran = flat_oracle::runs_without_each(v);
            if (ran[r.tasks[0]][r.tasks[1]] == 0 || ran[r.tasks[1]][r.tasks[0]] == 0) return "an ordered pair";
            if (r.found[label::first_byte] >= r.found[label::end_byte]) return "a race without bytes";
            return touch_same_bytes(v, r.tasks[0], r.tasks[1]) ? "" : "a race on different bytes";
        }
        case reason::uncovered_read:
        case reason::overwritten_read:
        case reason::aliased_operands:
        case reason::unsatisfiable_wait:
            return r.tasks.size() == 1 ? "" : "no task";
        default:
            return {};
    }
}

/// Two tasks on two queues, the second waits for the first, reads what it wrote and writes the output.
constexpr reason verdict_of_two(u64_t initial, u64_t threshold, bool write_all) {
    const expanded_buffer buffers[] = {{.name = "x", .space = 1, .row_bytes = 4}, {.name = "y", .kind = buffer_kind::output, .space = 2, .row_bytes = 4}};
    const expanded_access accesses[] = {{.buffer = 0, .write = true, .end_byte = 4}, {.buffer = 0, .end_byte = 4}, {.buffer = 1, .write = true, .end_byte = write_all ? 4U : 3U}};
    const expanded_wait waits[] = {{0, threshold}};
    const u32_t signals[] = {0};
    const expanded_task tasks[] = {{.name = "a", .queue = 0, .signal_count = 1, .access_count = 1},
                                   {.name = "b", .queue = 1, .wait_count = 1, .first_access = 1, .access_count = 2}};
    const expanded_view v{.tasks = tasks, .task_count = 2, .signals = signals, .signal_count = 1, .waits = waits, .wait_count = 1, .accesses = accesses,
                          .access_count = 3, .buffers = buffers, .buffer_count = 2, .counters = &initial, .counter_count = 1, .queues = 2};
    return check_exact(v).found.why;
}
static_assert(verdict_of_two(0, 1, true) == reason::accepted);
static_assert(verdict_of_two(1, 1, true) == reason::data_race);
static_assert(verdict_of_two(0, 2, true) == reason::unsatisfiable_wait);
static_assert(verdict_of_two(0, 1, false) == reason::incomplete_output);
static_assert(verdict_of_two(~u64_t{0}, ~u64_t{0}, true) == reason::data_race);
static_assert(verdict_of_two(~u64_t{0} - 1, ~u64_t{0}, true) == reason::accepted);

}  // namespace

TEST_CASE("the exact checker judges random group schedules as the oracle does") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 1500 : 50000);
    std::printf("NETRA_FUZZ_SEED=%llu, %llu group schedules\n", seed, count);
    u64_t wrong = 0;
    u64_t safe = 0;
    for (u64_t i = 0; i < count && wrong < 3; ++i) {
        const loose_schedule s = schedule_maker((seed << 32) + i).make();
        if (const verdict bad = check_structure(view(s)); !bad.ok()) continue;
        const std::string expected = oracle::judge(view(s));
        if (expected == "word") continue;  // what a group awaits by word is no question of tasks
        const expanded_schedule made(view(s));
        const exact_result r = check_exact(made.view());
        safe += r.ok() ? 1U : 0U;
        const std::string witness = r.ok() ? "" : judge_witness(made.view(), r);
        if (r.ok() == expected.empty() && witness.empty()) continue;
        ++wrong;
        std::printf("schedule %llu: oracle: '%s', checker: %s, witness: '%s'\n%s", i, expected.c_str(), sentence(r.found).d, witness.c_str(), dump(view(s)).c_str());
    }
    CHECK(wrong == 0);
    CHECK(safe * 200 > count);
}

TEST_CASE("the exact checker judges changed schedules as their definition does") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 1500 : 50000);
    std::printf("NETRA_FUZZ_SEED=%llu, %llu changed schedules\n", seed, count);
    u64_t wrong = 0;
    u64_t safe = 0;
    for (u64_t i = 0; i < count && wrong < 3; ++i) {
        dice d((seed << 32) + i);
        loose_schedule s;
        do s = schedule_maker(d.next()).make();
        while (!check_structure(view(s)).ok() || (d.percent(80) && !oracle::judge(view(s)).empty()));
        loose_tasks tasks = loose_tasks::of(expanded_schedule(view(s)).view());
        for (u32_t n = d.between(1, 3); n > 0; --n) mutate(tasks, d);
        tasks.with_view([&](const expanded_view& v) {
            const std::string expected = flat_oracle::judge(v);
            const exact_result r = check_exact(v);
            safe += r.ok() ? 1U : 0U;
            const std::string witness = r.ok() ? "" : judge_witness(v, r);
            if (r.ok() == expected.empty() && witness.empty()) return;
            ++wrong;
            std::printf("schedule %llu: expected '%s', checker: %s, witness: '%s'\n%s", i, expected.c_str(), sentence(r.found).d, witness.c_str(), dump(v).c_str());
        });
    }
    std::printf("%llu of them safe\n", safe);
    CHECK(wrong == 0);
    CHECK(safe * 50 > count);
    CHECK(safe < count);
}

TEST_CASE("lowerings are accepted; changed ones are judged as their definition says") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    std::printf("NETRA_FUZZ_SEED=%llu\n", seed);
    dice d(seed);
    const auto configs = all_configs();
    for (u32_t n = 0; n < (slow_build ? 6U : 80U); ++n) {
        const loose_schedule s = lowered(d.percent(50) ? grouped_model : odd_model, configs[d.below(configs.size())]);
        const expanded_schedule made(view(s));
        const exact_result whole = check_exact(made.view());
        INFO(sentence(whole.found).d);
        REQUIRE(whole.ok());
        if (made.view().task_count > 250) continue;
        loose_tasks changed = loose_tasks::of(made.view());
        mutate(changed, d);
        changed.with_view([&](const expanded_view& v) {
            const std::string expected = flat_oracle::judge(v);
            const exact_result r = check_exact(v);
            INFO(expected << ", but: " << sentence(r.found).d);
            CHECK(r.ok() == expected.empty());
            CHECK(judge_witness(v, r) == "");
        });
    }
}
