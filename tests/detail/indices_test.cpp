// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/detail/indices.hpp>

namespace {

using namespace netra;
using detail::indices;
using detail::make_indices;

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

static_assert(same<make_indices<0>, indices<>>);
static_assert(same<make_indices<1>, indices<0>>);
static_assert(same<make_indices<5>, indices<0, 1, 2, 3, 4>>);

template <usz... I>
consteval bool ascending(indices<I...>) {
    const usz all[] = {I...};
    for (usz i = 0; i < sizeof...(I); ++i)
        if (all[i] != i) return false;
    return true;
}
static_assert(ascending(make_indices<2000>{}));  // more than any recursion depth

}  // namespace
