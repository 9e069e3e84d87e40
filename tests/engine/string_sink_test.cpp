// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/string_sink.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {

struct everything {
    template <class Sink>
    constexpr void operator()(Sink& out) const {
        out.lit("a\0b");
        out.str("text");
        out.ch('!');
        for (const u64_t v : {u64_t{0}, u64_t{9}, u64_t{10}, ~u64_t{0}}) out.dec(v), out.ch(' ');
        out.hex(0xbeef, 8);
        out.hex(0xbeef, 2);
        out.hex(~u64_t{0}, 16);
    }
};

}  // namespace

TEST_CASE("a string sink receives what a constexpr text receives") {
    const auto& expected = text_of<everything>;
    CHECK(written(everything{}) == std::string(expected.d, expected.n));
    CHECK(written(everything{}).ends_with("18446744073709551615 0000beefefffffffffffffffff"));
}
