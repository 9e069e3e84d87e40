// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// All small schedules of a family, each once up to renaming, judged by the exact checker and by running all interleavings.
#pragma once

#include <netra/schedule/checks/exact.hpp>

#include "support/dice.hpp"
#include "support/explorer.hpp"
#include "support/flat_schedule.hpp"

#include <cstdio>
#include <cstring>

namespace netra::test {

/// What a task does to one buffer: sets of halves of it (1: the first, 2: the second, 3: both).
struct use {
    u8_t read = 0;
    u8_t write = 0;
};

/// Tasks on two queues, two counters. A task signals one counter, waits for each of them with a threshold (0: not at all), and uses each
/// buffer in one of the ways of `uses`. The halves of a buffer of two rows are its rows, those of others are halves of its row.
struct enumeration {
    const char* what = "";
    usz tasks = 0;
    u32_t thresholds = 0;      ///< 0 ... thresholds - 1
    u32_t initial_values = 1;  ///< of a counter: 0 ... initial_values - 1
    std::vector<use> uses{};   ///< the first one: none
    std::vector<expanded_buffer> buffers{};
    bool buffers_alike = false;  ///< renaming the buffers gives the same schedule
    bool one_buffer = false;     ///< no task uses two buffers
    bool running = false;        ///< only schedules in which all tasks run: what blocks does so whatever it uses
};

/// Of every `share` schedules one is judged, chosen by `seed`.
struct enumeration_part {
    u64_t seed = 0;
    u64_t share = 1;
};

/// NETRA_ENUMERATION: "full", or the n of "one schedule in n"; NETRA_SEED repeats a run.
inline enumeration_part part_from_environment() {
    const char* part = std::getenv("NETRA_ENUMERATION");
    const bool full = part != nullptr && std::strcmp(part, "full") == 0;
    const u64_t share = full ? 1 : from_environment("NETRA_ENUMERATION", slow_build ? 200 : 10);
    return {.seed = seed_from_environment("NETRA_SEED"), .share = share == 0 ? 1 : share};
}

struct enumeration_result {
    u64_t schedules = 0;  ///< of the family, up to renaming
    u64_t judged = 0;
    u64_t wrong = 0;
    std::array<u64_t, reason_count> verdicts{};

    u64_t safe() const { return verdicts[static_cast<usz>(reason::accepted)]; }
    void add(const enumeration_result& other) {
        schedules += other.schedules, judged += other.judged, wrong += other.wrong;
        for (usz r = 0; r < reason_count; ++r) verdicts[r] += other.verdicts[r];
    }
    void print() const {
        std::printf("%llu schedules, %llu judged, %llu safe, %llu wrong verdicts\n", schedules, judged, safe(), wrong);
        for (usz r = 1; r < reason_count; ++r)
            if (verdicts[r] != 0) std::printf("  %-24s %10llu\n", name_of(static_cast<reason>(r)), verdicts[r]);
    }
};

inline expanded_buffer two_bytes(u32_t space, u64_t offset = 0, buffer_kind kind = buffer_kind::activation) {
    return {.kind = kind, .space = space, .offset = offset, .row_bytes = 2};
}
/// 3: read or write it. 4: also both. 9: also halves, and one half into the other one.
inline std::vector<use> uses(usz n) {
    constexpr use all[] = {{0, 0}, {3, 0}, {0, 3}, {3, 3}, {0, 1}, {0, 2}, {1, 0}, {2, 0}, {1, 2}};
    return {all, all + n};
}

/// Whether the interleavings show what the checker says, of the tasks that it names. A schedule can be unsafe for several reasons; the
/// checker names one of them.
inline bool agrees(explorer& e, const expanded_view& s, const exact_result& r) {
    const reason why = r.found.why;
    const auto all_named = [&](const auto& is_so) {
        for (const u32_t t : r.tasks)
            if (t >= s.task_count || !is_so(t)) return false;
        return r.tasks.size() != 0;
    };
    if (why == reason::unsatisfiable_wait || why == reason::cyclic_wait || why == reason::queue_deadlock || why == reason::deadlock)
        return e.blocks() && all_named([&](u32_t t) { return !e.starts(t); });
    e.explore_memory(s);
    switch (why) {
        case reason::accepted:
            return e.safe();
        case reason::data_race:
        case reason::shared_memory_race:
            return r.tasks.size() == 2 && e.race(r.tasks[0], r.tasks[1]);
        case reason::aliased_operands:
            return all_named([&](u32_t t) { return e.mixes_buffers(t); });
        case reason::uncovered_read:
        case reason::overwritten_read:
            return all_named([&](u32_t t) { return e.reads_uncovered(t); });
        case reason::incomplete_output:
        case reason::overwritten_output:
            return e.leaves_output_incomplete();
        case reason::writes_read_only:
            return e.writes_read_only();
        case reason::out_of_bounds:
        case reason::wrong_row_count:
        case reason::arena_too_small:
            return e.leaves_bounds();
        default:
            return false;
    }
}

/// Checks schedule `number`, whose order `e` has explored, and adds the verdict to `to`.
inline void judge(explorer& e, const expanded_view& s, u64_t number, enumeration_result& to) {
    const exact_result r = check_exact(s);
    ++to.judged;
    ++to.verdicts[static_cast<usz>(r.found.why)];
    if (agrees(e, s, r) || ++to.wrong > 3) return;
    e.explore_memory(s);
    std::printf("schedule %llu: the checker says %s", number, name_of(r.found.why));
    for (const u32_t t : r.tasks) std::printf(" %u", t);
    std::printf("; all interleavings: %s%s%s%s%s%s%s%s\n%s", e.safe() ? "safe" : "", e.blocks() ? "blocks " : "", e.races() ? "races " : "",
                e.mixes_buffers() ? "mixes buffers " : "", e.reads_uncovered() ? "reads uncovered " : "",
                e.leaves_output_incomplete() ? "output incomplete " : "", e.writes_read_only() ? "writes read-only " : "",
                e.leaves_bounds() ? "out of bounds" : "", dump(s).c_str());
}

class enumerator {
public:
    enumerator(const enumeration& family, const enumeration_part& part) : f_(family), part_(part), buffers_(family.buffers) {
        digit_ = 2 * f_.thresholds * f_.thresholds;
        for (usz b = 0; b < buffers_.size(); ++b) ways_ *= f_.uses.size();
        list_memories();
    }

    enumeration_result run() {
        for (usz on_second = 0; 2 * on_second <= f_.tasks; ++on_second) {
            first_queue_ = f_.tasks - on_second;
            order o;
            for (bool more = true; more; more = next(o)) visit(o);
        }
        return result_;
    }

private:
    static constexpr usz most_tasks = 4;

    /// Digits: of each task its signal and thresholds, and the initial values.
    struct order {
        std::array<u32_t, most_tasks> task{};
        u32_t initial = 0;
        friend constexpr auto operator<=>(const order&, const order&) = default;
    };
    struct memory {
        std::array<u8_t, most_tasks> way{};  ///< of each task, its uses of all buffers in one number
        friend constexpr auto operator<=>(const memory&, const memory&) = default;
    };

    bool next(order& o) const {
        for (usz t = 0; t < f_.tasks; ++t) {
            if (++o.task[t] < digit_) return true;
            o.task[t] = 0;
        }
        return ++o.initial < f_.initial_values * f_.initial_values;
    }
    bool next(memory& m) const {
        for (usz t = 0; t < f_.tasks; ++t) {
            if (++m.way[t] < ways_) return true;
            m.way[t] = 0;
        }
        return false;
    }

    /// Renamings: of the counters; of the queues, where both have two tasks; of the buffers.
    order with_counters_renamed(order o) const {
        for (usz t = 0; t < f_.tasks; ++t) {
            const u32_t first = o.task[t] / f_.thresholds % f_.thresholds;
            const u32_t second = o.task[t] % f_.thresholds;
            const u32_t signal = o.task[t] / f_.thresholds / f_.thresholds;
            o.task[t] = ((1 - signal) * f_.thresholds + second) * f_.thresholds + first;
        }
        o.initial = o.initial % f_.initial_values * f_.initial_values + o.initial / f_.initial_values;
        return o;
    }
    memory with_buffers_renamed(memory m) const {
        for (usz t = 0; t < f_.tasks; ++t)
            m.way[t] = static_cast<u8_t>(m.way[t] % f_.uses.size() * f_.uses.size() + m.way[t] / f_.uses.size());
        return m;
    }
    bool queues_alike() const { return 2 * first_queue_ == f_.tasks; }
    template <class Digits>
    static void rename_queues(Digits& d) {
        std::swap(d[0], d[2]);
        std::swap(d[1], d[3]);
    }

    bool uses_two(const memory& m) const {
        for (usz t = 0; t < f_.tasks; ++t)
            if (m.way[t] >= f_.uses.size() && m.way[t] % f_.uses.size() != 0) return true;  // use 0 is none
        return false;
    }
    void list_memories() {
        memory m;
        for (bool more = true; more; more = next(m)) {
            if (f_.one_buffer && uses_two(m)) continue;
            std::array<memory, 2> images = {m, m};
            usz count = 1;
            if (f_.buffers_alike) images[1] = with_buffers_renamed(m), count = 2;
            if (images[1] < m) continue;
            memories_.push_back(m);
            bool least = true;
            for (usz i = 0; i < count; ++i) {
                rename_queues(images[i].way);
                least = least && !(images[i] < m);
            }
            if (least) memories_of_alike_queues_.push_back(m);
        }
    }

    void visit(const order& o) {
        const order other = with_counters_renamed(o);
        if (other < o) return;
        bool alike = false;  // renaming the queues can leave this order as it is
        if (queues_alike()) {
            for (order image : {o, other}) {
                rename_queues(image.task);
                if (image < o) return;
                alike = alike || image == o;
            }
        }
        place(o);
        explorer_.explore_order(view_);
        if (f_.running && explorer_.blocks()) return;
        for (const memory& m : alike ? memories_of_alike_queues_ : memories_) {
            if (!chosen(result_.schedules++)) continue;
            place(m);
            judge(explorer_, view_, result_.schedules - 1, result_);
        }
    }
    /// A number that depends on the seed.
    u64_t mixed(u64_t number) const {
        u64_t z = (number + part_.seed * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 31)) * 0x94d049bb133111ebULL;
        return z >> 32;
    }
    bool chosen(u64_t number) const { return mixed(number) % part_.share == 0; }
    /// The queues in any of the lists of tasks that mean the same: each in its order, merged by the bits of `choices`.
    void list_tasks(u64_t choices) {
        usz next[] = {0, first_queue_};
        const usz ends[] = {first_queue_, f_.tasks};
        for (usz i = 0; i < f_.tasks; ++i, choices /= 2) {
            usz queue = choices % 2;
            if (next[queue] == ends[queue]) queue = 1 - queue;
            listed_[i] = next[queue]++;
        }
    }
    void place(const order& o) {
        usz waits = 0;
        list_tasks(mixed(result_.schedules));
        for (usz i = 0; i < f_.tasks; ++i) {
            const usz t = listed_[i];
            expanded_task& task = tasks_[i];
            task.queue = t < first_queue_ ? 0 : 1;
            task.first_signal = static_cast<u32_t>(i);
            task.signal_count = 1;
            signals_[i] = o.task[t] / f_.thresholds / f_.thresholds;
            task.first_wait = static_cast<u32_t>(waits);
            const std::array<u32_t, 2> thresholds = {o.task[t] / f_.thresholds % f_.thresholds, o.task[t] % f_.thresholds};
            for (u32_t c = 0; c < 2; ++c)
                if (thresholds[c] != 0) waits_[waits++] = {c, thresholds[c]};
            task.wait_count = static_cast<u32_t>(waits) - task.first_wait;
        }
        counters_ = {o.initial / f_.initial_values, o.initial % f_.initial_values};
        view_ = {.tasks = tasks_.data(),
                 .task_count = f_.tasks,
                 .signals = signals_.data(),
                 .signal_count = f_.tasks,
                 .waits = waits_.data(),
                 .wait_count = waits,
                 .accesses = accesses_.data(),
                 .access_count = 0,
                 .buffers = buffers_.data(),
                 .buffer_count = buffers_.size(),
                 .counters = counters_.data(),
                 .counter_count = 2,
                 .queues = 2};
    }
    void place(const memory& m) {
        usz accesses = 0;
        for (usz i = 0; i < f_.tasks; ++i) {
            tasks_[i].first_access = static_cast<u32_t>(accesses);
            u32_t rest = m.way[listed_[i]];
            for (usz b = buffers_.size(); b-- > 0;) {
                const use& u = f_.uses[rest % f_.uses.size()];
                rest /= static_cast<u32_t>(f_.uses.size());
                if (u.read != 0) accesses_[accesses++] = access_to(b, u.read, false);
                if (u.write != 0) accesses_[accesses++] = access_to(b, u.write, true);
            }
            tasks_[i].access_count = static_cast<u32_t>(accesses) - tasks_[i].first_access;
        }
        view_.access_count = accesses;
    }

    expanded_access access_to(usz buffer, u8_t halves, bool write) const {
        const expanded_buffer& b = buffers_[buffer];
        expanded_access a{.buffer = static_cast<u32_t>(buffer), .write = write, .end_row = b.rows, .end_byte = b.row_bytes};
        const u64_t middle = b.rows == 2 ? 1 : b.row_bytes / 2;
        if (halves == 1) (b.rows == 2 ? a.end_row : a.end_byte) = middle;
        if (halves == 2) (b.rows == 2 ? a.first_row : a.first_byte) = middle;
        return a;
    }

    enumeration f_;
    enumeration_part part_;
    u32_t digit_ = 0;  ///< values of an order's digit
    usz ways_ = 1;     ///< values of a memory's digit
    usz first_queue_ = 0;
    std::vector<memory> memories_;                  ///< up to renaming of buffers
    std::vector<memory> memories_of_alike_queues_;  ///< up to renaming of buffers and queues
    std::array<usz, most_tasks> listed_{};          ///< the tasks are counted by queue; this is their order in the view
    std::array<expanded_task, most_tasks> tasks_{};
    std::array<u32_t, most_tasks> signals_{};
    std::array<expanded_wait, 2 * most_tasks> waits_{};
    std::array<expanded_access, 4 * most_tasks> accesses_{};
    std::vector<expanded_buffer> buffers_;
    std::array<u64_t, 2> counters_{};
    expanded_view view_{};
    explorer explorer_;
    enumeration_result result_;
};

/// Runs the parts of an enumeration and prints what came out.
inline enumeration_result enumerate(const std::vector<enumeration>& parts) {
    const enumeration_part part = part_from_environment();
    std::printf("one schedule in %llu, NETRA_SEED=%llu (NETRA_ENUMERATION=full: all)\n", part.share, part.seed);
    enumeration_result sum;
    for (const enumeration& e : parts) {
        const enumeration_result r = enumerator(e, part).run();
        std::printf("%s: ", e.what);
        r.print();
        std::fflush(stdout);
        sum.add(r);
    }
    std::printf("together: ");
    sum.print();
    return sum;
}

}  // namespace netra::test
