// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Runs slices of warps in a random order; every lane has a pc of its own.
#pragma once

#include "support/ptx/parse.hpp"

#include <set>

namespace netra::test::simt {

class scheduler {
public:
    explicit scheduler(machine_state& m) : m_(m), code_(m.code->code) {
        for (const auto& b : m.blocks)
            for (const auto& w : b->warps) live_.push_back(w.get());
    }

    /// Until every thread has left.
    void run() {
        while (!live_.empty()) {
            ++m_.steps;
            if (m_.roll(100) < m_.landing) land_any(false);
            if (m_.roll(100) < m_.landing) show_stores(m_.roll(static_cast<u32_t>(live_.size())));
            if (live_.empty()) break;
            if (m_.events != last_event_) last_event_ = m_.events, stalled_ = 0, quiet_since_ = m_.instructions;
            if (m_.instructions - quiet_since_ > m_.with.instructions_without_event)
                throw error(m_.code->entry + " computes without end: nothing was stored for " +
                            std::to_string(m_.instructions - quiet_since_) + " instructions" + where_all_wait());
            const usz index = choose();
            if (index == none) continue;
            warp& w = *live_[index];
            slice(w);
            if (w.done() && w.stores.empty()) end_warp(index);
        }
    }

private:
    /// A warp that can run and has news since it last polled in vain, or any that can run; none: a copy landed, or a store, instead.
    usz choose() {
        const usz n = live_.size();
        const usz start = m_.roll(static_cast<u32_t>(n));
        usz slow = none;
        for (usz k = 0; k < n; ++k) {
            const usz index = start + k < n ? start + k : start + k - n;
            const warp& w = *live_[index];
            if (w.runnable() == 0 || !w.awake(m_)) continue;
            if (!w.slow || m_.roll(16) == 0) return index;
            slow = index;
        }
        if (slow != none) return slow;
        if (land_any(true) || show_any()) return none;
        if (++stalled_ > m_.with.stalled_steps) throw error(m_.code->entry + " hangs: warps only poll" + where_all_wait());
        for (usz k = 0; k < n; ++k) {
            const usz index = start + k < n ? start + k : start + k - n;
            if (live_[index]->runnable() != 0) return index;
        }
        throw error(m_.code->entry + " hangs: no warp can run" + where_all_wait());
    }

    bool show_any() {
        for (usz k = 0; k < live_.size(); ++k)
            if (!live_[k]->stores.empty()) {
                show_stores(k);
                return true;
            }
        return false;
    }
    void show_stores(usz index) {
        warp& w = *live_[index];
        show_some(w);
        if (w.done() && w.stores.empty()) end_warp(index);
    }
    /// Lands a bulk copy or some copies of a random warp; with `must`, if there are any.
    bool land_any(bool must) {
        if (!m_.bulk.empty() && (must || m_.roll(2) == 0)) {
            const usz k = m_.roll(static_cast<u32_t>(m_.bulk.size()));
            std::swap(m_.bulk[k], m_.bulk.back());
            const flight f = m_.bulk.back();
            m_.bulk.pop_back();
            land(f);
            return true;
        }
        const usz n = live_.size();
        const usz start = m_.roll(static_cast<u32_t>(n));
        for (usz k = 0; k < (must ? n : 1); ++k) {
            warp& w = *live_[(start + k) % n];
            if (!w.copies.empty() && land_copies(w, must)) return true;
        }
        return false;
    }

    static u32_t lanes_at(const warp& w, u32_t lanes, u32_t pc) {
        u32_t made = 0;
        for_lanes(lanes, [&](u32_t l) { made |= w.pc[l] == pc ? 1U << l : 0; });
        return made;
    }
    u32_t lane_of_lowest_pc(const warp& w, u32_t lanes) const {
        u32_t best = first_lane(lanes);
        for_lanes(lanes, [&](u32_t l) { best = w.pc[l] < w.pc[best] ? l : best; });
        return best;
    }

    /// Some instructions of one warp: of its lanes at the lowest pc, or now and then those of a random lane (lanes may not starve each
    /// other).
    void slice(warp& w) {
        w.polled_at = ~u64_t{0};
        w.asleep = false;
        w.watched.clear();
        u32_t budget = 1 + m_.roll(m_.with.longest_slice);
        if (m_.roll(16) == 0) budget *= 32;
        u32_t can = w.runnable();
        const bool lowest = m_.roll(4) != 0;
        u32_t lead = lane_of_lowest_pc(w, can);
        for (u32_t skip = lowest ? 0 : m_.roll(32); skip > 0; --skip) {
            const u32_t higher = can & static_cast<u32_t>(~((2ULL << lead) - 1));
            lead = first_lane(higher != 0 ? higher : can);
        }
        while (true) {
            const u32_t lanes = lanes_at(w, can, w.pc[lead]);
            const bool go_on = group(w, lanes, can == lanes, budget);
            can = w.runnable();
            if (!go_on || budget == 0 || can == 0) break;
            if (lowest)
                lead = lane_of_lowest_pc(w, can);
            else if (((can >> lead) & 1) == 0)
                break;
        }
    }

    u32_t guarded(const warp& w, const instruction& i, u32_t lanes) const {
        if (i.guard == none) return lanes;
        require_defined(w, i, lanes, w.predicate_defined[i.guard], "predicate", i.guard);
        return lanes & (i.guard_negated ? ~w.predicates[i.guard] : w.predicates[i.guard]);
    }
    static void set_pc(warp& w, u32_t lanes, u32_t pc) {
        for_lanes(lanes, [&](u32_t l) { w.pc[l] = pc; });
    }

    /// Runs lanes with one pc, one instruction if other lanes can run too; false where the slice must end.
    bool group(warp& w, u32_t lanes, bool alone, u32_t& budget) {
        u32_t pc = w.pc[first_lane(lanes)];
        const u32_t threads = static_cast<u32_t>(std::popcount(lanes));
        do {
            if (pc >= code_.size())
                throw error(m_.code->entry + ": block " + std::to_string(w.home->index) + " runs past the last instruction");
            const instruction& i = code_[pc];
            ++m_.instructions;
            ++m_.runs[pc];
            m_.thread_instructions += threads;
            --budget;
            const u32_t on = guarded(w, i, lanes);
            switch (i.goes) {
                case flow::next:
                    if (on == 0) break;
                    if (i.needs == gather::any) {
                        i.run(w, i, on);
                    } else {
                        set_pc(w, lanes & ~on, pc + 1);
                        set_pc(w, on, pc);
                        meet(w, i, on, lanes);
                        if (on != lanes || ((w.gathering | w.barred) & lanes) != 0 || w.pc[first_lane(on)] != pc + 1) return true;
                    }
                    break;
                case flow::branch: {
                    const bool back = on != 0 && i.target <= pc;
                    if (on == lanes) {
                        pc = i.target;
                        if (!back || w.polled_at != m_.events) continue;
                        set_pc(w, lanes, pc);
                        w.asleep = alone && !w.watched.empty();
                        return !alone;
                    }
                    if (on == 0) break;
                    set_pc(w, on, i.target);
                    set_pc(w, lanes & ~on, pc + 1);
                    return true;
                }
                case flow::leave:
                    if (on == 0) break;
                    set_pc(w, lanes & ~on, pc + 1);
                    set_pc(w, on, pc);
                    w.exited |= on;
                    ++m_.events;
                    release(w);
                    return true;
                case flow::trap:
                    if (on != 0) fail(w, i, first_lane(on), "trap");
                    break;
            }
            ++pc;
        } while (alone && budget != 0);
        set_pc(w, lanes, pc);
        return true;
    }

    /// Lanes arrive at an instruction that needs others of the warp.
    void meet(warp& w, const instruction& i, u32_t on, u32_t lanes) {
        if (i.needs == gather::whole_warp) {
            if (on != lanes) fail(w, i, first_lane(on), "some lanes of the warp take part and some do not, but all must");
            for_lanes(on, [&](u32_t l) { w.members[l] = w.all; });
        } else {
            const operand& mask = i.needs == gather::warp_barrier ? i.at(0) : i.at(i.arguments() - 1);
            const lane_words members = fetched(w, i, mask, on);
            for_lanes(on, [&](u32_t l) {
                w.members[l] = static_cast<u32_t>(members[l]) & w.all;
                if (((w.members[l] >> l) & 1) == 0) fail(w, i, l, "the lane is not in its own mask of lanes, " + hex(members[l]));
            });
        }
        w.gathering |= on;
        release(w);
    }
    /// Lets lanes go whose partners have all arrived; lanes that left count as arrived.
    void release(warp& w) {
        for (u32_t left = w.gathering; left != 0;) {
            const u32_t l = first_lane(left);
            const u32_t pc = w.pc[l];
            const instruction& i = code_[pc];
            u32_t together = 0;
            for_lanes(w.gathering, [&](u32_t k) {
                const bool same = i.needs == gather::warp_barrier ? code_[w.pc[k]].needs == gather::warp_barrier : w.pc[k] == pc;
                if (same && w.members[k] == w.members[l]) together |= 1U << k;
            });
            left &= ~together;
            if ((w.members[l] & ~w.exited & ~together) != 0) continue;
            w.gathering &= ~together;
            for_lanes(together, [&](u32_t k) { ++w.pc[k]; });
            i.run(w, i, together);
        }
    }

    void end_warp(usz index) {
        const warp& w = *live_[index];
        block& b = *w.home;
        live_[index] = live_.back();
        live_.pop_back();
        for (const flight& f : w.copies) fail(*f.by, *f.at, f.lane, "the warp ends before this copy lands");
        for (named_barrier& bar : b.barriers)
            if (bar.whole_block) complete_barrier(b, bar);
        if (live_threads(b) != 0) return;
        for (const flight& f : m_.bulk)
            if (f.by->home == &b) fail(*f.by, *f.at, f.lane, "the block ends before this copy lands");
    }

    /// Every line at which threads stand, and which.
    std::string where_all_wait() const {
        std::map<u32_t, std::set<std::pair<u32_t, u32_t>>> places;
        for (const warp* w : live_)
            for_lanes(w->all & ~w->exited, [&](u32_t l) { places[w->pc[l] - ((w->barred >> l) & 1)].insert({w->home->index, w->number}); });
        std::string made;
        for (const auto& [pc, warps] : places) {
            made += "\n  " + (pc < code_.size() ? m_.code->describe(pc) : "the end") + ": " + std::to_string(warps.size()) + " warps:";
            usz shown = 0;
            for (const auto& [b, w] : warps) {
                if (++shown > 6) break;
                made += (shown > 1 ? ", block " : " block ") + std::to_string(b) + " warp " + std::to_string(w);
            }
            if (shown > 6) made += ", ...";
        }
        return made;
    }

    machine_state& m_;
    const std::vector<instruction>& code_;
    std::vector<warp*> live_{};
    u64_t last_event_ = ~u64_t{0};
    u64_t stalled_ = 0;
    u64_t quiet_since_ = 0;
};

}  // namespace netra::test::simt
