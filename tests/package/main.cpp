// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The smallest user of netra: a contract, checked while this file is compiled.
#include <netra/contracts/dtype.hpp>
#include <netra/detail/config.hpp>

#include <cstdio>

static_assert(netra::bits_of(netra::bf16) == 16);

int main() { std::printf("netra %d.%d.%d\n", NETRA_VERSION_MAJOR, NETRA_VERSION_MINOR, NETRA_VERSION_PATCH); }
