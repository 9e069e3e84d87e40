// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The ranges that copies may touch; tests/gpu/backend_test.cpp copies.
#include <netra/backends/cuda/memory.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("copies stay inside their memory, however large the numbers") {
    using cuda::detail::require_range;
    require_range(0, 0, 0);
    require_range(0, 4096, 4096);
    require_range(4096, 0, 4096);
    require_range(4000, 96, 4096);
    constexpr std::size_t most = ~std::size_t{0};
    for (const auto& [offset, size] :
         {std::pair<std::size_t, std::size_t>{0, 4097}, {4097, 0}, {4000, 97}, {1, most}, {most, 1}, {most, most}})
        CHECK_THROWS_AS(require_range(offset, size, 4096), backend_error);
    CHECK_THROWS_WITH(require_range(4000, 97, 4096), test::containing("97 bytes at byte 4000") && test::containing("4096"));
}
