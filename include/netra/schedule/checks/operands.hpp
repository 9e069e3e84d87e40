// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether each tile declares what its operation touches: order and memory are judged by the declared bytes alone.
#pragma once

#include <netra/schedule/tiles.hpp>

namespace netra::inline v0 {

namespace detail {

/// Goes through the operands of one group in their order. @pre count, directions and sizes of the operands were found right
class tile_shares {
public:
    constexpr tile_shares(const schedule_view& s, const group& g) : s_(s), g_(g) {}

    constexpr verdict run() {
        const operation& o = s_.op_of(g_);
        switch (o.kind) {
            case op_kind::none:
                break;
            case op_kind::rope_table:
            case op_kind::embedding:
                while (next_ < g_.accesses.size()) o.words ? any() : whole();
                break;
            case op_kind::rms_norm:
            case op_kind::sampling:
                while (next_ < g_.accesses.size()) whole();
                break;
            case op_kind::projection:
                projection_shares(o);
                break;
            case op_kind::rope_append:
                append_shares(o.append);
                break;
            case op_kind::attention:
                attention_shares(o.attend);
                break;
            case op_kind::attention_combine:
                expect(o.attend.kv_heads % g_.tiles == 0, 0, 0);
                pieces(g_.tiles), at(0);
                pieces(g_.tiles), at(0);
                break;
            case op_kind::gated_mul:
                for (int i = 0; i < 3; ++i) follows(4);
                break;
            case op_kind::add:
                in_place();
                follows(4), follows(4), follows(4);
                break;
        }
        return found_;
    }

private:
    constexpr const access& output() const { return g_.accesses[outputs_at_]; }
    constexpr interval extent(const access& a) const { return hull(a.range, g_.tiles); }
    constexpr void expect(bool good, usz operand, u32_t tile) {
        if (good || !found_.ok()) return;
        const access& a = g_.accesses[operand];
        found_ = refuse(reason::wrong_tile, g_.name, s_.buffers[a.buffer].name).with(label::tile, tile).with(label::operand, operand);
    }

    /// The next operand is touched as a whole by every tile.
    constexpr void whole() {
        const byte_range& r = g_.accesses[next_].range;
        expect(r.stride == 0 || (g_.tiles - 1) / r.per == 0, next_, 0);
        ++next_;
    }
    /// The next operand is cut in any way; what reads it decides.
    constexpr void any() { ++next_; }
    /// The next operand has `scale` bytes for every result of the output, of which the first `before` bytes belong to others.
    constexpr void follows(u64_t scale, u64_t before = 0) {
        const byte_range& o = output().range;
        const byte_range& r = g_.accesses[next_].range;
        const interval from = extent(output());
        const interval all = extent(g_.accesses[next_]);
        const i64_t shift = o.first - static_cast<i64_t>(from.begin + before);
        constexpr i64_t small = i64_t{1} << 33;  // more than any row of an output; the products below then fit 64 bits
        const bool affine = o.first > -small && o.first < small && o.stride <= static_cast<u64_t>(small) &&
                            o.size <= static_cast<u64_t>(small) && r.per == o.per && r.stride * result_ == o.stride * scale &&
                            r.size * result_ == o.size * scale && o.low == from.begin && o.high == from.end && r.low == all.begin &&
                            r.high == all.end && (r.first - static_cast<i64_t>(all.begin)) * static_cast<i64_t>(result_) == shift * static_cast<i64_t>(scale);
        for (u32_t t = 0; !affine && t < g_.tiles && found_.ok(); ++t) {
            const interval mine = bytes_of_tile(o, t);
            const u64_t begin = mine.begin < from.begin + before ? 0 : (mine.begin - from.begin - before) * scale / result_;
            const u64_t end = mine.end < from.begin + before ? 0 : (mine.end - from.begin - before) * scale / result_;
            same(t, intersection({all.begin + begin, all.begin + end}, all));
        }
        ++next_;
    }
    /// The next operand is cut into `count` pieces, which as many tiles share each.
    constexpr void pieces(u32_t count) {
        const byte_range& r = g_.accesses[next_].range;
        const interval all = extent(g_.accesses[next_]);
        const u64_t size = (all.end - all.begin) / count;
        expect((all.end - all.begin) % count == 0 && g_.tiles % count == 0, next_, 0);
        const bool affine =
            r.stride == size && r.size == size && r.per * u64_t{count} == g_.tiles && r.first == static_cast<i64_t>(all.begin);
        for (u32_t t = 0; !affine && t < g_.tiles && found_.ok(); ++t) {
            const u64_t piece = u64_t{t} * count / g_.tiles;
            same(t, {all.begin + piece * size, all.begin + (piece + 1) * size});
        }
        ++next_;
    }
    constexpr void same(u32_t tile, const interval& expected) {
        const interval actual = bytes_of_tile(g_.accesses[next_].range, tile);
        expect(actual == expected || (actual.empty() && expected.empty()), next_, tile);
    }

    /// Of the operand before: it begins at this byte of a row. / It is in this buffer. / It touches these rows.
    constexpr void at(u64_t byte) { expect(extent(g_.accesses[next_ - 1]).begin == byte, next_ - 1, 0); }
    constexpr void in(u16_t buffer) { expect(g_.accesses[next_ - 1].buffer == buffer, next_ - 1, 0); }
    constexpr void of(row_part part) { expect(g_.accesses[next_ - 1].part == part, next_ - 1, 0); }
    /// The next operand is what the output replaces.
    constexpr void in_place() {
        const access& a = g_.accesses[next_];
        expect(a.buffer == output().buffer && extent(a) == extent(output()), next_, 0);
    }

    constexpr void projection_shares(const operation& o) {
        const projection& c = o.project;
        const bool pairs = o.words && o.pairs != 0;
        result_ = result_bytes(o);
        if (pairs) --outputs_at_;
        whole();
        if (c.norm) whole();
        u64_t before = 0;
        for (const auto& p : c.parts) {
            follows(weight_row_bytes(p), before);
            if (p.bias) follows(4, before);
            if (c.after != epilogue::gate) before += result_ * p.out;
        }
        if (c.after == epilogue::add && !o.words) in_place();
        if (c.after == epilogue::add) follows(result_);
        follows(result_);
        if (pairs) pieces(g_.tiles);
    }
    constexpr void append_shares(const rope_append& c) {
        const u64_t q = 4ULL * c.heads * c.table.head_dim;
        const u64_t kv = 4ULL * c.kv_heads * c.table.head_dim;
        const u16_t qkv = g_.accesses[0].buffer;
        expect(g_.tiles == c.kv_heads, 0, 0);
        if (!found_.ok()) return;
        pieces(g_.tiles), at(0);
        pieces(g_.tiles), in(qkv), at(q);
        pieces(g_.tiles), in(qkv), at(q + kv);
        for (int i = c.qk_norm ? 3 : 1; i > 0; --i) whole();
        pieces(g_.tiles), in(qkv), at(0);
        pieces(g_.tiles), of(row_part::fresh), at(0);
        pieces(g_.tiles), of(row_part::fresh), at(0);
    }
    constexpr void attention_shares(const attention& c) {
        const u32_t parts = g_.tiles / c.splits;  // tiles share a kv head's cache, those of a split its queries, too
        expect(g_.tiles % c.splits == 0 && parts % c.kv_heads == 0 && c.heads % parts == 0 && (c.splits == 1 || parts == c.kv_heads), 0, 0);
        if (!found_.ok()) return;
        pieces(parts), at(0);
        for (int cache = 0; cache < 2; ++cache) {
            pieces(c.kv_heads), of(row_part::past), at(0);
            const u16_t buffer = g_.accesses[next_ - 1].buffer;
            pieces(c.kv_heads), of(row_part::fresh), at(0), in(buffer);
        }
        pieces(g_.tiles), at(0);
    }

    schedule_view s_;
    const group& g_;
    usz next_ = 0;
    usz outputs_at_ = g_.accesses.size() - 1;
    u64_t result_ = 4;  ///< bytes of one
    verdict found_{};
};

}  // namespace detail
}  // namespace netra::inline v0
