// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Schedules that tests put together by hand, and their text.
#pragma once

#include <netra/schedule/builder.hpp>
#include <netra/schedule/check.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace netra::test {

struct loose_schedule {
    std::vector<group> groups{};
    std::vector<buffer> buffers{};
    std::vector<operation> operations = std::vector<operation>(1);
    u32_t counters = 0;
    u32_t queues = 1;
    u64_t arena_bytes = 0;
    device where = host_cpu(64);

    u16_t add(const char* name, buffer_kind kind, u64_t row_bytes, u64_t rows = 1, u64_t arena = 0) {
        buffers.push_back({.name = name, .kind = kind, .rows = rows, .row_bytes = row_bytes, .arena = arena});
        if (kind == buffer_kind::activation && arena + rows * row_bytes > arena_bytes) arena_bytes = arena + rows * row_bytes;
        return static_cast<u16_t>(buffers.size() - 1);
    }
    /// A group of `tiles` tiles on queue 0 with counters of its own: one, or one a tile.
    group start(const char* name, u32_t tiles = 1, bool fine = false) {
        group g;
        g.name = name;
        g.tiles = tiles;
        g.signal = {counters, fine ? 1U : 0U, 1};
        counters += fine ? tiles : 1;
        return g;
    }
    added_group finish(const group& g) {
        groups.push_back(g);
        return {g.signal, g.tiles};
    }
    verdict check() const { return check_schedule(view(*this)); }
};

inline std::string text_of_map(const index_map& m) {
    std::ostringstream o;
    o << '{' << m.first << ',' << m.num << ',' << m.den << '}';
    return o.str();
}

/// Everything that the checker looks at, one line a buffer and a group.
inline std::string dump(const schedule_view& s) {
    std::ostringstream o;
    o << "queues " << s.queues << " counters " << s.counters << " arena " << s.arena_bytes << '\n';
    for (usz b = 0; b < s.buffer_count; ++b) {
        const buffer& x = s.buffers[b];
        o << "buffer " << b << ": kind " << int{static_cast<u8_t>(x.kind)} << " rows " << x.rows << " x " << x.row_bytes << " at "
          << x.arena << '\n';
    }
    for (usz g = 0; g < s.group_count; ++g) {
        const group& x = s.groups[g];
        o << "group " << g << ": tiles " << x.tiles << " queue " << text_of_map(x.queue) << " signal " << text_of_map(x.signal);
        for (const auto& w : x.waits) o << " wait " << text_of_map(w.first) << " count " << w.count << " >= " << w.threshold;
        for (const auto& a : x.accesses)
            o << (a.write ? " WRITE " : " read ") << a.buffer << " part " << int{static_cast<u8_t>(a.part)} << " [" << a.range.first
              << " + t/" << a.range.per << '*' << a.range.stride << ", +" << a.range.size << ") in [" << a.range.low << ',' << a.range.high
              << ')';
        o << '\n';
    }
    return o.str();
}

}  // namespace netra::test
