// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The canonical text of a schedule's operation: that of the contract it holds.
#pragma once

#include <netra/contracts/identity.hpp>
#include <netra/schedule/operation.hpp>

namespace netra::inline v0 {

template <class Sink>
constexpr void describe(Sink& out, const operation& o) {
    if (o.kind == op_kind::none) return out.lit("none");
    if (o.kind == op_kind::attention_combine) out.lit("combine of ");
    if (o.words) {
        out.lit("words pairs=");
        out.dec(o.pairs);
        if (o.again) out.lit(" again");
        out.lit(" of ");
    }
    visit(o, [&](const auto& c) { describe(out, c); });
}

}  // namespace netra::inline v0
