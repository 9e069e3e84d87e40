// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// What is known of a kernel without a GPU; gpu/session_test.cpp runs it.
#include <netra/contracts/devices.hpp>
#include <netra/engine/gpu_kernel.hpp>
#include <netra/engine/gpu_plan.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace netra;

namespace {
constexpr llama small{.hidden = 144,
                      .layers = 3,
                      .heads = 9,
                      .kv_heads = 3,
                      .head_dim = 16,
                      .intermediate = 384,
                      .vocab = 600,
                      .context = 256,
                      .rows = 1,
                      .tied_head = true,
                      .weights = bf16,
                      .kv = bf16};
}

TEST_CASE("a plan's kernel is written for the code and the shape of its device") {
    for (const device& d : {a100, l4, h200}) {
        INFO(d.name.d);
        const stream_plan p = plan_stream(small, d, {});
        const stream_kernel_text made(p);
        const kernel_image image = made.image();
        CHECK(image.where == d.gpu.code);
        CHECK(image.launch.blocks == d.workers);
        CHECK(image.launch.resident);
        CHECK(image.launch.shared_bytes == shared_of(p).end);
        CHECK(image.size == std::char_traits<char>::length(image.text));
        CHECK(made.text().find(std::string(".target ") + d.gpu.code.name.d) != std::string::npos);
        CHECK(made.text().find(std::string(".entry ") + image.entry.d + "(") != std::string::npos);
        CHECK(made.text() == stream_kernel_text(p).text());
    }
}

TEST_CASE("a plan without a kernel is refused with the reason") {
    device d = h200;
    d.shared_bytes = 20'000;
    CHECK_THROWS_WITH(stream_kernel_text(plan_stream(small, d, {})), test::containing("shared memory"));
    llama m = small;
    m.rows = 3;
    CHECK_THROWS_WITH(stream_kernel_text(plan_stream(m, h200, {})), test::containing("rows other than"));
}

TEST_CASE("a kernel that the compiler wrote is used for its own plan alone") {
    using decode = megakernel<small, h200>;
    const stream_code codes[] = {megakernel<small, a100>::code(), decode::code()};
    const gpu_plans plans = plan_for(small, dtype::bf16, h200, {});
    const stream_code* found = compiled_for(plans.decode, codes);
    REQUIRE(found == &codes[1]);
    CHECK(found->image.text == decode::assembly.data());
    CHECK(std::string(found->image.text) == stream_kernel_text(plans.decode).text());
    CHECK(compiled_for(plans.decode, {}) == nullptr);
    CHECK(compiled_for(plan_for(small, dtype::f16, h200, {}).decode, codes) == nullptr);
    llama longer = small;
    longer.context *= 2;
    CHECK(compiled_for(plan_for(longer, dtype::bf16, h200, {}).decode, codes) == nullptr);
    gpu_options options;
    options.stream.kv_splits = 2;
    CHECK(compiled_for(plan_for(small, dtype::bf16, h200, options).decode, codes) == nullptr);
}
