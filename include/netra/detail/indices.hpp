// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Index packs from the compilers' own builtins: constant depth, no standard header.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::detail {

template <usz... I>
struct indices {};

#if defined(__clang__)
template <class, usz... I>
using indices_from = indices<I...>;
/// indices<0, 1, ..., N - 1>
template <usz N>
using make_indices = __make_integer_seq<indices_from, usz, N>;
#else
template <usz N>
using make_indices = indices<__integer_pack(N)...>;
#endif

}  // namespace netra::inline v0::detail
