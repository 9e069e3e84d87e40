// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A projection's input on its way from words to tensor-core operands: each consumer warp polls its own terms, multiplies the norm's weight in,
/// splits values into 16-bit parts and lays them down in shared memory; the norm's scale is applied to the results.
#pragma once

#include <netra/codegen/megakernel/observe.hpp>

namespace netra::inline v0 {

/// One projection as the consumer warps run it.
struct projection_use {
    stream_op which = stream_op::qkv;
    u64_t source = 0;            ///< first word of the input [rows][in]
    ptx::reg wanted{};           ///< epoch of the input
    ptx::reg norm{};             ///< b64: fp32 weights of the norm, where the projection has one
    ptx::reg inputs{};           ///< shared memory of this warp's input
    ptx::reg squares[max_rows]{};///< sum of squares of this lane's terms of each row
};

namespace persistent {

/// How rows and parts meet the tensor core. weights_first: weights are the 16-row operand (8 rows, two neighbouring blocks of terms), inputs
/// the 8 columns: row, part, block; eight rows and parts are two sets of columns. Otherwise inputs are the 16-row operand: rows g and, in its
/// lower half, their low parts or rows g + 8. Columns stay in registers, operands of 16 rows are read from shared memory for every unit.
constexpr u32_t column_sets(const stream_plan& p) { return p.model.rows * p.parts <= 4 ? 1 : p.model.rows * p.parts <= 8 ? 2 : 0; }
constexpr bool weights_first(const stream_plan& p) { return column_sets(p) != 0; }
constexpr u32_t pairs_of(const projection_plan& p) { return (p.steps + 1) / 2; }  ///< 64 terms each, the last of an odd number 32
constexpr bool half_pair(const projection_plan& p, u32_t i) { return 2 * i + 1 == p.steps; }

/// One of the two bf16 numbers of a register as fp32, 2^shift times itself; what is 0 becomes 2^(shift - 127) if there is a shift.
template <class Sink>
constexpr ptx::reg bf16_value(ptx::assembler<Sink>& as, ptx::reg packed, u32_t half, u32_t shift = 0) {
    using namespace ptx;
    const reg bits = as.b32();
    const reg v = as.f32();
    if (half == 0) as(op::shl_b32, bits, packed, 16U);
    else as(op::and_b32, bits, packed, 0xffff0000U);
    if (shift != 0) as(op::add_u32, bits, bits, shift << 23);
    as(op::mov_b32, v, bits);
    return v;
}

template <class Sink>
class input_code {
  public:
    constexpr input_code(block_code<Sink>& k, projection_use& use) : k_(k), as_(k.as), use_(use), op_(k.plan[use.which]) {}

    /// Fetches the terms of `chunk` that this warp multiplies, of every row; `offset` is where the chunk lies in the warp's inputs.
    constexpr void fetch(ptx::reg chunk, ptx::reg offset) {
        using namespace ptx;
        const u32_t rows = k_.plan.model.rows;
        first_ = as_.b32();
        own_ = as_.b32();
        as_(op::mul_lo_u32, first_, k_.warp, op_.steps * fragment_terms);
        as_(op::mad_lo_u32, first_, chunk, op_.steps * step_terms, first_);
        as_(op::mad_lo_u32, own_, k_.lane, 2U, first_);
        const reg base = as_.b64();
        as_(op::add_u64, base, k_.words, use_.source * word_bytes);
        from_ = element(as_, base, own_, word_bytes);
        to_ = as_.b32();
        as_(op::mad_lo_u32, to_, k_.lane, 4U, use_.inputs);
        as_(op::add_u32, to_, to_, offset);
        for (u32_t i = 0; i < pairs_of(op_); ++i) inside_[i] = inside(i);
        load_norm();
        as_(op::bar_warp, -1);  // the chunk before has been read
        poll_last(base);
        for (u32_t row = 0; row < rows; row += group_rows()) fetch_rows(row);
        note_time(k_, stamp::ready);
        as_(op::bar_warp, -1);
    }

  private:
    static constexpr u32_t most_pairs = most_slot_steps / 2;
    /// Rows whose words are under way together; with two slots of weights and the sums of several chunks in registers, two rows have no room.
    constexpr u32_t group_rows() const { return k_.plan.model.rows < 2 || (column_sets(k_.plan) == 1 && op_.chunks > 1) ? 1 : 2; }
    constexpr bool all_inside(u32_t i) const { return padded_in(op_) == op_.in && !half_pair(op_, i); }

    constexpr ptx::reg inside(u32_t i) {
        using namespace ptx;
        if (all_inside(i)) return {};
        const reg k = as_.b32();
        as_(op::add_u32, k, own_, 64 * i);
        reg p = below(as_, k, op_.in);
        if (half_pair(op_, i)) p = both(as_, p, below(as_, k_.lane, 16U));
        return p;
    }
    constexpr void load_norm() {
        using namespace ptx;
        if (!op_.normed) return;
        const reg at_own = element(as_, use_.norm, own_, 4);
        for (u32_t i = 0; i < pairs_of(op_); ++i) {
            norm_[i] = as_.template fragment_of<2>(register_class::f32);
            if (all_inside(i)) {
                as_(op::ld_global_nc_v2_f32, norm_[i], at(at_own, 256 * i));
            } else {
                for (const reg& r : norm_[i].r) as_(op::mov_f32, r, 0.0F);
                as_.when(inside_[i], op::ld_global_nc_v2_f32, norm_[i], at(at_own, 256 * i));
            }
        }
    }
    /// One lane polls the last word of the warp's terms; the others sleep.
    constexpr void poll_last(ptx::reg base) {
        using namespace ptx;
        const reg end = as_.b32();
        as_(op::add_u32, end, first_, op_.steps * fragment_terms);
        as_(op::min_u32, end, end, even(op_.in));
        as_(op::add_u32, end, end, (k_.plan.model.rows - 1) * even(op_.in) - 2);
        const reg last = element(as_, base, end, word_bytes);
        where(as_, both(as_, {equals(as_, k_.lane, 0U), below(as_, first_, op_.in)}), [&] {
            poll_word(k_, last, word_bytes, use_.wanted);
        });
        as_(op::bar_warp, -1);
    }
    constexpr void fetch_rows(u32_t row) {
        using namespace ptx;
        fragment<2> raw[4][most_pairs];
        for (u32_t r = 0; r < group_rows(); ++r)
            for (u32_t i = 0; i < pairs_of(op_); ++i) {
                raw[r][i] = as_.template fragment_of<2>(register_class::b64);
                if (!all_inside(i))
                    for (const reg& half : raw[r][i].r) as_(op::mov_u64, half, 0U);
            }
        reg value[4][most_pairs][2];
        poll_words(
            k_, from_, use_.wanted, [&] { ask(row, raw); },
            [&](reg seen) {
                for (u32_t r = 0; r < group_rows(); ++r)
                    for (u32_t i = 0; i < pairs_of(op_); ++i)
                        for (u32_t h = 0; h < 2; ++h) {
                            value[r][i][h] = as_.f32();
                            open_word(as_, raw[r][i][h], value[r][i][h], use_.wanted, seen, all_inside(i) ? nullptr : &inside_[i]);
                        }
            });
        for (u32_t r = 0; r < group_rows(); ++r) store_row(row + r, value[r]);
    }
    constexpr void ask(u32_t row, const ptx::fragment<2> (&raw)[4][most_pairs]) {
        using namespace ptx;
        for (u32_t r = 0; r < group_rows(); ++r)
            for (u32_t i = 0; i < pairs_of(op_); ++i) {
                const address from = at(from_, (u64_t{row + r} * even(op_.in) + 64 * i) * word_bytes);
                if (all_inside(i)) as_(op::ld_relaxed_v2_b64, raw[r][i], from);
                else as_.when(inside_[i], op::ld_relaxed_v2_b64, raw[r][i], from);
            }
    }
    constexpr void store_row(u32_t row, const ptx::reg (&value)[most_pairs][2]) {
        using namespace ptx;
        reg x[most_pairs][2];
        for (u32_t i = 0; i < pairs_of(op_); ++i)
            for (u32_t h = 0; h < 2; ++h) {
                x[i][h] = value[i][h];
                if (!op_.normed) continue;
                as_(op::fma_f32, use_.squares[row], value[i][h], value[i][h], use_.squares[row]);
                x[i][h] = as_.f32();
                as_(op::mul_f32, x[i][h], value[i][h], norm_[i][h]);
            }
        if (k_.plan.f16_products) scale_row(row, x);
        for (u32_t i = 0; i < pairs_of(op_); ++i) store_parts(row, i, x[i][0], x[i][1]);
    }
    /// f16 has little range: values are brought below 2^15 by a power of two. Its inverse, which also takes the weights' scale back, stands behind the
    /// row for the results.
    constexpr void scale_row(u32_t row, ptx::reg (&x)[most_pairs][2]) {
        using namespace ptx;
        const reg top = number(as_, 0);
        for (u32_t i = 0; i < pairs_of(op_); ++i)
            for (u32_t h = 0; h < 2; ++h) {
                const reg bits = as_.b32();
                as_(op::mov_b32, bits, x[i][h]);
                as_(op::and_b32, bits, bits, 0x7f800000U);
                as_(op::max_u32, top, top, bits);
            }
        as_(op::redux_max_u32, top, top, -1);
        constexpr u32_t exponent = 1U << 23;
        const u32_t back = 14 + (weights_change_format(k_.plan) ? f16_weight_shift : 0);
        as_(op::max_u32, top, top, (15 + f16_weight_shift) * exponent);  // so that both powers are normal numbers
        const reg scale_bits = as_.b32();
        const reg scale = as_.f32();
        as_(op::sub_u32, scale_bits, number(as_, (254 + 14) * exponent), top);  // exponents of 2^e and 2^-e add up to 254
        as_(op::mov_b32, scale, scale_bits);
        as_(op::sub_u32, top, top, back * exponent);
        for (u32_t i = 0; i < pairs_of(op_); ++i)
            for (u32_t h = 0; h < 2; ++h) {
                const reg scaled = as_.f32();
                as_(op::mul_f32, scaled, x[i][h], scale);
                x[i][h] = scaled;
            }
        const u32_t row_bytes = input_row_bytes(op_);
        as_.when(equals(as_, k_.lane, 0U), op::st_shared_b32, at(to_, row * k_.plan.parts * row_bytes + row_bytes - 16), top);
    }
    constexpr void store_parts(u32_t row, u32_t i, ptx::reg x0, ptx::reg x1) {
        using namespace ptx;
        const bool f16_parts = k_.plan.f16_products;
        const u32_t place = row * k_.plan.parts * input_row_bytes(op_) + 128 * i;
        const reg high = as_.b32();
        as_(f16_parts ? op::cvt_f16x2_f32 : op::cvt_bf16x2_f32, high, x1, x0);
        const reg stays = half_pair(op_, i) ? below(as_, k_.lane, 16U) : reg{};
        const auto store = [&](u32_t offset, reg v) {
            if (half_pair(op_, i)) as_.when(stays, op::st_shared_b32, at(to_, offset), v);
            else as_(op::st_shared_b32, at(to_, offset), v);
        };
        store(place, high);
        if (k_.plan.parts == 1) return;
        reg rest[2];
        const reg whole[] = {x0, x1};
        for (u32_t h = 0; h < 2; ++h) {
            const reg rounded = part_value(high, h, f16_parts);
            rest[h] = as_.f32();
            as_(op::sub_f32, rest[h], whole[h], rounded);
        }
        const reg low = as_.b32();
        as_(f16_parts ? op::cvt_f16x2_f32 : op::cvt_bf16x2_f32, low, rest[1], rest[0]);
        store(place + input_row_bytes(op_), low);
    }
    constexpr ptx::reg part_value(ptx::reg packed, u32_t half, bool f16_parts) {
        using namespace ptx;
        if (!f16_parts) return bf16_value(as_, packed, half);
        const reg v = as_.f32();
        const auto halves = as_.template fragment_of<2>(register_class::b16);
        as_(op::mov_b32, halves, packed);
        as_(op::cvt_f32_f16, v, halves[half]);
        return v;
    }

    block_code<Sink>& k_;
    ptx::assembler<Sink>& as_;
    projection_use& use_;
    const projection_plan& op_;
    ptx::reg first_{}, own_{}, from_{}, to_{};
    ptx::reg inside_[most_pairs]{};
    ptx::fragment<2> norm_[most_pairs]{};
};

/// The lanes' squares become the warp's, in a fixed order; lane r keeps row r's in `row_squares`, for each unit to hand over.
template <class Sink>
constexpr void gather_squares(block_code<Sink>& k, projection_use& use, ptx::reg row_squares) {
    using namespace ptx;
    auto& as = k.as;
    for (u32_t row = 0; row < k.plan.model.rows; ++row) {
        const reg other = as.f32();
        for (u32_t apart = 16; apart != 0; apart /= 2) {
            as(op::shfl_bfly, other, use.squares[row], apart, 31U, -1);
            as(op::add_f32, use.squares[row], use.squares[row], other);
        }
        as.when(equals(as, k.lane, row), op::mov_f32, row_squares, use.squares[row]);
    }
}

}  // namespace persistent

}  // namespace netra::inline v0
