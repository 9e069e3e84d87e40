// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What is accepted and how refusals are cut into pieces; tests/rejects/ has the refusals themselves.
#include <netra/contracts/rejected.hpp>

#include <netra/contracts/ops/linear.hpp>

#include <string>
#include <type_traits>

#include "support/catch.hpp"

using namespace netra;

namespace {

constexpr linear good{.rows = 1, .out = 64, .in = 64, .weight = bf16};
constexpr linear bad{.rows = 20, .out = 64, .in = 64, .weight = bf16};
static_assert(accepted_contract<good>);
static_assert(verdict_of<good>.ok());
static_assert(verdict_of<bad>.why == reason::too_many_rows);

struct some_program {
    static constexpr netra::verdict verdict{};
};
static_assert(accepted<some_program>);

constexpr verdict refused = refuse(reason::zero_size, "linear", "out");
constexpr usz whole = detail::sentence_length<refused>;
static_assert(std::is_same_v<decltype(detail::spell_subject<refused>(detail::make_indices<6>{})), spelled<'l', 'i', 'n', 'e', 'a', 'r'>*>);
static_assert(std::is_same_v<decltype(detail::spell_object<refused>(detail::make_indices<3>{})), spelled<'o', 'u', 't'>*>);
static_assert(detail::length_of(refused.subject) == 6 && detail::length_of(name{}) == 0);

}  // namespace

TEST_CASE("the pieces of a sentence make up the sentence") {
    const std::string all = sentence(refused).d;
    CHECK(all.size() == whole);
    const std::string pieces =
        std::string(detail::piece_of_sentence<refused, 0, 30>().d) + detail::piece_of_sentence<refused, 30, whole - 30>().d;
    CHECK(pieces == all);
}
