// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/engine/string_sink.hpp>
#include <netra/schedule/identity.hpp>

#include "support/catch.hpp"

using namespace netra;

namespace {

std::string text_for(const operation& o) {
    return written([&](auto& out) { describe(out, o); });
}

constexpr attention split{.rows = 1, .heads = 4, .kv_heads = 2, .head_dim = 8, .context = 32, .splits = 2};
static_assert(identify(operation{split}) == identify(split));
static_assert(identify(operation::combine(split)) != identify(split));

}  // namespace

TEST_CASE("an operation has the text of its contract") {
    CHECK(text_for({}) == "none");
    CHECK(text_for(add{.rows = 2, .width = 3}) == "add rows=2 width=3");
    CHECK(text_for(sampling{.vocab = 3}) == "sampling vocab=3");
    CHECK(text_for(operation::combine(split)) == "combine of " + text_for(split));
    operation entry = operation::of_words(embedding{}, 5);
    CHECK(text_for(entry) == "words pairs=5 of " + text_for(embedding{}));
    entry.again = true;
    CHECK(text_for(entry) == "words pairs=5 again of " + text_for(embedding{}));
    for (const operation& o : {operation{rope_table{}}, operation{embedding{}}, operation{rms_norm{}}, operation{projection{}},
                               operation{rope_append{}}, operation{gated_mul{}}}) {
        INFO(text_for(o));
        CHECK(text_for(o).starts_with(std::string(name_of(o.kind)) + " "));
    }
}
