// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// How attention is cut among blocks and warps, and the registers that say where one of them is.
#pragma once

#include <netra/codegen/ptx/cache.hpp>
#include <netra/contracts/ops/attention.hpp>

namespace netra::inline v0 {

/// A block serves `heads` query heads of one kv head and row, so that they share what is read; `workers` of `warps` warps each take a chunk.
struct attention_tactic {
    u32_t heads = 1;
    u32_t workers = 2;
    u32_t warps = 4;
    friend constexpr bool operator==(const attention_tactic&, const attention_tactic&) = default;
};

/// More partial sums would not fit the registers.
inline constexpr u32_t most_heads_together = 8;

namespace ptx {

/// Where partial results lie: of one head after another, `head_bytes` apart, in global memory (64 bits) or shared memory (32 bits).
struct partial_place {
    reg base{};
    u64_t head_bytes = 0;
};

/// What a worker knows of its work.
struct attention_state {
    reg member{};    ///< the thread's number in its worker
    reg worker{};
    reg first{};     ///< position that is seen first
    reg position{};  ///< and last
    reg keys{};      ///< the kv head's caches
    reg values{};
    reg queries{};  ///< [heads][padded_dim] fp32 in shared memory
    reg scores{};   ///< [heads][chunk] fp32 in shared memory, the worker's own
};

constexpr u32_t terms_of_step = 2 * terms_of_lane;
/// Elements of a query in shared memory, zeros behind the last.
constexpr u32_t padded_dim(const attention& c) { return (c.head_dim + terms_of_step - 1) / terms_of_step * terms_of_step; }

/// Rows of the caches of one chunk, and its positions from ... end - 1 counted from its start.
struct chunk_rows {
    reg from{};
    reg end{};
    reg keys{};
    reg values{};
};

constexpr u32_t threads_of_worker(const attention_tactic& t) { return 32 * t.warps; }
/// Bytes of one position, and of the eight elements that a thread takes at a time.
constexpr u32_t kv_row_bytes(const attention& c) { return c.head_dim * bits_of(c.kv) / 8; }
constexpr u32_t kv_lane_bytes(const attention& c) { return terms_of_lane * bits_of(c.kv) / 8; }
/// As many times eight elements as 32 registers hold: so much is asked for before the first is used.
constexpr u32_t loads_ahead(const attention& c) { return c.kv == dtype::f32 ? 4 : 8; }
inline constexpr u32_t most_loads_ahead = 8;
/// Columns of the values that a thread sums: as few as there are threads for, so that more loads are under way.
constexpr u32_t columns_of_lane(const attention& c, const attention_tactic& t) {
    u32_t columns = terms_of_lane;
    while (columns > 2 && c.head_dim / (columns / 2) * t.heads <= threads_of_worker(t)) columns /= 2;
    return columns;
}
constexpr const opcode& store_op(const partial_place& to) { return to.base.kind == register_class::b64 ? op::st_global_f32 : op::st_shared_f32; }

}  // namespace ptx

/// Blocks get this much without asking the driver; source: CUDA C++ Programming Guide, shared memory of devices 8.x and later.
inline constexpr u64_t plain_shared_bytes = 48 * 1024;

/// Bytes of shared memory: queries, the scores of a chunk of each worker, and its results where the block merges them.
constexpr u64_t shared_bytes(const attention& c, const attention_tactic& t) {
    const u64_t results = c.splits == 1 ? partial_values(c) : 0;
    return 4 * u64_t{t.heads} * (ptx::padded_dim(c) + t.workers * (c.chunk + results));
}
/// Values that a thread merges.
constexpr u32_t columns_of_thread(const attention& c, const attention_tactic& t) {
    const u32_t threads = 32 * t.workers * t.warps;
    return (t.heads * c.head_dim + threads - 1) / threads;
}
/// Heads in as few equal parts as fit registers and shared memory; one worker of eight warps where a split has one chunk only.
constexpr attention_tactic tactic_of(const attention& c) {
    const u32_t group = c.heads / c.kv_heads;
    for (u32_t heads = group < most_heads_together ? group : most_heads_together; heads != 0; --heads)
        for (u32_t workers = chunk_slots(c) == 1 ? 1U : 2U; group % heads == 0 && workers != 0; --workers) {
            const attention_tactic t{.heads = heads, .workers = workers, .warps = 8 / workers};
            if (shared_bytes(c, t) <= plain_shared_bytes && columns_of_thread(c, t) <= 8) return t;
        }
    return {};
}

}  // namespace netra::inline v0
