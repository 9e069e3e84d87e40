// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Turns a verdict into a compile error that spells reason, numbers and sentence in its first lines, on every supported compiler.
#pragma once

#include <netra/contracts/verdict.hpp>
#include <netra/detail/indices.hpp>

namespace netra::inline v0 {

/// One number of a refusal, as in `fact<label::counter, 44>`.
template <label What, u64_t Value>
struct fact;
/// A name of a refusal, letter by letter, for compilers that do not print texts.
template <char... Letters>
struct spelled;

namespace detail {
// note: a name of its own, since clang prints a comparison with the reason's number
template <reason A, reason B>
inline constexpr bool same = A == B;
}  // namespace detail

/// The type whose arguments a compiler prints when it refuses: they give the numbers, and names where they are not in a sentence.
template <reason Why, class... Numbers>
struct REJECTED {
    // made by tests/lint/errors.py --write
    static_assert(!detail::same<Why, reason::zero_size>,
                  "netra refuses this (zero_size, see docs/errors.md): {subject}: {object} is 0; every size of a contract must be"
                  " at least 1");
    static_assert(!detail::same<Why, reason::too_large>,
                  "netra refuses this (too_large, see docs/errors.md): {subject}: {object} is {value}, the most that is supported"
                  " is {limit}");
    static_assert(!detail::same<Why, reason::not_a_multiple>,
                  "netra refuses this (not_a_multiple, see docs/errors.md): {subject}: {object} is {value}, which is not a "
                  "multiple of {multiple}");
    static_assert(!detail::same<Why, reason::shape_mismatch>,
                  "netra refuses this (shape_mismatch, see docs/errors.md): {subject}: {object} is {actual}, but it must be "
                  "{expected} to fit the rest of the contract");
    static_assert(!detail::same<Why, reason::unsupported_dtype>,
                  "netra refuses this (unsupported_dtype, see docs/errors.md): {subject}: {object} has an element type ({bits} "
                  "bits) that this operation does not support");
    static_assert(!detail::same<Why, reason::unsupported_quantization>,
                  "netra refuses this (unsupported_quantization, see docs/errors.md): {subject}: {object} has a quantization "
                  "(groups of {value}) that no format of netra describes");
    static_assert(!detail::same<Why, reason::bad_parameter>,
                  "netra refuses this (bad_parameter, see docs/errors.md): {subject}: {object} is outside its range or not a "
                  "number");
    static_assert(!detail::same<Why, reason::heads_not_divisible>,
                  "netra refuses this (heads_not_divisible, see docs/errors.md): {subject}: {heads} query heads cannot share "
                  "{kv_heads} key-value heads evenly");
    static_assert(!detail::same<Why, reason::too_many_rows>,
                  "netra refuses this (too_many_rows, see docs/errors.md): {subject}: {rows} rows a step, the most that is "
                  "supported is {limit}");
    static_assert(!detail::same<Why, reason::unsupported_target>,
                  "netra refuses this (unsupported_target, see docs/errors.md): the kernel needs compute capability {expected} "
                  "(10 times the version), target {subject} has {actual} or is not the form with a");
    static_assert(!detail::same<Why, reason::unsupported_order>,
                  "netra refuses this (unsupported_order, see docs/errors.md): {subject}: no {object} kernel sums in the order "
                  "that the contract names; set math.order to lanes256");
    static_assert(!detail::same<Why, reason::no_kernel>,
                  "netra refuses this (no_kernel, see docs/errors.md): {subject}: netra has no PTX kernel for {object}");
    static_assert(!detail::same<Why, reason::no_tiles>,
                  "netra refuses this (no_tiles, see docs/errors.md): task group {subject} has no tiles, so it would never run");
    static_assert(!detail::same<Why, reason::too_many_workers>,
                  "netra refuses this (too_many_workers, see docs/errors.md): the schedule has {workers} workers, the device runs"
                  " at most {limit}");
    static_assert(!detail::same<Why, reason::too_much_shared_memory>,
                  "netra refuses this (too_much_shared_memory, see docs/errors.md): task group {subject} needs {bytes} bytes of "
                  "shared memory, a worker of {object} has {limit}");
    static_assert(!detail::same<Why, reason::unknown_buffer>,
                  "netra refuses this (unknown_buffer, see docs/errors.md): task group {subject} uses buffer {buffer}, but there "
                  "are only {limit}");
    static_assert(!detail::same<Why, reason::unknown_counter>,
                  "netra refuses this (unknown_counter, see docs/errors.md): task group {subject} uses counter {counter}, but "
                  "there are only {limit}");
    static_assert(!detail::same<Why, reason::shared_counter>,
                  "netra refuses this (shared_counter, see docs/errors.md): counter {counter} is signalled by {object} and again "
                  "by {subject}, a group waits for it in between, and nothing orders {subject} after all of {object}");
    static_assert(!detail::same<Why, reason::wrong_operands>,
                  "netra refuses this (wrong_operands, see docs/errors.md): task group {subject} lists {actual} operands, its "
                  "operation has {expected}");
    static_assert(!detail::same<Why, reason::wrong_direction>,
                  "netra refuses this (wrong_direction, see docs/errors.md): task group {subject}: operand {operand} ({object}) "
                  "is read where the operation writes, or written where it reads");
    static_assert(!detail::same<Why, reason::wrong_row_size>,
                  "netra refuses this (wrong_row_size, see docs/errors.md): task group {subject}: its tiles touch {actual} bytes "
                  "of a row of {object} (operand {operand}), the operation needs {expected}");
    static_assert(!detail::same<Why, reason::wrong_row_count>,
                  "netra refuses this (wrong_row_count, see docs/errors.md): task group {subject}: {object} (operand {operand}) "
                  "has {actual} rows, the operation needs {expected}");
    static_assert(!detail::same<Why, reason::wrong_tile>,
                  "netra refuses this (wrong_tile, see docs/errors.md): task group {subject} tile {tile}: operand {operand} "
                  "({object}) is not declared where the operation's tile reads or writes it");
    static_assert(!detail::same<Why, reason::unsatisfiable_wait>,
                  "netra refuses this (unsatisfiable_wait, see docs/errors.md): task group {subject} tile {tile} waits for "
                  "counter {counter} >= {threshold}, but only {signals} signals ever reach it (from {object})");
    static_assert(!detail::same<Why, reason::cyclic_wait>,
                  "netra refuses this (cyclic_wait, see docs/errors.md): task group {subject} waits for counter {counter} of "
                  "{object}, which in turn waits for {subject}: a cycle");
    static_assert(!detail::same<Why, reason::queue_deadlock>,
                  "netra refuses this (queue_deadlock, see docs/errors.md): queue {queue} runs {subject} tile {tile} before "
                  "{object} tile {other_tile}, but {subject} waits for {object} (counter {counter})");
    static_assert(!detail::same<Why, reason::listed_before_producer>,
                  "netra refuses this (listed_before_producer, see docs/errors.md): task group {subject} waits for counter "
                  "{counter} of {object}, which is listed after it; list producers first");
    static_assert(!detail::same<Why, reason::awaits_later_group>,
                  "netra refuses this (awaits_later_group, see docs/errors.md): task group {subject} (index {other_group}) waits "
                  "by word for group {task_group}, which is not listed before it");
    static_assert(!detail::same<Why, reason::out_of_bounds>,
                  "netra refuses this (out_of_bounds, see docs/errors.md): task group {subject} tile {tile} touches bytes up to "
                  "{end_byte} of a row of {object}, which has {bytes} bytes");
    static_assert(!detail::same<Why, reason::writes_read_only>,
                  "netra refuses this (writes_read_only, see docs/errors.md): task group {subject} writes {object}, which is an "
                  "input or a weight");
    static_assert(!detail::same<Why, reason::tiles_overlap>,
                  "netra refuses this (tiles_overlap, see docs/errors.md): two tiles of {subject} touch the same bytes of "
                  "{object}, one of them writing (tile {tile}, from byte {first_byte})");
    static_assert(!detail::same<Why, reason::data_race>,
                  "netra refuses this (data_race, see docs/errors.md): data race: {subject} tile {tile} and {object} tile "
                  "{other_tile} touch bytes {first_byte} to {end_byte} of buffer {buffer}, one of them writing, and nothing "
                  "orders them");
    static_assert(!detail::same<Why, reason::memory_reused_too_early>,
                  "netra refuses this (memory_reused_too_early, see docs/errors.md): buffers {subject} and {object} share memory "
                  "from byte {first_byte}, but nothing orders every use of one before the other");
    static_assert(!detail::same<Why, reason::uncovered_read>,
                  "netra refuses this (uncovered_read, see docs/errors.md): task group {subject} tile {tile} reads byte "
                  "{first_byte} of a row of {object}, which nothing ordered before it has written");
    static_assert(!detail::same<Why, reason::incomplete_output>,
                  "netra refuses this (incomplete_output, see docs/errors.md): output {subject}: byte {first_byte} of a row is "
                  "never written");
    static_assert(!detail::same<Why, reason::arena_too_small>,
                  "netra refuses this (arena_too_small, see docs/errors.md): buffer {subject} ends at byte {end_byte} of the "
                  "arena, which has {bytes} bytes");
    static_assert(!detail::same<Why, reason::unpolled_read>,
                  "netra refuses this (unpolled_read, see docs/errors.md): task group {subject} reads bytes of buffer {buffer} "
                  "that {object} wrote; it waits by word, so it must poll them or have written them on the same queue");
    static_assert(!detail::same<Why, reason::unpolled_overwrite>,
                  "netra refuses this (unpolled_overwrite, see docs/errors.md): task group {subject} overwrites words of buffer "
                  "{buffer} from byte {first_byte} that {object} wrote and nobody polled, so that the older ones could come last");
    static_assert(!detail::same<Why, reason::unknown_queue>,
                  "netra refuses this (unknown_queue, see docs/errors.md): task {subject} tile {tile} is on queue {queue}, but "
                  "there are only {limit}");
    static_assert(!detail::same<Why, reason::deadlock>,
                  "netra refuses this (deadlock, see docs/errors.md): deadlock: {subject} tile {tile} waits for counter {counter}"
                  " of {object} tile {other_tile}, and through queues and waits that waits for {subject}: a cycle of {tasks} "
                  "tasks");
    static_assert(!detail::same<Why, reason::shared_memory_race>,
                  "netra refuses this (shared_memory_race, see docs/errors.md): data race: {subject} tile {tile} and {object} "
                  "tile {other_tile} touch bytes {first_byte} to {end_byte} of one memory through buffers {buffer} and "
                  "{other_buffer}, one of them writing, and nothing orders them");
    static_assert(!detail::same<Why, reason::aliased_operands>,
                  "netra refuses this (aliased_operands, see docs/errors.md): {subject} tile {tile} touches bytes {first_byte} to"
                  " {end_byte} of one memory through buffers {buffer} and {other_buffer}, one of them writing");
    static_assert(!detail::same<Why, reason::overwritten_read>,
                  "netra refuses this (overwritten_read, see docs/errors.md): {subject} tile {tile} reads bytes {first_byte} to "
                  "{end_byte} of a row of {object}, which were last written through buffer {other_buffer}");
    static_assert(!detail::same<Why, reason::overwritten_output>,
                  "netra refuses this (overwritten_output, see docs/errors.md): output {subject}: bytes {first_byte} to "
                  "{end_byte} of a row end up with what was written through buffer {other_buffer}");
    // end of what it made
};
/// The sentence of a refusal, whole or in pieces that the compiler prints in full.
template <text... Sentence>
struct BECAUSE;

namespace detail {

template <const verdict& V, usz... I>
consteval auto spell_subject(indices<I...>) -> spelled<V.subject.d[I]...>*;
template <const verdict& V, usz... I>
consteval auto spell_object(indices<I...>) -> spelled<V.object.d[I]...>*;

constexpr usz length_of(const name& n) {
    usz i = 0;
    while (n.d[i] != 0) ++i;
    return i;
}

template <const verdict& V, usz At, usz Size>
consteval text<Size> piece_of_sentence() {
    const auto whole = sentence(V);
    text<Size> t;
    for (usz i = 0; i < Size; ++i) t.ch(whole.d[At + i]);
    return t;
}

template <const verdict& V>
inline constexpr usz sentence_length = sentence(V).n;

template <const verdict& V, usz... F, usz... P>
consteval bool reject(indices<F...>, indices<P...>) {
    using subject = decltype(spell_subject<V>(make_indices<length_of(V.subject)>{}));
    using object = decltype(spell_object<V>(make_indices<length_of(V.object)>{}));
    if constexpr (prints_texts) {
        constexpr usz n = sentence_length<V>;
        return sizeof(REJECTED<V.why, fact<V.facts[F].what, V.facts[F].value>...,
                               BECAUSE<piece_of_sentence<V, P * piece_length, (P * piece_length + piece_length < n ? piece_length : n - P * piece_length)>()...>>) == 0;
    } else {
        return sizeof(REJECTED<V.why, fact<V.facts[F].what, V.facts[F].value>..., subject, object>) == 0;
    }
}
}  // namespace detail

/// True when the verdict accepts; otherwise the program does not compile and the error spells the reason.
template <const verdict& V>
consteval bool require_accepted() {
    if constexpr (V.ok()) return true;
    else {
        constexpr usz pieces = (detail::sentence_length<V> + detail::piece_length - 1) / detail::piece_length;
        return detail::reject<V>(detail::make_indices<V.facts.size()>{}, detail::make_indices<pieces>{});
    }
}

/// The verdict of a contract, from its `check`.
template <auto Contract>
inline constexpr verdict verdict_of = check(Contract);

/// `static_assert(netra::accepted_contract<q_proj>)`: true, or a refusal with its reason.
template <auto Contract>
inline constexpr bool accepted_contract = require_accepted<verdict_of<Contract>>();

/// `static_assert(netra::accepted<decode>)`: true when the checker accepted a program type's schedule, or a refusal with its reason.
template <class Program>
inline constexpr bool accepted = require_accepted<Program::verdict>();

}  // namespace netra::inline v0
