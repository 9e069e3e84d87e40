// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Small random schedules of every kind: careful ones that are mostly safe, careless ones that mostly are not.
#pragma once

#include "schedule/loose_schedule.hpp"
#include "support/dice.hpp"

namespace netra::test {

class schedule_maker {
public:
    explicit schedule_maker(u64_t seed) : d_(seed) {}

    loose_schedule make() {
        care_ = d_.percent(25) ? 100 : d_.percent(50) ? 93 : 60;
        serial_ = d_.percent(15);
        large_ = d_.percent(20);
        if (large_) care_ = d_.percent(90) ? 100 : 98;
        s_.queues = serial_ ? 1 : d_.between(1, large_ ? 7 : 4);
        make_buffers();
        const u32_t groups = serial_ ? d_.between(3, 6) : large_ ? d_.between(4, 10) : d_.between(1, 6);
        for (u32_t g = 0; g < groups; ++g) make_group();
        if (d_.percent(3)) s_.arena_bytes -= s_.arena_bytes == 0 ? 0 : 1;
        return s_;
    }

private:
    void make_buffers() {
        const u32_t n = d_.between(1, large_ ? 8 : 4);
        u64_t end = 0;
        for (u32_t b = 0; b < n; ++b) {
            const u32_t k = d_.below(20);
            const buffer_kind kind = k < 14   ? buffer_kind::activation
                                     : k < 16 ? buffer_kind::state
                                     : k < 18 ? buffer_kind::output
                                              : buffer_kind::input;
            const u64_t row = d_.between(1, 3) * (d_.percent(70) ? 4 : d_.between(1, 7));
            const u64_t rows = d_.percent(70) ? 1 : 2;
            const bool reuse = d_.percent(serial_ ? 80 : 40) && end != 0;
            const u64_t at = !reuse ? end : d_.percent(50) ? 0 : d_.below(end);
            s_.add("b", kind, row, rows, kind == buffer_kind::activation ? at : 0);
            if (kind == buffer_kind::activation && at + row * rows > end) end = at + row * rows;
        }
        written_.assign(n, false);
    }

    byte_range random_range(u64_t row, u32_t tiles) {
        if (tiles > 1 && d_.percent(4)) {  // from the first byte to the last one, perhaps with gaps
            byte_range r = same_bytes(0, row);
            r.stride = row / tiles;
            r.size = row - (tiles - 1) * r.stride;
            if (d_.percent(50)) r.stride = (row - 1) / (tiles - 1), r.size = row - (tiles - 1) * r.stride;
            return r;
        }
        const u64_t piece = (row + tiles - 1) / tiles;
        switch (d_.below(d_.percent(care_) ? 4U : 8U)) {
            case 0:
                return same_bytes(0, row);
            case 1:
            case 2:
                return cut(0, row, piece);
            case 3:
                return cut(0, row, d_.between(1, static_cast<u32_t>(row)), d_.between(1, 3));
            case 4:
                return cut_part(d_.below(row), row, piece);
            default:
                break;
        }
        byte_range r;
        r.first = i64_t{d_.below(row + 4)} - 4;
        r.stride = d_.below(row);
        r.size = d_.below(row + 1);
        r.low = d_.below(row);
        r.high = r.low + d_.below(row + 1 - r.low);
        if (d_.percent(30)) r.low = 0, r.high = row;
        if (d_.percent(3)) r.high = row + 1;
        r.per = d_.percent(70) ? 1 : d_.between(1, 3);
        return r;
    }
    index_map random_queue(u32_t tiles) {
        if (d_.percent(25)) return {d_.below(4), 0, 1};
        if (d_.percent(40)) return {0, 1, 1};
        if (d_.percent(40)) return {0, s_.queues, tiles};
        return {d_.below(5), d_.below(4), d_.between(1, 3)};
    }

    void make_group() {
        group g;
        g.name = "g";
        g.name.d[1] = static_cast<char>('0' + s_.groups.size());
        g.tiles = d_.percent(25) ? 1 : d_.between(1, large_ ? 11 : 5);
        g.queue = random_queue(g.tiles);
        g.signal = {s_.counters, d_.percent(45) ? 1U : 0U, d_.percent(75) ? 1 : d_.between(1, 3)};
        if (d_.percent(1) && s_.counters != 0) g.signal.first -= 1;
        if (d_.percent(8) && s_.counters != 0) g.signal.first = d_.below(s_.counters);  // shared with other groups
        const u32_t end = g.signal(g.tiles - 1) + 1;
        if (end > s_.counters) s_.counters = end;
        make_accesses(g);
        make_waits(g);
        signalled_.resize(s_.counters);
        for (u32_t t = 0; t < g.tiles; ++t) ++signalled_[g.signal(t)];
        s_.groups.push_back(g);
    }
    /// What all of these counters will have reached when the groups made so far are done.
    u32_t least_signals(u32_t first, u32_t count) const {
        u32_t least = ~0U;
        for (u32_t c = first; c < first + count; ++c) least = c < signalled_.size() && signalled_[c] < least ? signalled_[c] : least;
        return least == ~0U || least == 0 ? 1 : least;
    }
    void make_accesses(group& g) {
        const u32_t n = d_.between(1, 3);
        for (u32_t i = 0; i < n; ++i) {
            access a;
            a.buffer = static_cast<u16_t>(d_.below(s_.buffers.size()));
            const buffer& b = s_.buffers[a.buffer];
            a.write = d_.percent(50);
            if (d_.percent(care_)) a.write = b.kind != buffer_kind::input && (!written_[a.buffer] || d_.percent(40));
            a.range = random_range(b.row_bytes, g.tiles);
            if (a.write && d_.percent(care_) && !d_.percent(serial_ ? 40 : 10))
                a.range = cut(0, b.row_bytes, (b.row_bytes + g.tiles - 1) / g.tiles);
            if (b.kind == buffer_kind::state) {
                a.part = d_.percent(90) ? (a.write          ? row_part::fresh
                                           : d_.percent(50) ? row_part::past
                                                            : row_part::fresh)
                                        : static_cast<row_part>(d_.below(3));
            } else if (d_.percent(1)) {
                a.part = static_cast<row_part>(d_.below(3));
            }
            if (a.write) written_[a.buffer] = true;
            g.accesses.push_back(a);
            if (a.write && d_.percent(10) && g.accesses.size() < 4) {  // in place
                a.write = false;
                g.accesses.push_back(a);
            }
        }
    }
    /// Joins of the latest groups, whole, by tiles, by word, or too weak.
    void make_waits(group& g) {
        for (usz p = s_.groups.size(); p-- > 0 && g.waits.size() < 4;) {
            if (!d_.percent(p + 1 == s_.groups.size() ? care_ : 45)) continue;
            if (d_.percent(20) && g.words.size() < 4) {
                g.words.push_back(static_cast<u16_t>(d_.percent(1) ? d_.below(s_.groups.size() + 2) : p));
                if (d_.percent(80)) continue;
            }
            g.waits.push_back(make_wait(g, s_.groups[p]));
        }
    }
    wait make_wait(const group& g, const group& from) {
        const u32_t first = from.signal.first;
        const u32_t counters = counters_of(from);
        const wait whole = {{first, 0, 1}, counters, least_signals(first, counters)};
        const u32_t all = whole.threshold;
        wait w;
        switch (d_.below(d_.percent(care_) ? 5U : 10U)) {
            case 0:
            case 1:
                return whole;
            case 2:
            case 3:
                w = {{first, 1, d_.percent(80) ? 1 : from.signal.den}, 1, all};  // tile by tile
                break;
            case 4: {  // counters of several groups
                const u32_t from_counter = d_.percent(50) ? first : d_.below(first + 1);
                const u32_t count = d_.between(1, static_cast<u32_t>(signalled_.size()) - from_counter);
                const u32_t least = least_signals(from_counter, count);
                return {{from_counter, 0, 1}, count, d_.percent(care_) ? least : d_.between(1, least)};
            }
            case 5:
                w = {{first, d_.below(3), d_.between(1, 3)}, d_.between(1, 2), d_.between(1, all)};
                break;
            case 6:
                w = {{first + d_.below(counters), d_.below(3), d_.between(1, 3)}, d_.between(1, counters), d_.between(1, all)};
                break;
            case 7:
                w = {{d_.below(s_.counters), d_.below(3), d_.between(1, 2)}, d_.between(1, 3), d_.between(d_.percent(90) ? 1 : 0, 3)};
                break;
            case 8:  // some of the signals of all
                return {{first, 0, 1}, counters, d_.between(1, all)};
            default:
                w = {{first, 0, 1}, d_.between(1, counters), d_.between(1, all + 1)};
                break;
        }
        const u32_t end = w.first(g.tiles - 1) + w.count;
        return end > first + counters && d_.percent(80) ? whole : w;
    }

    dice d_;
    u32_t care_ = 0;       // percent of choices that are sensible
    bool serial_ = false;  // one queue orders everything: what is left to find out is which bytes hold what
    bool large_ = false;   // more groups, tiles and queues
    loose_schedule s_;
    std::vector<bool> written_;
    std::vector<u32_t> signalled_;  // how often each counter is signalled by the groups made so far
};

}  // namespace netra::test
