// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Attention of a few new rows over a cache in PTX: a block the query heads of one kv head, row and split, chunk by chunk.
#pragma once

#include <netra/codegen/ops/attention_chunk.hpp>
#include <netra/codegen/ops/attention_combine.hpp>

namespace netra::inline v0 {

/// Within 1e-6 (relative L2) of the reference: every sum is formed in the contract's order, only e^x is rounded otherwise (about 2 units in
/// the last place). The same bits for any rows and splits. q: [rows][heads][head_dim]; `position` points to one u32, the position of row 0,
/// so that a captured launch takes the next one. With splits > 1, `out` gets each row's partial results, for the kernel of combine(c).
struct attention_kernel {
    attention c{};
    attention_tactic tactic{};

    constexpr name entry() const { return name{identify(c).d}; }
    static constexpr ptx::parameter_list parameters() { return ptx::pointers({"q", "keys", "values", "position", "out"}); }
    constexpr u32_t group() const { return c.heads / c.kv_heads; }
    constexpr u32_t parts() const { return group() / tactic.heads; }
    constexpr u64_t blocks() const { return u64_t{c.kv_heads} * c.splits * parts() * c.rows; }
    constexpr u32_t threads() const { return 32 * tactic.workers * tactic.warps; }
    constexpr u32_t blocks_at_once() const { return tactic.heads * c.head_dim <= 256 && c.kv != dtype::f32 ? 2 : 1; }
    constexpr kernel_launch launch() const {
        return {.blocks = static_cast<u32_t>(blocks()), .threads = threads(), .shared_bytes = static_cast<u32_t>(shared_bytes(c, tactic))};
    }

    template <class Sink>
    constexpr void body(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const block_state b = start(as);
        const seen_span seen = find_seen(as, c, b.row);
        load_queries(as, b);
        as(op::bar_sync, 0U);
        const attention_state s = start_worker(as, b, seen);
        if (c.splits == 1) attend_whole(as, b, s, seen);
        else attend_split(as, b, s, seen);
        as(op::ret);
    }

private:
    struct block_state {
        ptx::reg thread{};
        ptx::reg worker{};
        ptx::reg row{};
        ptx::reg kv_head{};
        ptx::reg split{};
        ptx::reg first{};   ///< query head of the kv head
        ptx::reg shared{};  ///< queries, scores, results
    };
    constexpr u32_t scores_at() const { return 4 * tactic.heads * ptx::padded_dim(c); }
    constexpr u32_t results_at() const { return scores_at() + 4 * tactic.workers * tactic.heads * c.chunk; }
    constexpr u64_t result_bytes() const { return 4 * partial_values(c); }

    template <class Sink>
    constexpr block_state start(ptx::assembler<Sink>& as) const {
        using namespace ptx;
        const block_state b{as.b32(), as.b32(), as.b32(), as.b32(), as.b32(), as.b32(), as.b32()};
        const reg block = as.b32();
        const auto take = [&](reg digit, u32_t base) {
            as(op::rem_u32, digit, block, base);
            as(op::div_u32, block, block, base);
        };
        as(op::mov_u32, block, block_index);
        as(op::mov_u32, b.thread, thread_index);
        as(op::div_u32, b.worker, b.thread, 32 * tactic.warps);
        take(b.row, c.rows);
        take(b.first, parts());
        take(b.split, c.splits);
        as(op::mov_u32, b.kv_head, block);
        as(op::mul_lo_u32, b.first, b.first, tactic.heads);
        as(op::mov_u32, b.shared, named{"shared"});
        return b;
    }

    /// Query head `index` of the block's, numbered over all heads of the row.
    template <class Sink>
    constexpr ptx::reg head_of_row(ptx::assembler<Sink>& as, const block_state& b, ptx::reg index) const {
        using namespace ptx;
        const reg head = as.b32();
        as(op::add_u32, head, b.first, index);
        as(op::mad_lo_u32, head, b.kv_head, group(), head);
        return head;
    }
    template <class Sink>
    constexpr ptx::reg row_of(ptx::assembler<Sink>& as, const block_state& b, const char* parameter, u64_t bytes) const {
        using namespace ptx;
        const reg p = as.b64();
        as(op::ld_param_u64, p, named_address{parameter});
        return element_at(as, p, b.row, bytes);
    }

    template <class Sink>
    constexpr void load_queries(ptx::assembler<Sink>& as, const block_state& b) const {
        using namespace ptx;
        const reg index = as.b32();
        const reg q = row_of(as, b, "q", u64_t{4} * c.heads * c.head_dim);
        as(op::mov_u32, index, b.thread);
        strided(as, index, tactic.heads * padded_dim(c), threads(), [&] {
            const reg head = as.b32();
            const reg column = as.b32();
            const reg value = as.f32();
            const reg inside = as.predicate();
            as(op::div_u32, head, index, padded_dim(c));
            as(op::rem_u32, column, index, padded_dim(c));
            as(op::setp_lt_u32, inside, column, c.head_dim);
            as(op::mov_f32, value, 0.0F);
            as.when(inside, op::ld_global_f32, value, at(element_at(as, element_at(as, q, head_of_row(as, b, head), 4 * c.head_dim), column, 4)));
            as(op::st_shared_f32, at(element_at(as, b.shared, index, 4)), value);
        });
        as(op::bar_warp, -1);
    }

    template <class Sink>
    constexpr ptx::attention_state start_worker(ptx::assembler<Sink>& as, const block_state& b, const ptx::seen_span& seen) const {
        using namespace ptx;
        const attention_state s{as.b32(), b.worker, seen.first, seen.last, as.b64(), as.b64(), b.shared, as.b32()};
        const reg scores = as.b32();
        const u64_t cache = u64_t{c.context} * c.head_dim * bits_of(c.kv) / 8;
        as(op::rem_u32, s.member, b.thread, 32 * tactic.warps);
        as(op::ld_param_u64, s.keys, named_address{"keys"});
        as(op::ld_param_u64, s.values, named_address{"values"});
        as(op::mov_u64, s.keys, element_at(as, s.keys, b.kv_head, cache));
        as(op::mov_u64, s.values, element_at(as, s.values, b.kv_head, cache));
        as(op::add_u32, scores, b.shared, scores_at());
        as(op::mad_lo_u32, s.scores, b.worker, 4 * tactic.heads * c.chunk, scores);
        return s;
    }

    /// Each worker a chunk, then all threads merge them, and again.
    template <class Sink>
    constexpr void attend_whole(ptx::assembler<Sink>& as, const block_state& b, const ptx::attention_state& s, const ptx::seen_span& seen) const {
        using namespace ptx;
        const u32_t worker_bytes = tactic.heads * static_cast<u32_t>(result_bytes());
        const reg results = as.b32();
        as(op::add_u32, results, b.shared, results_at());
        const partial_place own{element_at(as, results, b.worker, worker_bytes), result_bytes()};
        merged_column running[8];
        const u32_t columns = columns_of_thread(c, tactic);
        for (u32_t i = 0; i < columns; ++i) running[i] = no_chunk(as);
        const reg round = as.b32();
        as(op::mov_u32, round, seen.first_chunk);
        chunk_emitter chunks(as, c, tactic, s);
        strided(as, round, seen.chunks_end, tactic.workers, [&] {
            const code_label idle = as.new_label();
            const code_label done = as.new_label();
            const reg none = as.predicate();
            const reg chunk = as.b32();
            as(op::add_u32, chunk, round, b.worker);
            as(op::setp_ge_u32, none, chunk, seen.chunks_end);
            as.when(none, op::bra, idle);
            chunks.emit(chunk, own);
            as(op::bra, done);
            as.place(idle);
            for (u32_t i = 0; i < chunks.waits_of_chunk; ++i) as(op::bar_sync, 0U);
            as.place(done);
            as(op::bar_sync, 0U);
            const reg left = as.b32();
            const reg place = as.b32();
            as(op::sub_u32, left, seen.chunks_end, round);
            as(op::min_u32, left, left, tactic.workers);
            as(op::mov_u32, place, results);
            while_left(as, left, 1, [&] {
                for (u32_t i = 0; i < columns; ++i) {
                    const column_place p = column_of(as, b, i);
                    const reg head = element_at(as, place, p.head, result_bytes());
                    merge_column(as, load_column(as, head, element_at(as, head, p.column, 4), 0), running[i]);
                }
                as(op::add_u32, place, place, worker_bytes);
            });
            as(op::bar_sync, 0U);
        });
        for (u32_t i = 0; i < columns; ++i) store_column(as, b, column_of(as, b, i), running[i]);
    }

    /// The thread's value number `i`: a head of the block and a column of it.
    struct column_place {
        ptx::reg head{};
        ptx::reg column{};
        ptx::reg outside{};
    };
    template <class Sink>
    constexpr column_place column_of(ptx::assembler<Sink>& as, const block_state& b, u32_t i) const {
        using namespace ptx;
        const column_place p{as.b32(), as.b32(), as.predicate()};
        const reg index = as.b32();
        as(op::add_u32, index, b.thread, i * threads());
        as(op::setp_ge_u32, p.outside, index, tactic.heads * c.head_dim);
        as(op::min_u32, index, index, tactic.heads * c.head_dim - 1);
        as(op::div_u32, p.head, index, c.head_dim);
        as(op::rem_u32, p.column, index, c.head_dim);
        return p;
    }
    template <class Sink>
    constexpr void store_column(ptx::assembler<Sink>& as, const block_state& b, const column_place& p, const ptx::merged_column& m) const {
        using namespace ptx;
        const reg out = row_of(as, b, "out", u64_t{4} * c.heads * c.head_dim);
        as(op::div_f32, m.value, m.value, m.sum);
        as.unless(p.outside, op::st_global_f32, at(element_at(as, element_at(as, out, head_of_row(as, b, p.head), 4 * c.head_dim), p.column, 4)), m.value);
    }

    /// Each worker every so many chunks of the split; their results go to memory.
    template <class Sink>
    constexpr void attend_split(ptx::assembler<Sink>& as, const block_state& b, const ptx::attention_state& s, const ptx::seen_span& seen) const {
        using namespace ptx;
        const u64_t head_bytes = chunk_slots(c) * result_bytes();
        const reg split = as.b32();
        as(op::mad_lo_u32, split, b.kv_head, c.splits, b.split);
        const reg results = element_at(as, element_at(as, row_of(as, b, "out", partial_bytes(c)), split, head_bytes * group()), b.first, head_bytes);
        const reg chunk = as.b32();
        as(op::rem_u32, chunk, seen.first_chunk, c.splits);  // on to the first chunk from first_chunk on that is the split's
        as(op::sub_u32, chunk, b.split, chunk);
        as(op::add_u32, chunk, chunk, c.splits);
        as(op::rem_u32, chunk, chunk, c.splits);
        as(op::add_u32, chunk, chunk, seen.first_chunk);
        as(op::mad_lo_u32, chunk, b.worker, c.splits, chunk);
        chunk_emitter chunks(as, c, tactic, s);
        strided(as, chunk, seen.chunks_end, c.splits * tactic.workers, [&] {
            const reg slot = as.b32();
            as(op::div_u32, slot, chunk, c.splits);
            chunks.emit(chunk, {element_at(as, results, slot, result_bytes()), head_bytes});
            chunks.wait_for_worker();
        });
    }
};

constexpr attention_kernel kernel_of(const attention& c) { return {c, tactic_of(c)}; }
/// Why a contract has no kernel.
constexpr verdict check_kernel(const attention& c) {
    if (verdict v = check(c); !v.ok()) return v;
    return detail::checking{"attention"}
        .multiple("head_dim (for the PTX kernel)", c.head_dim, ptx::terms_of_lane)
        .size("blocks", kernel_of(c).blocks(), max_dimension)
        .result;
}

}  // namespace netra::inline v0
