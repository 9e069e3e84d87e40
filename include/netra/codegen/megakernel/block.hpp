// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What every role of a persistent kernel uses: loops, barriers in shared memory, words between blocks, giving up.
#pragma once

#include <netra/codegen/megakernel/layout.hpp>
#include <netra/codegen/ptx/module.hpp>
#include <netra/codegen/stall_record.hpp>

namespace netra::inline v0 {

/// Roles and tasks as a stall record numbers them.
enum class block_role : u8_t { consumer, producer, attention };
inline constexpr name block_roles[] = {"consumer", "producer", "attention"};
enum class block_task : u8_t { qkv, o, gate_up, down, head, embedding, attention, combine, choose, draw };
inline constexpr name block_tasks[] = {"qkv", "o", "gate_up", "down", "head", "embedding", "attention", "combine", "choose", "draw"};

/// One thread's view of its block while code is emitted. Registers are set once; `role` and `task` say who waits.
template <class Sink>
struct block_code {
    ptx::assembler<Sink>& as;
    const stream_plan& plan;
    shared_layout shared_at;
    word_layout words_at;
    parameter_layout parameters_at;
    bool bulk = true;
    ptx::reg shared{}, block{}, thread{}, warp{}, lane{};
    ptx::reg words{};            ///< b64: the exchanges
    ptx::reg steps{};            ///< of the launch
    ptx::reg epoch{}, step{}, layer{};  ///< where the role is
    ptx::reg leader{};           ///< predicate: the role's first thread
    block_role role = block_role::consumer;
    block_task task = block_task::qkv;
};

namespace ptx {

template <class Sink>
constexpr reg number(assembler<Sink>& as, u32_t value) {
    const reg r = as.b32();
    as(op::mov_u32, r, value);
    return r;
}
template <class Sink>
constexpr reg pointer(assembler<Sink>& as, const char* name) {
    const reg r = as.b64();
    as(op::ld_param_u64, r, named_address{name});
    return r;
}
/// from + index * scale, in bytes.
template <class Sink>
constexpr reg element(assembler<Sink>& as, reg from, reg index, u32_t scale) {
    const reg r = as.b64();
    as(op::mad_wide_u32, r, index, scale, from);
    return r;
}
template <class Sink, class Limit>
constexpr reg below(assembler<Sink>& as, reg value, const Limit& limit) {
    const reg p = as.predicate();
    as(op::setp_lt_u32, p, value, limit);
    return p;
}
template <class Sink, class To>
constexpr reg equals(assembler<Sink>& as, reg value, const To& to) {
    const reg p = as.predicate();
    as(op::setp_eq_u32, p, value, to);
    return p;
}
template <class Sink>
constexpr reg both(assembler<Sink>& as, reg a, reg b) {
    const reg p = as.predicate();
    as(op::and_pred, p, a, b);
    return p;
}
/// The same where both are made on the spot: in braces they come in this order on every compiler.
template <class Sink>
constexpr reg both(assembler<Sink>& as, const reg (&of)[2]) {
    return both(as, of[0], of[1]);
}

/// Code for where `p` is true.
template <class Sink, class Body>
constexpr void where(assembler<Sink>& as, reg p, Body&& body) {
    const code_label past = as.new_label();
    as.unless(p, op::bra, past);
    body();
    as.place(past);
}
/// `body()` again and again while below(index, limit); it counts `index` up by `by` itself afterwards.
template <class Sink, class Limit, class By, class Body>
constexpr void count_up(assembler<Sink>& as, reg index, const Limit& limit, const By& by, Body&& body) {
    const code_label again = as.new_label();
    const code_label past = as.new_label();
    as.place(again);
    as.unless(below(as, index, limit), op::bra, past);
    body();
    as(op::add_u32, index, index, by);
    as(op::bra, again);
    as.place(past);
}

/// A place in a ring of `count`, and the parity of its round.
struct ring_place {
    reg index{};
    reg parity{};
};
template <class Sink>
constexpr ring_place ring_start(assembler<Sink>& as, u32_t parity) { return {number(as, 0), number(as, parity)}; }
template <class Sink>
constexpr void advance(assembler<Sink>& as, const ring_place& r, u32_t count) {
    as(op::add_u32, r.index, r.index, 1U);
    const reg last = equals(as, r.index, count);
    as.when(last, op::mov_u32, r.index, 0U);
    as.when(last, op::xor_b32, r.parity, r.parity, 1U);
}
/// The barrier at `first` + 8 x place, counted in shared memory.
template <class Sink>
constexpr reg barrier_of(assembler<Sink>& as, reg shared, u32_t first, reg place) {
    const reg r = as.b32();
    as(op::mad_lo_u32, r, place, 8U, shared);
    as(op::add_u32, r, r, first);
    return r;
}
/// Waits until the barrier's round of that parity is complete. What it waits for happens in this block and cannot fail to.
template <class Sink>
constexpr void wait_for(assembler<Sink>& as, bool try_form, reg barrier, reg parity) {
    const code_label again = as.new_label();
    const reg done = as.predicate();
    as.place(again);
    as(try_form ? op::mbarrier_try : op::mbarrier_test, done, at(barrier), parity);
    as.unless(done, op::bra, again);
}
template <class Sink>
constexpr void arrive(assembler<Sink>& as, reg barrier) {
    const reg state = as.b64();
    as(op::mbarrier_arrive, state, at(barrier));
}
/// The warp's lanes come together, then lane 0 arrives.
template <class Sink>
constexpr void arrive_as_warp(block_code<Sink>& k, reg barrier) {
    k.as(op::bar_warp, -1);
    if (k.plan.config.race_check) return arrive(k.as, barrier);
    where(k.as, equals(k.as, k.lane, 0U), [&] { arrive(k.as, barrier); });
}

template <class Sink>
constexpr void publish(assembler<Sink>& as, const address& to, reg value, reg epoch) {
    const reg low = as.b32();
    const reg word = as.b64();
    as(op::mov_b32, low, value);
    as(op::mov_b64, word, fragment<2>{{low, epoch}});
    as(op::st_relaxed_b64, to, word);
}

/// The larger of two logits with their ids, the lower id among equals.
template <class Sink>
constexpr void take_larger(assembler<Sink>& as, reg value, reg id, reg other, reg other_id) {
    const reg larger = as.predicate();
    const reg equal = as.predicate();
    as(op::setp_gt_f32, larger, other, value);
    as(op::setp_eq_f32, equal, other, value);
    as(op::and_pred, equal, equal, below(as, other_id, id));
    as(op::or_pred, larger, larger, equal);
    as.when(larger, op::mov_f32, value, other);
    as.when(larger, op::mov_u32, id, other_id);
}
/// The same with what the lane `apart` away has.
template <class Sink>
constexpr void larger_of_lanes(assembler<Sink>& as, reg value, reg id, u32_t apart) {
    const reg other = as.f32();
    const reg other_id = as.b32();
    as(op::shfl_bfly, other, value, apart, 31U, -1);
    as(op::shfl_bfly, other_id, id, apart, 31U, -1);
    take_larger(as, value, id, other, other_id);
}

}  // namespace ptx

namespace persistent {

/// The square root of a positive number, rounded from fp64.
constexpr float square_root(float v) {
    double root = v > 1.0F ? static_cast<double>(v) : 1.0;
    for (int i = 0; i < 64; ++i) root = 0.5 * (root + static_cast<double>(v) / root);
    return static_cast<float>(root);
}

/// A member of this step's order.
template <class Sink>
constexpr ptx::reg order_of(block_code<Sink>& k, ptx::reg step, u32_t offset) {
    using namespace ptx;
    const reg value = k.as.b32();
    k.as(op::ld_global_nc_b32, value, at(element(k.as, pointer(k.as, "orders"), step, sizeof(step_order)), offset));
    return value;
}

/// Ends up at `give_up` when the launch has stalled; otherwise returns to `again`. `seen` and `wanted` are what the record says.
template <class Sink>
constexpr void wait_or_give_up(block_code<Sink>& k, ptx::reg started, ptx::reg from, ptx::reg seen, ptx::reg wanted, ptx::code_label again, ptx::code_label give_up) {
    using namespace ptx;
    auto& as = k.as;
    const reg flag = as.b32();
    as(op::ld_volatile_shared_b32, flag, at(k.shared, k.shared_at.flags));
    const reg known = as.predicate();
    as(op::setp_ne_u32, known, flag, 0U);
    as.when(known, op::bra, give_up);
    const reg record = pointer(as, "stall");
    as(op::ld_relaxed_b32, flag, at(record, stall_layout::state));
    as(op::setp_ne_u32, known, flag, 0U);
    const code_label tell = as.new_label();
    as.when(known, op::bra, tell);
    const reg now = as.b64();
    const reg first = as.predicate();
    as(op::mov_u64, now, clock_ns);
    as(op::setp_eq_u64, first, started, 0U);
    as.when(first, op::mov_u64, started, now);
    as(op::sub_u64, now, now, started);
    const reg patience = as.b32();
    const reg limit = as.b64();
    as(op::ld_param_u32, patience, named_address{"patience_ms"});
    as(op::mul_wide_u32, limit, patience, 1000000U);
    const reg patient = as.predicate();
    as(op::setp_lt_u64, patient, now, limit);
    as.when(patient, op::bra, again);
    as(op::atom_cas_b32, flag, at(record, stall_layout::state), 0U, stall_being_written);
    as(op::setp_ne_u32, known, flag, 0U);
    as.when(known, op::bra, tell);
    const reg word = as.b64();
    const reg index = as.b32();
    as(op::sub_u64, word, from, k.words);
    as(op::shr_u64, word, word, 3U);
    as(op::cvt_u32_u64, index, word);
    as(op::st_global_b32, at(record, stall_layout::role), number(as, static_cast<u32_t>(k.role)));
    as(op::st_global_b32, at(record, stall_layout::group), number(as, static_cast<u32_t>(k.task)));
    const bool of_layer = k.task < block_task::head || k.task == block_task::attention || k.task == block_task::combine;
    const reg step = as.b64();
    as(op::cvt_u64_u32, step, k.step);
    as(op::st_global_b32, at(record, stall_layout::layer), of_layer ? k.layer : number(as, stall_without_layer));
    as(op::st_global_b64, at(record, stall_layout::step), step);
    as(op::st_global_b32, at(record, stall_layout::block), k.block);
    as(op::st_global_b32, at(record, stall_layout::word), index);
    as(op::st_global_b32, at(record, stall_layout::seen), seen);
    as(op::st_global_b32, at(record, stall_layout::wanted), wanted);
    as(op::st_release_u32, at(record, stall_layout::state), number(as, stall_found));
    as.place(tell);
    as(op::st_volatile_shared_b32, at(k.shared, k.shared_at.flags), number(as, 1));
    as(op::bra, give_up);
}

}  // namespace persistent

namespace ptx {

/// Repeats `look()` until it is true. `look` returns a predicate and sets `seen`; words it reads begin about `from`. After the launch's
/// patience it gives up: the launch then runs to its end without waiting, with results that mean nothing.
template <class Sink, class Look>
constexpr void poll(block_code<Sink>& k, reg from, reg wanted, Look&& look) {
    auto& as = k.as;
    const reg spins = number(as, 0);
    const reg started = as.b64();
    const reg seen = as.b32();
    as(op::mov_u64, started, 0U);
    const code_label again = as.new_label();
    const code_label done = as.new_label();
    as.place(again);
    as.when(look(seen), op::bra, done);
    as(op::add_u32, spins, spins, 1U);
    const reg often = as.b32();
    as(op::and_b32, often, spins, 127U);
    const reg quick = as.predicate();
    as(op::setp_ne_u32, quick, often, 16U);
    as.when(quick, op::bra, again);
    persistent::wait_or_give_up(k, started, from, seen, wanted, again, done);
    as.place(done);
}

/// The payload of a word that was read goes to `value` (f32 or b32); `seen` becomes its epoch where that is another than `wanted`, in lanes
/// that have the word (`exists`, a predicate; all without it).
template <class Sink>
constexpr void open_word(assembler<Sink>& as, reg raw, reg value, reg wanted, reg seen, const reg* exists = nullptr) {
    const bool moves = value.kind == register_class::f32;
    const reg low = moves ? as.b32() : value;
    const reg got = as.b32();
    const reg late = as.predicate();
    as(op::mov_b64, fragment<2>{{low, got}}, raw);
    if (moves) as(op::mov_b32, value, low);
    as(op::setp_ne_u32, late, got, wanted);
    if (exists != nullptr) as(op::and_pred, late, late, *exists);
    as.when(late, op::mov_u32, seen, got);
}
/// As poll, until all words of all lanes of the warp have come: `ask()` loads them, `open(seen)` opens each.
template <class Sink, class Ask, class Open>
constexpr void poll_words(block_code<Sink>& k, reg from, reg wanted, Ask&& ask, Open&& open) {
    auto& as = k.as;
    poll(k, from, wanted, [&](reg seen) {
        ask();
        as(op::mov_u32, seen, wanted);
        open(seen);
        const reg come = equals(as, seen, wanted);
        const reg all = as.predicate();
        as(op::vote_all, all, come, -1);
        return all;
    });
}

/// Polls one word until it carries `wanted`; returns its payload.
template <class Sink>
constexpr reg poll_word(block_code<Sink>& k, reg from, u64_t offset, reg wanted) {
    auto& as = k.as;
    const reg value = as.f32();
    poll(k, from, wanted, [&](reg seen) {
        const reg raw = as.b64();
        const reg low = as.b32();
        as(op::ld_relaxed_b64, raw, at(from, offset));
        as(op::mov_b64, fragment<2>{{low, seen}}, raw);
        as(op::mov_b32, value, low);
        return equals(as, seen, wanted);
    });
    return value;
}

}  // namespace ptx

}  // namespace netra::inline v0
