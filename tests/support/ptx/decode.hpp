// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Which function runs an opcode: the longest row of a table that its dotted parts start with, or a row of the lane functions.
#pragma once

#include "support/ptx/matrix.hpp"

#include <functional>

namespace netra::test::simt {

inline std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/// Bytes and sign of a type's name; false if it is none.
inline bool read_type(const std::string& name, instruction& i) {
    static const std::map<std::string, u32_t> bytes = {
        {"b8", 1},  {"u8", 1},  {"s8", 1},    {"b16", 2},    {"u16", 2}, {"s16", 2}, {"f16", 2}, {"bf16", 2}, {"b32", 4},  {"u32", 4},
        {"s32", 4}, {"f32", 4}, {"f16x2", 4}, {"bf16x2", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8},  {"b128", 8}, {"pred", 1}};
    const auto found = bytes.find(name);
    if (found == bytes.end()) return false;
    i.bytes = static_cast<u8_t>(found->second);
    i.is_signed = name[0] == 's';
    return true;
}

/// All lanes of the warp stand at the instruction together; those whose guard is false would not.
inline void set_aligned(instruction& i) { i.needs = gather::whole_warp; }
inline void set_members(instruction& i) { i.needs = gather::members; }
inline void set_poll(instruction& i) { i.polls = true; }

inline void set_memory(instruction& i) {
    for (const std::string& p : i.parts) {
        if (p.starts_with("shared")) i.where = space::shared;
        if (p == "global") i.where = space::global;
        if (p == "local") throw error("local memory is not supported");
        if (p == "relaxed" || p == "acquire" || p == "release" || p == "acq_rel" || p == "volatile" || p == "mmio") i.strong = true;
        if (p == "nc") i.is_constant = true;
        if (p == "acquire" || p == "acq_rel") i.acquires = true;
        if (p == "release" || p == "acq_rel") i.releases = true;
    }
    if (!read_type(i.parts.back(), i)) throw error("no type at the end of the opcode");
    i.polls = i.strong && i.parts[0] == "ld";
}
inline void set_atomic(instruction& i) {
    set_memory(i);
    i.strong = true;
    i.polls = i.parts[0] == "atom";
    i.lane = atomic_function(i.parts[i.parts.size() - 2], i.parts.back());
    if (i.lane == nullptr) throw error("unknown atomic operation");
}
inline void set_mov(instruction& i) {
    if (!read_type(i.parts.back(), i)) throw error("no type at the end of the opcode");
    if (i.elements(0) == 1 && i.elements(1) == 1) i.run = &run_mov_one;
}
inline void set_shuffle(instruction& i) {
    static const std::map<std::string, shuffle> modes = {
        {"up", shuffle::up}, {"down", shuffle::down}, {"bfly", shuffle::butterfly}, {"idx", shuffle::index}};
    const auto found = modes.find(i.parts[2]);
    if (found == modes.end()) throw error("unknown mode of a shuffle");
    i.detail = static_cast<u32_t>(found->second);
    set_members(i);
}
inline void set_redux(instruction& i) {
    const auto found = lane_functions().find(i.parts[2] + "." + i.parts[3]);
    if (found == lane_functions().end()) throw error("unknown reduction");
    i.lane = found->second;
    set_members(i);
}
/// bar is barrier.cta with .aligned.
inline void set_barrier(instruction& i) {
    if (!i.has("sync") && !i.has("arrive") && !i.has("red")) throw error("unknown operation of a barrier");
    if (i.parts[0] == "bar" || i.has("aligned")) set_aligned(i);
}
inline void set_mbarrier(instruction& i) {
    for (const std::string& p : i.parts)
        if (p.starts_with("shared")) i.where = space::shared;
    if (i.has("cluster") || i.has("shared::cluster") || i.has("noComplete")) throw error("this form of mbarrier is not supported");
}
inline void set_mma(instruction& i) {
    set_aligned(i);
    if (i.parts.size() < 10 || !i.parts[3].starts_with("m16n8k") || i.parts[4] != "row" || i.parts[5] != "col")
        throw error("unknown shape of mma");
    const mma_shape s = shape_of_mma(i);
    const bool integers = i.parts[6] == "s32" && (i.parts[7] == "s8" || i.parts[7] == "u8");
    const bool floats = i.parts[6] == "f32" && float_values(i.parts[7]) != nullptr && float_values(i.parts[8]) != nullptr;
    if ((!integers && !floats) || (s.k != 4 * s.per && s.k != 8 * s.per)) throw error("unknown types of mma");
    i.detail = s.k;
    i.bytes = static_cast<u8_t>(s.bits / 8);
    const usz halves = s.k / (4 * s.per);
    if (i.elements(0) != 4 || i.elements(1) != 2 * halves || i.elements(2) != halves || i.elements(3) != 4)
        throw error("wrong numbers of registers");
}
inline void set_ldmatrix(instruction& i) {
    set_aligned(i);
    i.where = space::shared;
    if (i.parts[3] != "m8n8" || i.parts.back() != "b16") throw error("unknown shape of ldmatrix");
    if (i.parts[4] != "x" + std::to_string(i.elements(0))) throw error("wrong number of registers");
}
inline void set_cvta(instruction& i) {
    const bool shared = i.has("shared");
    i.lane = !shared ? &same_word : i.has("to") ? &cvta_to_shared : &cvta_from_shared;
}
inline void set_branch(instruction& i) {
    i.goes = flow::branch;
    if (i.at(0).kind != operand::label) throw error("the target of a branch is no label");
}
inline void set_bulk(instruction& i) { i.where = space::shared; }
inline void run_sleep(warp&, const instruction&, u32_t) {}
inline void run_policy(warp& w, const instruction& i, u32_t lanes) { store(w, i.at(0), lanes, lane_words{}); }
inline void run_active(warp& w, const instruction& i, u32_t lanes) {
    lane_words made;
    made.fill(lanes);
    store(w, i.at(0), lanes, made);
}

struct opcode_row {
    handler run;
    void (*set)(instruction&) = nullptr;
    usz least_arguments = 0;
};

/// One line an instruction; `set` reads the parts that modify it.
inline const std::map<std::string, opcode_row>& opcode_rows() {
    static const std::map<std::string, opcode_row> rows = {
        {"mov", {&run_mov, &set_mov, 2}},
        {"cvta", {&run_lanes, &set_cvta, 2}},
        {"ld.param", {&run_load_parameter, &set_memory, 2}},
        {"ld", {&run_load, &set_memory, 2}},
        {"st", {&run_store, &set_memory, 2}},
        {"atom", {&run_atomic, &set_atomic, 3}},
        {"red", {&run_atomic, &set_atomic, 2}},
        {"fence", {&run_fence}},
        {"fence.proxy", {&run_proxy_fence}},
        {"fence.mbarrier_init", {&run_proxy_fence}},
        {"membar", {&run_fence}},
        {"nanosleep", {&run_sleep, nullptr, 1}},
        {"setmaxnreg", {&run_nothing, &set_aligned, 1}},
        {"griddepcontrol", {&run_nothing}},
        {"prefetch", {&run_nothing, nullptr, 1}},
        {"createpolicy", {&run_policy, nullptr, 1}},
        {"activemask", {&run_active, nullptr, 1}},
        {"shfl.sync", {&run_shuffle, &set_shuffle, 5}},
        {"vote.sync", {&run_vote, &set_members, 3}},
        {"match.any.sync", {&run_match, &set_members, 3}},
        {"redux.sync", {&run_redux, &set_redux, 3}},
        {"bar.warp.sync", {&run_warp_barrier, [](instruction& i) { i.needs = gather::warp_barrier; }, 1}},
        {"bar", {&run_barrier, &set_barrier, 1}},
        {"barrier", {&run_barrier, &set_barrier, 1}},
        {"mbarrier.init", {&run_mbarrier_init, &set_mbarrier, 2}},
        {"mbarrier.inval", {&run_mbarrier_inval, &set_mbarrier, 1}},
        {"mbarrier.arrive", {&run_mbarrier_arrive, &set_mbarrier, 1}},
        {"mbarrier.expect_tx", {&run_mbarrier_arrive, &set_mbarrier, 2}},
        {"mbarrier.complete_tx", {&run_mbarrier_arrive, &set_mbarrier, 2}},
        {"mbarrier.test_wait", {&run_mbarrier_test, &set_mbarrier, 3}},
        {"mbarrier.try_wait", {&run_mbarrier_test, &set_mbarrier, 3}},
        {"cp.async.ca", {&run_copy, nullptr, 3}},
        {"cp.async.cg", {&run_copy, nullptr, 3}},
        {"cp.async.commit_group", {&run_copy_commit}},
        {"cp.async.wait_group", {&run_copy_wait, nullptr, 1}},
        {"cp.async.wait_all", {&run_copy_wait}},
        {"cp.async.mbarrier.arrive", {&run_copy_arrive, nullptr, 1}},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", {&run_bulk_copy, &set_bulk, 4}},
        {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", {&run_bulk_copy, &set_bulk, 4}},
        {"cp.async.bulk.prefetch.L2.global", {&run_bulk_prefetch, nullptr, 2}},
        {"mma.sync.aligned", {&run_mma, &set_mma, 4}},
        {"ldmatrix.sync.aligned", {&run_ldmatrix, &set_ldmatrix, 2}},
        {"bra", {&run_nothing, &set_branch, 1}},
        {"ret", {&run_nothing, [](instruction& i) { i.goes = flow::leave; }}},
        {"exit", {&run_nothing, [](instruction& i) { i.goes = flow::leave; }}},
        {"trap", {&run_nothing, [](instruction& i) { i.goes = flow::trap; }}},
    };
    return rows;
}

/// Sets what depends on the opcode. @pre operands are there
inline void decode(instruction& i) {
    i.parts = split(i.opcode, '.');
    for (std::string key = i.opcode;;) {
        if (const auto found = opcode_rows().find(key); found != opcode_rows().end()) {
            if (i.arguments() < found->second.least_arguments) throw error("too few operands");
            i.run = found->second.run;
            if (found->second.set != nullptr) found->second.set(i);
            return;
        }
        const usz dot = key.rfind('.');
        if (dot == std::string::npos) break;
        key.resize(dot);
    }
    std::string key;
    for (const std::string& p : i.parts)
        if (p != "rn") key += (key.empty() ? "" : ".") + p;
    const auto found = lane_functions().find(key);
    if (found == lane_functions().end()) throw error("unknown opcode " + i.opcode);
    if (i.arguments() < 2 || i.arguments() > 4) throw error("wrong number of operands");
    i.run = &run_lanes;
    i.lane = found->second;
}

}  // namespace netra::test::simt
