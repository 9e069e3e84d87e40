// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Turns a verdict into a compile error that spells reason, numbers and sentence in its first lines, on every supported compiler.
#pragma once

#include <netra/contracts/verdict.hpp>
#include <netra/detail/indices.hpp>

namespace netra::inline v0 {

/// One number of a refusal, as in `fact<label::counter, 44>`.
template <label What, u64_t Value>
struct fact;
/// A name of a refusal, letter by letter, for compilers that do not print texts.
template <char... Letters>
struct spelled;

/// The type whose arguments a compiler prints when it refuses.
template <reason Why, class... Numbers>
struct REJECTED {
    static_assert(Why == reason::accepted, "netra: rejected; the arguments of REJECTED<...> say why, docs/errors.md says how to mend it");
};
/// The sentence of a refusal, whole or in pieces that the compiler prints in full.
template <text... Sentence>
struct BECAUSE;

namespace detail {

template <const verdict& V, usz... I>
consteval auto spell_subject(indices<I...>) -> spelled<V.subject.d[I]...>*;
template <const verdict& V, usz... I>
consteval auto spell_object(indices<I...>) -> spelled<V.object.d[I]...>*;

constexpr usz length_of(const name& n) {
    usz i = 0;
    while (n.d[i] != 0) ++i;
    return i;
}

template <const verdict& V, usz At, usz Size>
consteval text<Size> piece_of_sentence() {
    const auto whole = sentence(V);
    text<Size> t;
    for (usz i = 0; i < Size; ++i) t.ch(whole.d[At + i]);
    return t;
}

template <const verdict& V>
inline constexpr usz sentence_length = sentence(V).n;

template <const verdict& V, usz... F, usz... P>
consteval bool reject(indices<F...>, indices<P...>) {
    using subject = decltype(spell_subject<V>(make_indices<length_of(V.subject)>{}));
    using object = decltype(spell_object<V>(make_indices<length_of(V.object)>{}));
    if constexpr (prints_texts) {
        constexpr usz n = sentence_length<V>;
        return sizeof(REJECTED<V.why, fact<V.facts[F].what, V.facts[F].value>...,
                               BECAUSE<piece_of_sentence<V, P * piece_length, (P * piece_length + piece_length < n ? piece_length : n - P * piece_length)>()...>>) != 0;
    } else {
        return sizeof(REJECTED<V.why, fact<V.facts[F].what, V.facts[F].value>..., subject, object>) != 0;
    }
}
}  // namespace detail

/// True when the verdict accepts; otherwise the program does not compile and the error spells the reason.
template <const verdict& V>
consteval bool require_accepted() {
    if constexpr (V.ok()) return true;
    else {
        constexpr usz pieces = (detail::sentence_length<V> + detail::piece_length - 1) / detail::piece_length;
        return detail::reject<V>(detail::make_indices<V.facts.size()>{}, detail::make_indices<pieces>{});
    }
}

/// The verdict of a contract, from its `check`.
template <auto Contract>
inline constexpr verdict verdict_of = check(Contract);

/// `static_assert(netra::accepted_contract<q_proj>)`: true, or a refusal with its reason.
template <auto Contract>
inline constexpr bool accepted_contract = require_accepted<verdict_of<Contract>>();

/// `static_assert(netra::accepted<decode>)`: true when the checker accepted a program type's schedule, or a refusal with its reason.
template <class Program>
inline constexpr bool accepted = require_accepted<Program::verdict>();

}  // namespace netra::inline v0
