// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// How a refusal looks, and how it is mended. This file compiles; with -DSHOW_REFUSAL it does not.
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

#include <cstdio>

// Rows of 580 elements do not fill blocks of 32.
constexpr netra::linear narrow{.rows = 1, .out = 576, .in = 580, .weight = netra::q4_1};

#ifdef SHOW_REFUSAL
// REJECTED is the word to look for. g++ 12 then begins with this line:
//
// include/netra/contracts/rejected.hpp: In instantiation of 'struct netra::v0::REJECTED<netra::v0::reason::not_a_multiple,
// netra::v0::fact<netra::v0::label::value, 580>, netra::v0::fact<netra::v0::label::multiple, 32>,
// netra::v0::BECAUSE<netra::v0::text<75>{"linear: in (elements of a weight row) is 580, which is not a multiple of 32", 75}> >':
static_assert(netra::accepted_contract<narrow>);
#endif

// The reason is not_a_multiple; docs/errors.md says to pad the weight, or to choose a format with smaller groups.
constexpr netra::linear padded{.rows = 1, .out = 576, .in = 608, .weight = netra::q4_1};
static_assert(netra::accepted_contract<padded>);

// A program that must live with a refusal asks for the verdict instead: the same check, the same numbers, the same sentence.
constexpr netra::verdict verdict = netra::check(narrow);
static_assert(verdict.why == netra::reason::not_a_multiple);
static_assert(verdict[netra::label::value] == 580 && verdict[netra::label::multiple] == 32);

int main() {
    std::printf("%s: %s\n", netra::name_of(verdict.why), netra::sentence(verdict).d);
    std::printf("padded rows of %u elements: %s\n", padded.in, netra::check(padded).ok() ? "accepted" : "refused");
}
