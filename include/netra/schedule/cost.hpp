// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a step of a schedule moves and computes: for each tile, task group and queue, and in total.
#pragma once

#include <netra/detail/scratch.hpp>
#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

/// `rows` tokens after `past` earlier positions; more than the contract allows count as what it allows.
struct step_shape {
    u32_t rows = 1;
    u64_t past = 0;
};

/// Bytes that tiles touch (what two tiles read counts twice) and floating-point operations. Inputs and outputs count as activations.
struct cost {
    u64_t weights_read = 0;
    u64_t activations_read = 0;
    u64_t activations_written = 0;
    u64_t cache_read = 0;
    u64_t cache_written = 0;
    u64_t flops = 0;

    constexpr cost& operator+=(const cost& c) {
        weights_read += c.weights_read;
        activations_read += c.activations_read;
        activations_written += c.activations_written;
        cache_read += c.cache_read;
        cache_written += c.cache_written;
        flops += c.flops;
        return *this;
    }
    friend constexpr bool operator==(const cost&, const cost&) = default;
};
constexpr u64_t bytes(const cost& c) {
    return c.weights_read + c.activations_read + c.activations_written + c.cache_read + c.cache_written;
}

namespace detail {

constexpr u64_t least(u64_t a, u64_t b) { return a < b ? a : b; }

/// The operation as a step of that shape uses it.
constexpr operation at_step(operation o, const step_shape& step) {
    const auto limit = [&](u32_t& rows) { rows = static_cast<u32_t>(least(rows, step.rows)); };
    limit(o.angles.rows);
    limit(o.embed.rows);
    limit(o.norm.rows);
    for (auto& p : o.project.parts) limit(p.rows);
    limit(o.project.before.rows);
    limit(o.append.table.rows);
    limit(o.attend.rows);
    o.attend.context = static_cast<u32_t>(least(o.attend.context, step.past + o.attend.rows));
    limit(o.gate.rows);
    limit(o.sum.rows);
    return o;
}

/// How many of the positions [0, end) are in chunks that split `split` of an attention forms.
constexpr u64_t positions_of_split(const attention& c, u64_t split, u64_t end) {
    const u64_t period = u64_t{c.chunk} * c.splits;
    const u64_t rest = end % period;
    const u64_t before = split * c.chunk;
    return end / period * c.chunk + (rest <= before ? 0 : least(rest - before, c.chunk));
}

/// part / whole of n, rounded down, without overflow; all of n when part is whole.
constexpr u64_t share(u64_t n, u64_t part, u64_t whole) {
    while (whole >> 31 != 0) whole >>= 1, part >>= 1;
    return n / whole * part + n % whole * part / whole;
}

/// Prices the tiles of one group.
class group_pricing {
public:
    constexpr group_pricing(const schedule_view& s, const group& g, const step_shape& step)
        : s_(s), g_(g), op_(at_step(s.op_of(g), step)), operands_(operands_of(s.op_of(g))), rows_(step.rows), past_(step.past) {
        if (op_.kind == op_kind::rope_append) rows_ = op_.append.table.rows;
        if (!attends()) return;
        rows_ = least(op_.attend.rows, op_.attend.context);
        past_ = op_.attend.context - rows_;
        const u64_t window = op_.attend.window;
        first_ = window != 0 && past_ + 1 > window ? past_ + 1 - window : 0;
    }

    constexpr cost bytes_of(u32_t tile) const {
        cost c;
        for (usz i = 0; i < g_.accesses.size(); ++i) {
            const access& a = g_.accesses[i];
            const interval touched = bytes_of_tile(a.range, tile);
            if (touched.empty()) continue;
            const u64_t n = touched_bytes(i, tile, touched.end - touched.begin);
            switch (s_.buffers[a.buffer].kind) {
                case buffer_kind::weight:
                    c.weights_read += n;
                    break;
                case buffer_kind::state:
                    (a.write ? c.cache_written : c.cache_read) += n;
                    break;
                default:
                    (a.write ? c.activations_written : c.activations_read) += n;
            }
        }
        return c;
    }
    constexpr u64_t flops() const { return netra::flops(op_); }
    /// A tile's part of the work is its part of the group's sum of this.
    constexpr u64_t weight_of(const cost& c) const {
        return op_.kind == op_kind::attention ? c.cache_read : c.activations_written + c.cache_written;
    }

private:
    constexpr bool attends() const { return op_.kind == op_kind::attention || op_.kind == op_kind::attention_combine; }

    constexpr u64_t touched_bytes(usz index, u32_t tile, u64_t row_bytes) const {
        const access& a = g_.accesses[index];
        const buffer& b = s_.buffers[a.buffer];
        if (b.kind == buffer_kind::weight)
            return op_.kind == op_kind::embedding ? least(row_bytes, op_.embed.rows * netra::bytes_of(op_.embed.weight, op_.embed.width))
                                                  : row_bytes;
        if (b.kind == buffer_kind::state) return row_bytes * cache_rows(a, b, tile);
        u64_t rows = least(b.rows, rows_);
        if (index < operands_.size()) rows = least(rows, operands_[index].rows);
        const bool partials = attends() && op_.attend.splits > 1 && a.write == (op_.kind == op_kind::attention);
        return partials ? partial_bytes(tile, rows) : row_bytes * rows;
    }
    constexpr u64_t cache_rows(const access& a, const buffer& b, u32_t tile) const {
        const u64_t fresh = least(rows_, b.rows);
        const u64_t end = least(past_, b.rows - fresh);
        if (op_.kind != op_kind::attention) return a.part == row_part::fresh ? fresh : a.part == row_part::past ? end : end + fresh;
        const u64_t split = tile % op_.attend.splits;
        const auto positions = [&](u64_t from, u64_t to) {
            return positions_of_split(op_.attend, split, to) - positions_of_split(op_.attend, split, from);
        };
        return a.part == row_part::fresh ? positions(past_, past_ + fresh) : positions(least(first_, end), end);
    }
    /// Only chunks with visible positions have a partial result.
    constexpr u64_t partial_bytes(u32_t tile, u64_t rows) const {
        const attention& c = op_.attend;
        const u64_t from = first_ / c.chunk;
        const u64_t to = (past_ + rows_ - 1) / c.chunk + 1;
        u64_t chunks = to - from;
        if (op_.kind == op_kind::attention) {
            const u64_t split = tile % c.splits;
            const auto before = [&](u64_t end) { return end / c.splits + (end % c.splits > split ? 1 : 0); };
            chunks = before(to) - before(from);
        }
        return 4 * rows * (c.heads / c.kv_heads) * chunks * partial_values(c);
    }

    const schedule_view& s_;
    const group& g_;
    operation op_;
    operand_list operands_;
    u64_t rows_;
    u64_t past_;
    u64_t first_ = 0;  ///< first position that the step's first row sees
};

}  // namespace detail

/// Calls `f(tile, cost)` for every tile of a group. @pre check_structure accepts the schedule, and the step has at least one row
template <class F>
constexpr void for_each_tile_cost(const schedule_view& s, const group& g, const step_shape& step, F&& f) {
    const detail::group_pricing pricing(s, g, step);
    u64_t whole = 0;
    for (u32_t t = 0; t < g.tiles; ++t) whole += pricing.weight_of(pricing.bytes_of(t));
    u64_t part = 0;
    for (u32_t t = 0; t < g.tiles; ++t) {
        cost c = pricing.bytes_of(t);
        const u64_t up_to = part + pricing.weight_of(c);
        c.flops = whole == 0 ? detail::share(pricing.flops(), t + 1, g.tiles) - detail::share(pricing.flops(), t, g.tiles)
                             : detail::share(pricing.flops(), up_to, whole) - detail::share(pricing.flops(), part, whole);
        part = up_to;
        f(t, c);
    }
}

constexpr cost cost_of(const schedule_view& s, const group& g, const step_shape& step = {}) {
    cost sum;
    for_each_tile_cost(s, g, step, [&](u32_t, const cost& c) { sum += c; });
    return sum;
}
constexpr cost cost_of(const schedule_view& s, const step_shape& step = {}) {
    cost sum;
    for (usz g = 0; g < s.group_count; ++g) sum += cost_of(s, s.groups[g], step);
    return sum;
}

/// What every queue has to do; that they differ is imbalance.
class queue_costs {
public:
    constexpr explicit queue_costs(const schedule_view& s, const step_shape& step = {}) : costs_(s.queues), tiles_(s.queues) {
        for (usz g = 0; g < s.group_count; ++g)
            for_each_tile_cost(s, s.groups[g], step, [&](u32_t t, const cost& c) {
                costs_[s.queue_of(s.groups[g], t)] += c;
                ++tiles_[s.queue_of(s.groups[g], t)];
            });
    }
    constexpr usz size() const { return costs_.size(); }
    constexpr const cost& operator[](usz queue) const { return costs_[queue]; }
    constexpr u64_t tiles(usz queue) const { return tiles_[queue]; }

private:
    detail::scratch<cost> costs_;
    detail::scratch<u64_t> tiles_;
};

}  // namespace netra::inline v0
