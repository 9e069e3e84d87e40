// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The smallest user of netra: a contract that is checked while this file is compiled, and one that is refused at run time.
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/rejected.hpp>

#include <cstdio>

constexpr netra::linear q_proj{.rows = 1, .out = 576, .in = 576, .weight = netra::bf16};
static_assert(netra::accepted_contract<q_proj>);

int main() {
    std::printf("q_proj reads %llu bytes and does %llu operations\n", netra::bytes(q_proj), netra::flops(q_proj));

    netra::linear wide = q_proj;
    wide.rows = 64;
    std::printf("%s\n", netra::sentence(netra::check(wide)).d);
}

#if __has_include(<netra/models/smollm2.hpp>)
#include <netra/models/smollm2.hpp>
static_assert(netra::models::smollm2.layers == 30);  // made by netra_add_model
#endif
