// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Tasks of accepted schedules write only bytes that they declare, and what they write depends only on bytes that they declare to read.
#include <netra/backends/cpu/execute.hpp>

#include "schedule/lowered.hpp"
#include "schedule/random_schedule.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace netra;
using namespace netra::test;

namespace {

/// Every buffer on its own, between bytes that nothing may touch.
class separate_buffers {
  public:
    static constexpr u64_t margin = 256;

    separate_buffers(const schedule_view& s, u64_t position, u32_t rows) : s_(s), position_(position), rows_(rows), bytes_(s.buffer_count) {
        for (usz b = 0; b < s.buffer_count; ++b) bytes_[b].resize(bytes(s.buffers[b]) + 2 * margin);
    }
    std::vector<u8_t*> pointers() {
        std::vector<u8_t*> to;
        for (auto& b : bytes_) to.push_back(b.data() + margin);
        return to;
    }
    /// Which bytes of each buffer a task declares to write, or to read.
    std::vector<std::vector<bool>> declared(const task& t, bool write) const {
        std::vector<std::vector<bool>> found;
        for (const auto& b : bytes_) found.emplace_back(b.size(), false);
        const group& g = s_.groups[t.group];
        for (const auto& a : g.accesses) {
            if (a.write != write) continue;
            const buffer& b = s_.buffers[a.buffer];
            for (u64_t row = 0; row < b.rows; ++row) {
                if (b.kind == buffer_kind::state && !in_part(a.part, row)) continue;
                for (u64_t byte = a.range.begin_of(t.tile); byte < a.range.end_of(t.tile); ++byte)
                    found[a.buffer][margin + (b.kind == buffer_kind::state ? in_cache(s_.op_of(g), row, byte) : row * b.row_bytes + byte)] = true;
            }
        }
        return found;
    }
    /// Random small numbers in every format, where `kept` is not set.
    void fill(dice& d, const std::vector<std::vector<bool>>* kept) {
        for (usz b = 0; b < bytes_.size(); ++b)
            for (u64_t i = 0; i + 4 <= bytes_[b].size(); i += 4) {
                const float value = (static_cast<float>(d.below(2000)) - 1000.0F) / 1000.0F;
                u8_t raw[4];
                std::memcpy(raw, &value, 4);
                for (u64_t k = 0; k < 4; ++k)
                    if (kept == nullptr || !(*kept)[b][i + k]) bytes_[b][i + k] = raw[k];
            }
    }
    const std::vector<std::vector<u8_t>>& contents() const { return bytes_; }

  private:
    bool in_part(row_part part, u64_t row) const {
        if (part == row_part::past) return row < position_;
        return part == row_part::whole || (row >= position_ && row < position_ + rows_);
    }
    /// A schedule sees a row of all kv heads for each position; in memory every head has its positions side by side.
    static u64_t in_cache(const operation& o, u64_t row, u64_t byte) {
        const bool append = o.kind == op_kind::rope_append;
        const u64_t head = (append ? u64_t{o.append.table.head_dim} * bits_of(o.append.kv) : u64_t{o.attend.head_dim} * bits_of(o.attend.kv)) / 8;
        const u64_t context = append ? o.append.context : o.attend.context;
        return (byte / head * context + row) * head + byte % head;
    }

    schedule_view s_;
    u64_t position_;
    u64_t rows_;
    std::vector<std::vector<u8_t>> bytes_;
};

/// What a task does beyond its declared accesses; empty when nothing.
std::string misbehaviour(const schedule_view& s, cpu::executor& run, separate_buffers& memory, const cpu::step_input& input, const task& t, dice& d) {
    const auto written = memory.declared(t, true);
    const auto read = memory.declared(t, false);
    std::vector<std::vector<u8_t>> before[2];
    std::vector<std::vector<u8_t>> after[2];
    for (int i = 0; i < 2; ++i) {
        memory.fill(d, i == 0 ? nullptr : &read);
        // note: the first run changed what it read in place
        if (i == 1) {
            auto pointers = memory.pointers();
            for (usz b = 0; b < read.size(); ++b)
                for (u64_t k = separate_buffers::margin; k + separate_buffers::margin < read[b].size(); ++k)
                    if (read[b][k]) pointers[b][k - separate_buffers::margin] = before[0][b][k];
        }
        before[i] = memory.contents();
        run.begin_step(input);
        run(s.queue_of(s.groups[t.group], t.tile), t);
        after[i] = memory.contents();
    }
    for (usz b = 0; b < written.size(); ++b)
        for (u64_t k = 0; k < written[b].size(); ++k) {
            const bool touched = before[0][b][k] != after[0][b][k] || before[1][b][k] != after[1][b][k];
            if (touched && !written[b][k]) return std::string("writes other bytes of ") + s.buffers[b].name.d;
            if (touched && after[0][b][k] != after[1][b][k]) return std::string("reads other bytes for ") + s.buffers[b].name.d;
        }
    return {};
}

/// The first misbehaving task of a schedule, at most `most` of them tried.
std::string find_misbehaviour(const loose_schedule& made, u32_t tokens, dice& d, u32_t percent) {
    const schedule_view s = view(made);
    std::vector<i32_t> ids(tokens, 3);
    const cpu::step_input input{.tokens = ids, .position = d.below(4)};
    separate_buffers memory(s, input.position, tokens);
    cpu::executor run(s, memory.pointers());
    std::string found;
    for_each_task(s, [&](u32_t, const task& t) {
        if (!found.empty() || !d.percent(percent)) return;
        const std::string bad = misbehaviour(s, run, memory, input, t, d);
        if (!bad.empty()) found = std::string(s.groups[t.group].name.d) + " tile " + std::to_string(t.tile) + " " + bad;
    });
    return found;
}

void change(loose_schedule& s, dice& d) {
    group& g = s.groups[d.below(s.groups.size())];
    netra::access& a = g.accesses[d.below(g.accesses.size())];
    byte_range& r = a.range;
    buffer& b = s.buffers[a.buffer];
    const u64_t some = d.below(b.row_bytes + 8);
    switch (d.below(14)) {
        case 0: r.first += d.percent(50) ? d.between(1, 4) : -i64_t{d.between(1, 8)}; break;
        case 1: r.stride = some; break;
        case 2: r.size = some; break;
        case 3: r.low = some; break;
        case 4: r.high = some; break;
        case 5: r.per = d.between(1, 4); break;
        case 6: g.tiles += d.between(1, 4); break;
        case 7: g.tiles -= g.tiles > 1 ? 1U : 0U; break;
        case 8: b.row_bytes += d.between(1, 8); break;
        case 9: b.rows += d.percent(50) ? 1U : ~u64_t{0}; break;
        case 10: a.buffer = static_cast<u16_t>(d.below(s.buffers.size())); break;
        case 11: a.part = static_cast<row_part>(d.below(3)); break;
        case 12:  // all operands alike: their tiles still belong together
            for (auto& x : g.accesses)
                if (x.range.stride != 0) {
                    const u64_t unit = x.range.stride;
                    x.range.first -= static_cast<i64_t>(unit / 2);
                }
            g.tiles += 1;
            break;
        default: g.op = static_cast<u16_t>(d.below(s.operations.size())); break;
    }
}

}  // namespace

TEST_CASE("tasks of lowered models touch what they declare") {
    const u32_t percent = slow_build ? 1 : 4;
    dice d(1);
    usz tasks = 0;
    for (const llama& m : {grouped_model, odd_model})
        for (const lower_config& c : all_configs()) {
            if (c.workers == 7 && c.tile_outputs == 2) continue;
            const loose_schedule s = lowered(m, c);
            for (const auto& g : s.groups) tasks += g.tiles;
            REQUIRE(find_misbehaviour(s, m.rows, d, percent).empty());
        }
    std::printf("of %zu tasks, %u %%\n", tasks, percent);
}

TEST_CASE("and so do those of damaged models that are accepted") {
    const char* given = std::getenv("NETRA_FUZZ_SEED");
    const u64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : static_cast<u64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % 1000000000;
    const char* asked = std::getenv("NETRA_FUZZ_COUNT");
    const u64_t count = asked != nullptr ? std::strtoull(asked, nullptr, 10) : slow_build ? 300 : 1500;
    const auto configs = all_configs();
    u64_t accepted = 0;
    for (u64_t i = 0; i < count; ++i) {
        dice d((seed << 32) + i);
        const llama& m = d.percent(50) ? grouped_model : odd_model;
        const loose_schedule original = lowered(m, configs[d.below(configs.size())]);
        loose_schedule s = original;
        for (u32_t n = d.between(1, 2); n > 0; --n) change(s, d);
        if (!check_structure(view(s)).ok() || (s.groups == original.groups && s.buffers == original.buffers)) continue;
        ++accepted;
        const std::string bad = find_misbehaviour(s, m.rows, d, 40);
        if (!bad.empty()) FAIL("NETRA_FUZZ_SEED=" << seed << ", schedule " << i << ": " << bad << "\n" << dump(view(s)));
    }
    std::printf("seed %llu, accepted %llu of %llu\n", seed, accepted, count);
    CHECK(accepted * 200 > count);
}
