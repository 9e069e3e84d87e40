// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Every reason for which netra refuses a contract or a schedule, with its sentence. docs/errors.md has one anchor per name.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0 {

enum class reason : u8_t {
    accepted,
    // contracts
    zero_size,
    too_large,
    not_a_multiple,
    shape_mismatch,
    unsupported_dtype,
    unsupported_quantization,
    bad_parameter,
    heads_not_divisible,
    too_many_rows,
    unsupported_target,
    unsupported_order,
    no_kernel,
    // structure of a schedule
    no_tiles,
    too_many_workers,
    too_much_shared_memory,
    unknown_buffer,
    unknown_counter,
    shared_counter,
    wrong_operands,
    wrong_direction,
    wrong_row_size,
    wrong_row_count,
    wrong_tile,
    // waits
    unsatisfiable_wait,
    cyclic_wait,
    queue_deadlock,
    listed_before_producer,
    awaits_later_group,
    // memory
    out_of_bounds,
    writes_read_only,
    tiles_overlap,
    data_race,
    memory_reused_too_early,
    uncovered_read,
    incomplete_output,
    arena_too_small,
    unpolled_read,
    unpolled_overwrite,
    // of single tasks
    unknown_queue,
    deadlock,
    shared_memory_race,
    aliased_operands,
    overwritten_read,
    overwritten_output,
};
inline constexpr usz reason_count = static_cast<usz>(reason::overwritten_output) + 1;

/// What a number in a verdict counts.
enum class label : u8_t {
    value, limit, expected, actual, multiple, rows, heads, kv_heads, bits,
    task_group, other_group, tile, other_tile, tiles, queue, workers,
    counter, counters, threshold, signals, buffer, first_byte, end_byte, bytes, operand,
    tasks, row, other_buffer,
};
inline constexpr usz label_count = static_cast<usz>(label::other_buffer) + 1;

namespace detail {
struct reason_text {
    reason why;
    const char* name;
    const char* sentence;
};
inline constexpr reason_text reason_texts[] = {
    {reason::accepted, "accepted", "accepted"},
    {reason::zero_size, "zero_size", "{subject}: {object} is 0; every size of a contract must be at least 1"},
    {reason::too_large, "too_large", "{subject}: {object} is {value}, the most that is supported is {limit}"},
    {reason::not_a_multiple, "not_a_multiple", "{subject}: {object} is {value}, which is not a multiple of {multiple}"},
    {reason::shape_mismatch, "shape_mismatch", "{subject}: {object} is {actual}, but it must be {expected} to fit the rest of the contract"},
    {reason::unsupported_dtype, "unsupported_dtype", "{subject}: {object} has an element type ({bits} bits) that this operation does not support"},
    {reason::unsupported_quantization, "unsupported_quantization",
     "{subject}: {object} has a quantization (groups of {value}) that no format of netra describes"},
    {reason::bad_parameter, "bad_parameter", "{subject}: {object} is outside its range or not a number"},
    {reason::heads_not_divisible, "heads_not_divisible", "{subject}: {heads} query heads cannot share {kv_heads} key-value heads evenly"},
    {reason::too_many_rows, "too_many_rows", "{subject}: {rows} rows a step, the most that is supported is {limit}"},
    {reason::unsupported_target, "unsupported_target",
     "the kernel needs compute capability {expected} (10 times the version), target {subject} has {actual} or is not the form with a"},
    {reason::unsupported_order, "unsupported_order", "{subject}: no {object} kernel sums in the order that the contract names; set math.order to lanes256"},
    {reason::no_kernel, "no_kernel", "{subject}: netra has no PTX kernel for {object}"},
    {reason::no_tiles, "no_tiles", "task group {subject} has no tiles, so it would never run"},
    {reason::too_many_workers, "too_many_workers", "the schedule has {workers} workers, the device runs at most {limit}"},
    {reason::too_much_shared_memory, "too_much_shared_memory",
     "task group {subject} needs {bytes} bytes of shared memory, a worker of {object} has {limit}"},
    {reason::unknown_buffer, "unknown_buffer", "task group {subject} uses buffer {buffer}, but there are only {limit}"},
    {reason::unknown_counter, "unknown_counter", "task group {subject} uses counter {counter}, but there are only {limit}"},
    {reason::shared_counter, "shared_counter",
     "counter {counter} is signalled by {object} and again by {subject}, a group waits for it in between, and nothing orders {subject} after all of {object}"},
    {reason::wrong_operands, "wrong_operands", "task group {subject} lists {actual} operands, its operation has {expected}"},
    {reason::wrong_direction, "wrong_direction", "task group {subject}: operand {operand} ({object}) is read where the operation writes, or written where it reads"},
    {reason::wrong_row_size, "wrong_row_size",
     "task group {subject}: its tiles touch {actual} bytes of a row of {object} (operand {operand}), the operation needs {expected}"},
    {reason::wrong_row_count, "wrong_row_count", "task group {subject}: {object} (operand {operand}) has {actual} rows, the operation needs {expected}"},
    {reason::wrong_tile, "wrong_tile",
     "task group {subject} tile {tile}: operand {operand} ({object}) is not declared where the operation's tile reads or writes it"},
    {reason::unsatisfiable_wait, "unsatisfiable_wait",
     "task group {subject} tile {tile} waits for counter {counter} >= {threshold}, but only {signals} signals ever reach it (from {object})"},
    {reason::cyclic_wait, "cyclic_wait", "task group {subject} waits for counter {counter} of {object}, which in turn waits for {subject}: a cycle"},
    {reason::queue_deadlock, "queue_deadlock",
     "queue {queue} runs {subject} tile {tile} before {object} tile {other_tile}, but {subject} waits for {object} (counter {counter})"},
    {reason::listed_before_producer, "listed_before_producer",
     "task group {subject} waits for counter {counter} of {object}, which is listed after it; list producers first"},
    {reason::awaits_later_group, "awaits_later_group",
     "task group {subject} (index {other_group}) waits by word for group {task_group}, which is not listed before it"},
    {reason::out_of_bounds, "out_of_bounds",
     "task group {subject} tile {tile} touches bytes up to {end_byte} of a row of {object}, which has {bytes} bytes"},
    {reason::writes_read_only, "writes_read_only", "task group {subject} writes {object}, which is an input or a weight"},
    {reason::tiles_overlap, "tiles_overlap", "two tiles of {subject} touch the same bytes of {object}, one of them writing (tile {tile}, from byte {first_byte})"},
    {reason::data_race, "data_race",
     "data race: {subject} tile {tile} and {object} tile {other_tile} touch bytes {first_byte} to {end_byte} of buffer {buffer}, one of them writing, and nothing orders them"},
    {reason::memory_reused_too_early, "memory_reused_too_early",
     "buffers {subject} and {object} share memory from byte {first_byte}, but nothing orders every use of one before the other"},
    {reason::uncovered_read, "uncovered_read",
     "task group {subject} tile {tile} reads byte {first_byte} of a row of {object}, which nothing ordered before it has written"},
    {reason::incomplete_output, "incomplete_output", "output {subject}: byte {first_byte} of a row is never written"},
    {reason::arena_too_small, "arena_too_small", "buffer {subject} ends at byte {end_byte} of the arena, which has {bytes} bytes"},
    {reason::unpolled_read, "unpolled_read",
     "task group {subject} reads bytes of buffer {buffer} that {object} wrote; it waits by word, so it must poll them or have written them on the same queue"},
    {reason::unpolled_overwrite, "unpolled_overwrite",
     "task group {subject} overwrites words of buffer {buffer} from byte {first_byte} that {object} wrote and nobody polled, so that the older ones could come last"},
    {reason::unknown_queue, "unknown_queue", "task {subject} tile {tile} is on queue {queue}, but there are only {limit}"},
    {reason::deadlock, "deadlock",
     "deadlock: {subject} tile {tile} waits for counter {counter} of {object} tile {other_tile}, and through queues and waits that waits for {subject}: a cycle of {tasks} tasks"},
    {reason::shared_memory_race, "shared_memory_race",
     "data race: {subject} tile {tile} and {object} tile {other_tile} touch bytes {first_byte} to {end_byte} of one memory through buffers {buffer} and {other_buffer}, one of them writing, and nothing orders them"},
    {reason::aliased_operands, "aliased_operands",
     "{subject} tile {tile} touches bytes {first_byte} to {end_byte} of one memory through buffers {buffer} and {other_buffer}, one of them writing"},
    {reason::overwritten_read, "overwritten_read",
     "{subject} tile {tile} reads bytes {first_byte} to {end_byte} of a row of {object}, which were last written through buffer {other_buffer}"},
    {reason::overwritten_output, "overwritten_output",
     "output {subject}: bytes {first_byte} to {end_byte} of a row end up with what was written through buffer {other_buffer}"},
};
inline constexpr const char* label_names[] = {
    "value", "limit", "expected", "actual", "multiple", "rows", "heads", "kv_heads", "bits",
    "task_group", "other_group", "tile", "other_tile", "tiles", "queue", "workers",
    "counter", "counters", "threshold", "signals", "buffer", "first_byte", "end_byte", "bytes", "operand",
    "tasks", "row", "other_buffer",
};
static_assert(sizeof label_names / sizeof label_names[0] == label_count);
static_assert(sizeof reason_texts / sizeof reason_texts[0] == reason_count);
}  // namespace detail

constexpr const char* name_of(reason r) { return detail::reason_texts[static_cast<usz>(r)].name; }
constexpr const char* sentence_of(reason r) { return detail::reason_texts[static_cast<usz>(r)].sentence; }
constexpr const char* name_of(label l) { return detail::label_names[static_cast<usz>(l)]; }

namespace detail {
consteval bool reasons_in_order() {
    for (usz i = 0; i < reason_count; ++i)
        if (static_cast<usz>(reason_texts[i].why) != i) return false;
    return true;
}
static_assert(reasons_in_order());
}  // namespace detail

}  // namespace netra::inline v0
