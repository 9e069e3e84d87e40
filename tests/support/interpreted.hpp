// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Runs contracts' kernels in the interpreter, on buffers that they may change.
#pragma once

#include "support/catch.hpp"
#include "support/dice.hpp"
#include "support/module_text.hpp"
#include "support/ptx/machine.hpp"

#include <cstdio>
#include <initializer_list>
#include <vector>

namespace netra::test {

/// Prints its seed.
class interpreted {
public:
    interpreted() : seed_(seed_from_environment("NETRA_SEED")), dice_(seed_) { std::printf("NETRA_SEED=%llu\n", static_cast<unsigned long long>(seed_)); }
    test::dice& dice() { return dice_; }

    template <class Contract>
    void operator()(const Contract& contract, std::initializer_list<std::vector<u8_t>*> buffers) {
        const module_text made(kernel_of(contract), sm_90a);
        REQUIRE(made.verdict().ok());
        simt::machine m(++seed_);
        std::vector<u64_t> arguments;
        for (const auto* b : buffers) arguments.push_back(m.upload(*b));
        const kernel_launch shape = made.image().launch;
        m.launch(simt::parse(made.text()), shape.blocks, shape.threads, shape.shared_bytes, arguments);
        usz i = 0;
        for (auto* b : buffers) *b = m.read<u8_t>(arguments[i++], b->size());
    }

private:
    u64_t seed_;
    test::dice dice_;
};

}  // namespace netra::test
