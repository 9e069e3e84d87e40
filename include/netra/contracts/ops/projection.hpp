// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// One to three linears of the same input as one operation, with an optional RMSNorm before and an epilogue after them.
#pragma once

#include <netra/contracts/ops/gated_mul.hpp>
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/ops/rms_norm.hpp>

namespace netra::inline v0 {

/// store: y = the outputs side by side.  add: h = h + y, in place.  gate: y = activation(part 0) * part 1.
enum class epilogue : u8_t { store, add, gate };

/// x: [rows][in] fp32, y: [rows][output_width] fp32. With `last_row` only the last row of x is used and y has one row.
struct projection {
    static_vector<linear, 3> parts{};
    bool norm = false;
    rms_norm before{};
    epilogue after = epilogue::store;
    activation act = activation::silu;
    bool last_row = false;
    friend constexpr bool operator==(const projection&, const projection&) = default;
};

constexpr u64_t output_width(const projection& c) {
    u64_t n = 0;
    for (const auto& p : c.parts) n += p.out;
    return c.after == epilogue::gate ? n / 2 : n;
}

constexpr verdict check(const projection& c) {
    detail::checking checks{"projection"};
    checks.size("parts", c.parts.size());
    for (const auto& p : c.parts) {
        checks.nested(check(p)).equal("in", p.in, c.parts[0].in).equal("rows", p.rows, c.parts[0].rows);
    }
    if (c.norm) checks.nested(check(c.before)).equal("width of the norm", c.before.width, c.parts[0].in);
    if (c.after == epilogue::gate) checks.equal("parts of a gate", c.parts.size(), 2).equal("out of up", c.parts[1].out, c.parts[0].out);
    return checks.result;
}

constexpr u64_t bytes(const projection& c) {
    u64_t n = c.norm ? 4ULL * c.before.width : 0;
    for (const auto& p : c.parts) n += bytes(p);
    return n;
}
constexpr u64_t flops(const projection& c) {
    u64_t n = c.norm ? flops(c.before) : 0;
    for (const auto& p : c.parts) n += flops(p);
    return n;
}

}  // namespace netra::inline v0
