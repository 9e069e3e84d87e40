// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What the blocks of a persistent kernel exchange to find the smallest logit that a draw keeps.
#pragma once

#include <netra/schedule/stream_plan.hpp>

namespace netra::inline v0 {

/// Each round knows 4 bits more of that logit: blocks exchange a 64-bit sum for each of 16 heaps that logits fall into.
inline constexpr u32_t draw_heaps = 16;
inline constexpr u32_t round_words = 2 * draw_heaps;
inline constexpr u32_t search_rounds = 8;
/// For the k-th largest logit, for the largest one, for the one that top-p ends with. A draw may leave out the first 8 and the last 9, and
/// the end of a search; its rounds are the first ones of these.
inline constexpr u32_t draw_rounds = 2 * search_rounds + 1;
/// Draws are for kernels of one row.
constexpr u32_t rounds_of(const stream_plan& p) { return p.model.rows == 1 ? draw_rounds : 0; }

}  // namespace netra::inline v0
