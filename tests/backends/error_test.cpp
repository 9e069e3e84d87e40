// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/error.hpp>

#include "support/catch.hpp"

using namespace netra;

TEST_CASE("a verdict becomes a sentence with the reason's name") {
    const backend_error e(refuse(reason::too_many_workers, "cpu").with(label::workers, 300).with(label::limit, 256));
    CHECK(std::string(e.what()) == "schedule rejected (too_many_workers): the schedule has 300 workers, the device runs at most 256");
}
