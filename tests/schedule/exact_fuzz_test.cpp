// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Random schedules beyond the enumerations: more tasks, queues, counters, signals, buffers, rows; against all of their interleavings.
#include "schedule/enumeration.hpp"
#include "support/catch.hpp"

using namespace netra;
using namespace netra::test;

namespace {

class flat_maker {
public:
    explicit flat_maker(u64_t seed) : d_(seed) {}

    flat_schedule make() {
        care_ = d_.percent(70) ? 95 : 50;
        queues_ = d_.between(1, 3);
        for (u32_t c = d_.between(1, 3); c > 0; --c) counters_.push_back(d_.percent(90) ? 0 : d_.between(1, 2));
        for (u32_t b = d_.between(1, 4); b > 0; --b) buffers_.push_back(make_buffer());
        reached_ = counters_;
        written_.assign(buffers_.size(), false);
        for (u32_t t = d_.between(1, explorer::most_tasks); t > 0; --t) tasks_.push_back(make_task());
        spread();
        return {buffers_, counters_, queues_, tasks_};
    }

private:
    expanded_buffer make_buffer() {
        const u32_t k = d_.below(20);
        expanded_buffer b{.kind = k < 12   ? buffer_kind::activation
                                  : k < 15 ? buffer_kind::output
                                  : k < 18 ? buffer_kind::state
                                  : k < 19 ? buffer_kind::input
                                           : buffer_kind::weight};
        b.space = d_.percent(40) ? 0 : d_.below(explorer::most_spaces);
        b.rows = d_.between(1, 3);
        b.row_bytes = d_.between(1, 4);
        b.offset = d_.percent(60) ? 0 : d_.below(5);
        if (b.kind == buffer_kind::input || b.kind == buffer_kind::weight) b.held_rows = b.rows;
        if (b.kind == buffer_kind::state || d_.percent(3))
            b.held_rows = d_.below(b.rows + 1), b.past_rows = d_.percent(60) ? b.held_rows : d_.below(b.rows + 1);
        return b;
    }
    /// With care, a task waits only for what the tasks before it have signalled, and reads what they have written.
    flat_task make_task() {
        flat_task t{.queue = d_.below(queues_)};
        for (u32_t c = 0; c < counters_.size(); ++c) {
            if (!d_.percent(40)) continue;
            const u64_t most = d_.percent(care_) ? reached_[c] : reached_[c] + 2;
            if (most != 0) t.waits.push_back({c, d_.percent(60) ? most : d_.between(1, static_cast<u32_t>(most))});
        }
        for (u32_t n = d_.percent(70) ? 1 : d_.below(4); n > 0; --n) t.signals.push_back(d_.below(counters_.size()));
        for (const u32_t c : t.signals) ++reached_[c];
        for (u32_t n = d_.below(4); n > 0; --n) t.accesses.push_back(make_access());
        return t;
    }
    expanded_access make_access() {
        expanded_access a{.buffer = d_.below(buffers_.size())};
        const expanded_buffer& b = buffers_[a.buffer];
        a.write = d_.percent(50);
        if (d_.percent(care_)) a.write = b.held_rows != b.rows && (!written_[a.buffer] || d_.percent(30));
        if (a.write) written_[a.buffer] = true;
        a.end_row = b.rows;
        a.end_byte = b.row_bytes;
        if (d_.percent(30))
            a.first_row = d_.below(b.rows + 1), a.end_row = d_.between(static_cast<u32_t>(a.first_row), static_cast<u32_t>(b.rows));
        if (d_.percent(30))
            a.first_byte = d_.below(b.row_bytes + 1),
            a.end_byte = d_.between(static_cast<u32_t>(a.first_byte), static_cast<u32_t>(b.row_bytes));
        if (a.write && d_.percent(70) && b.held_rows != b.rows && a.first_row < b.held_rows) a.first_row = b.held_rows, a.end_row = b.rows;
        if (d_.percent(1)) ++(d_.percent(50) ? a.end_row : a.end_byte);
        return a;
    }
    /// Swaps neighbours of different queues: another list of the same schedule, in which a task may be listed before what it waits for.
    void spread() {
        for (usz n = 0; n < 2 * tasks_.size(); ++n) {
            const usz t = d_.below(tasks_.size());
            if (t + 1 < tasks_.size() && tasks_[t].queue != tasks_[t + 1].queue) std::swap(tasks_[t], tasks_[t + 1]);
        }
    }

    dice d_;
    u32_t care_ = 0;
    u32_t queues_ = 1;
    std::vector<u64_t> counters_;
    std::vector<u64_t> reached_;
    std::vector<expanded_buffer> buffers_;
    std::vector<bool> written_;
    std::vector<flat_task> tasks_;
};

}  // namespace

TEST_CASE("an access to no bytes hides no race") {
    const expanded_buffer rows{.rows = 3, .row_bytes = 2};
    const expanded_access all{.write = true, .first_row = 1, .end_row = 3, .end_byte = 2};
    const expanded_access none{.write = true, .first_row = 1, .end_row = 3, .first_byte = 1, .end_byte = 1};
    const expanded_access last{.write = true, .first_row = 1, .end_row = 3, .first_byte = 1, .end_byte = 2};
    const flat_schedule s({rows}, {}, 2, {{.queue = 0, .accesses = {all}}, {.queue = 1, .accesses = {none, last}}});
    CHECK(check_exact(s.view()).found.why == reason::data_race);
}
TEST_CASE("the exact checker says of random schedules what all their interleavings say") {
    const u64_t seed = seed_from_environment("NETRA_FUZZ_SEED");
    const u64_t count = from_environment("NETRA_FUZZ_COUNT", slow_build ? 20000 : 500000);
    std::printf("NETRA_FUZZ_SEED=%llu, %llu schedules\n", seed, count);
    enumeration_result r{.schedules = count};
    explorer e;
    for (u64_t i = 0; i < count && r.wrong < 3; ++i) {
        const flat_schedule s = flat_maker((seed << 32) + i).make();
        e.explore_order(s.view());
        judge(e, s.view(), i, r);
    }
    r.print();
    CHECK(r.wrong == 0);
    CHECK(r.safe() * 20 > count);
}
