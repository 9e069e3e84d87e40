// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Finds two accesses that touch the same bytes, one of them writing.
#pragma once

#include <netra/schedule/checks/exact_places.hpp>

namespace netra::inline v0::detail {

/// Bytes that one access touches; two conflict if they are of different sides.
struct touched_bytes {
    u64_t begin = 0;
    u64_t end = 0;
    u32_t side = 0;
    u32_t access = 0;
    bool write = false;
};

struct conflict {
    touched_bytes first{};
    touched_bytes second{};
    u64_t begin = 0;
    u64_t end = 0;
    constexpr bool found() const { return begin != end; }
};

/// Of the pieces that began so far, the two of different sides that end last.
class furthest_ends {
  public:
    constexpr void add(const touched_bytes& p) {
        if (p.side == first_.side || first_.end == 0) {
            if (p.end > first_.end) first_ = p;
        } else if (p.end > first_.end) {
            second_ = first_;
            first_ = p;
        } else if (p.end > second_.end) {
            second_ = p;
        }
    }
    constexpr const touched_bytes& of_other_side(u32_t side) const { return first_.end != 0 && first_.side != side ? first_ : second_; }

  private:
    touched_bytes first_{};
    touched_bytes second_{};
};

/// @pre no piece is empty. Sorts the pieces.
constexpr conflict find_conflict(touched_bytes* pieces, usz n) {
    {
        scratch<touched_bytes> spare(n);
        sort(pieces, &spare[0], n, [](const touched_bytes& a, const touched_bytes& b) { return a.begin < b.begin; });
    }
    furthest_ends all;
    furthest_ends writes;
    for (usz i = 0; i < n; ++i) {
        const touched_bytes& p = pieces[i];
        const touched_bytes& other = (p.write ? all : writes).of_other_side(p.side);
        if (other.end > p.begin && other.side != p.side)
            return {.first = other, .second = p, .begin = p.begin, .end = other.end < p.end ? other.end : p.end};
        all.add(p);
        if (p.write) writes.add(p);
    }
    return {};
}

}  // namespace netra::inline v0::detail
