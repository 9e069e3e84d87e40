// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What a persistent kernel leaves behind when it gives up waiting, and the sentence that the host makes of it.
#pragma once

#include <netra/contracts/verdict.hpp>

namespace netra::inline v0 {

/// In memory that the kernel and the host reach, all 0 before a launch. The thread that changes `state` from 0 to 2 fills in the rest, then
/// stores 1 with release; every thread that sees another state than 0 stops waiting and ends.
struct stall_record {
    u32_t state = 0;  ///< 0: nothing waits too long; 1: the rest says who did; 2: the rest is being written
    u32_t role = 0;   ///< of the warps that waited
    u32_t group = 0;  ///< of the schedule
    u32_t layer = 0;  ///< stall_without_layer when the group is of no layer
    u32_t block = 0;
    u32_t word = 0;    ///< index of the word or counter that it read
    u32_t seen = 0;    ///< its epoch or value at the end
    u32_t wanted = 0;  ///< what it waited for
    u64_t step = 0;    ///< token of this launch, from 0
    friend constexpr bool operator==(const stall_record&, const stall_record&) = default;
};
static_assert(sizeof(stall_record) == 40);

inline constexpr u32_t stall_none = 0;
inline constexpr u32_t stall_found = 1;
inline constexpr u32_t stall_being_written = 2;
inline constexpr u32_t stall_without_layer = ~u32_t{0};

/// Byte offsets of a record's members, for the kernels that write it.
struct stall_layout {
    static constexpr u32_t state = 0, role = 4, group = 8, layer = 12, block = 16, word = 20, seen = 24, wanted = 28, step = 32;
};

/// Names for the numbers of a record; a number without a name stays one. Owns nothing.
struct stall_names {
    const name* groups = nullptr;
    u32_t group_count = 0;
    const name* roles = nullptr;
    u32_t role_count = 0;
};

/// "block 17 (consumer) waits in o_proj, layer 3, step 42: word 128 is 41, it must become 42". Nothing for a record without a stall.
template <class Sink>
constexpr void write_stall(Sink& out, const stall_record& r, const stall_names& names = {}) {
    if (r.state == stall_none) return;
    if (r.state != stall_found) {
        out.lit("a block stopped waiting, and what it waited for is not written out");
        return;
    }
    const auto named = [&](const name* of, u32_t count, const char* kind, u32_t i) {
        if (i < count) return out.str(of[i].d);
        out.str(kind);
        out.ch(' ');
        out.dec(i);
    };
    out.lit("block ");
    out.dec(r.block);
    out.lit(" (");
    named(names.roles, names.role_count, "role", r.role);
    out.lit(") waits in ");
    named(names.groups, names.group_count, "group", r.group);
    if (r.layer != stall_without_layer) {
        out.lit(", layer ");
        out.dec(r.layer);
    }
    out.lit(", step ");
    out.dec(r.step);
    out.lit(": word ");
    out.dec(r.word);
    out.lit(" is ");
    out.dec(r.seen);
    out.lit(", it must become ");
    out.dec(r.wanted);
}

}  // namespace netra::inline v0
