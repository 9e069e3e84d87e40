// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The closed forms against counting, for every small range.
#include <netra/schedule/tiles.hpp>

#include <vector>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr u64_t row = 9;

/// touched[tile][byte], from the definition.
std::vector<std::vector<bool>> touched_bytes(const byte_range& r, u32_t tiles) {
    std::vector<std::vector<bool>> touched(tiles, std::vector<bool>(row, false));
    for (u32_t tile = 0; tile < tiles; ++tile)
        for (u64_t k = 0; k < r.size; ++k) {
            const i64_t byte = r.first + static_cast<i64_t>(tile / r.per * r.stride + k);
            if (byte >= static_cast<i64_t>(r.low) && byte < static_cast<i64_t>(r.high)) touched[tile][static_cast<usz>(byte)] = true;
        }
    return touched;
}

struct findings {
    u64_t ranges = 0;
    u64_t bytes_wrong = 0;
    u64_t hull_too_small = 0;
    u64_t gap_missed = 0;
    u64_t overlap_missed = 0;
    u64_t touching_wrong = 0;
};

void examine(const byte_range& r, u32_t tiles, findings& found) {
    ++found.ranges;
    const auto touched = touched_bytes(r, tiles);
    const interval all = hull(r, tiles);
    std::vector<int> owners(row, 0);
    for (u32_t tile = 0; tile < tiles; ++tile) {
        const interval bytes = bytes_of_tile(r, tile);
        for (u64_t b = 0; b < row; ++b) {
            owners[b] += touched[tile][b] ? 1 : 0;
            if (touched[tile][b] != (b >= bytes.begin && b < bytes.end)) ++found.bytes_wrong;
            if (touched[tile][b] && (b < all.begin || b >= all.end)) ++found.hull_too_small;
        }
    }
    for (u64_t b = 0; b < row; ++b) {
        if (gapless(r, tiles) && b >= all.begin && b < all.end && owners[b] == 0) ++found.gap_missed;
        if (tiles_disjoint(r, tiles) && owners[b] > 1) ++found.overlap_missed;
    }
    for (u64_t begin = 0; begin < row; ++begin)
        for (u64_t end = begin; end <= row; ++end) {
            const interval touching = tiles_touching(r, tiles, {begin, end});
            for (u32_t tile = 0; tile < tiles; ++tile) {
                bool any = false;
                for (u64_t b = begin; b < end; ++b) any = any || touched[tile][b];
                if (any != (tile >= touching.begin && tile < touching.end)) ++found.touching_wrong;
            }
        }
}

}  // namespace

TEST_CASE("closed forms equal counting") {
    findings found;
    byte_range r;
    for (r.first = -7; r.first <= 8; ++r.first)
        for (r.stride = 0; r.stride < 6; ++r.stride)
            for (r.size = 0; r.size < 7; ++r.size)
                for (const u64_t low : {0U, 2U, 5U})
                    for (const u64_t high : {0U, 3U, 7U, 9U})
                        for (r.per = 1; r.per <= 3; ++r.per)
                            for (const u32_t tiles : {1U, 2U, 3U, 5U}) {
                                r.low = low;
                                r.high = high;
                                examine(r, tiles, found);
                            }
    CHECK(found.ranges == 16 * 6 * 7 * 3 * 4 * 3 * 4);
    CHECK(found.bytes_wrong == 0);
    CHECK(found.hull_too_small == 0);
    CHECK(found.gap_missed == 0);
    CHECK(found.overlap_missed == 0);
    CHECK(found.touching_wrong == 0);
}

TEST_CASE("closed forms are sharp for the usual ranges") {
    const byte_range cut{.first = 0, .stride = 4, .size = 4, .low = 0, .high = 10};
    CHECK(hull(cut, 3) == interval{0, 10});
    CHECK(gapless(cut, 3));
    CHECK(tiles_disjoint(cut, 3));
    const byte_range gaps{.first = 0, .stride = 5, .size = 4, .low = 0, .high = 10};
    CHECK_FALSE(gapless(gaps, 2));
    CHECK(gapless(gaps, 1));
    const byte_range overlapping{.first = 0, .stride = 3, .size = 4, .low = 0, .high = 10};
    CHECK_FALSE(tiles_disjoint(overlapping, 3));
    const byte_range shared{.first = 0, .stride = 4, .size = 4, .low = 0, .high = 8, .per = 2};
    CHECK_FALSE(tiles_disjoint(shared, 4));
}

TEST_CASE("offsets beyond 32 bits") {
    const u64_t piece = u64_t{1} << 33;
    const byte_range r{.first = -static_cast<i64_t>(piece), .stride = piece, .size = piece, .low = 0, .high = 8 * piece};
    CHECK(tiles_touching(r, 9, {3 * piece, 3 * piece + 1}) == interval{4, 5});
    CHECK(bytes_of_tile(r, 8) == interval{7 * piece, 8 * piece});
    CHECK(bytes_of_tile(r, 0).empty());
}

TEST_CASE("intervals and parts") {
    CHECK(intersection({0, 5}, {3, 9}) == interval{3, 5});
    CHECK(intersection({0, 3}, {3, 9}).empty());
    CHECK(parts_overlap(row_part::past, row_part::past));
    CHECK(parts_overlap(row_part::whole, row_part::fresh));
    CHECK(parts_overlap(row_part::past, row_part::whole));
    CHECK_FALSE(parts_overlap(row_part::past, row_part::fresh));
    CHECK_FALSE(parts_overlap(row_part::fresh, row_part::past));
}
