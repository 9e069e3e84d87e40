// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/codegen/megakernel.hpp>

#include "support/catch.hpp"
#include "support/module_text.hpp"

using namespace netra;

namespace {

constexpr llama small{.hidden = 576, .layers = 30, .heads = 9, .kv_heads = 3, .head_dim = 64, .intermediate = 1536, .vocab = 49152, .context = 2048, .rows = 1,
                      .tied_head = true, .weights = bf16, .kv = bf16};
/// The longest text: many rows, several chunks, biases, norms of heads, scales.
constexpr llama large{.hidden = 4096, .layers = 32, .heads = 32, .kv_heads = 8, .head_dim = 128, .intermediate = 14336, .vocab = 128256, .context = 8192,
                      .rows = 16, .qkv_bias = true, .o_bias = true, .mlp_bias = true, .qk_norm = true, .window = 4096, .weights = f16, .kv = bf16};

using decode = megakernel<small, a100>;
using prompt = megakernel<large, h200, stream_config{.kv_block = 32}>;
static_assert(accepted<decode> && accepted<prompt>);
static_assert(decode::plan.blocks == 108 && decode::launch.blocks == 108 && decode::launch.resident);
static_assert(decode::launch.shared_bytes <= a100.shared_bytes);
static_assert(prompt::plan.parts == 1 && prompt::plan.config.kv_block == 32);

template <class Kernel>
void same_as_at_run_time() {
    const test::module_text made(stream_kernel{Kernel::plan}, Kernel::plan.where.gpu.code);
    const kernel_image image = Kernel::image();
    CHECK(std::string(image.text) == made.text());
    CHECK(image.size == made.text().size());
    CHECK(image.where == made.image().where);
    CHECK(image.launch == made.image().launch);
    CHECK(image.entry == made.image().entry);
    CHECK(Kernel::code().plan == Kernel::plan);
    CHECK(Kernel::code().image.text == image.text);
}

}  // namespace

TEST_CASE("a kernel made by the compiler has the text of one made at run time") {
    same_as_at_run_time<decode>();
    same_as_at_run_time<prompt>();
}

TEST_CASE("activations lose their low parts only where they do not fit with them") {
    llama m = small;
    m.rows = 4;
    CHECK(fitted_stream(m, h200, {}).parts == 2);
    device tight = h200;
    tight.shared_bytes = shared_of(plan_stream(m, h200, {.ring_slots = 2, .activations = activation_parts::single})).end;
    CHECK(check_layout(plan_stream(m, tight, {})).why == reason::too_large);
    CHECK(fitted_stream(m, tight, {}).parts == 1);
    CHECK(check_stream_kernel(fitted_stream(m, tight, {})).ok());
    CHECK_FALSE(check_layout(fitted_stream(m, tight, {.activations = activation_parts::high_low})).ok());
}

TEST_CASE("a compiled kernel is refused for what a kernel made at run time is refused for") {
    const auto refused = [](const llama& m, const device& d) { return check_stream_kernel(fitted_stream(m, d, {})); };
    llama m = small;
    CHECK(refused(m, l4).ok());
    m.weights = f32;
    CHECK(check(m, h200, {}).why == reason::no_kernel);
    device few = h200;
    few.shared_bytes = 50'000;
    CHECK(refused(small, few).why == reason::too_large);
    few = h200;
    few.gpu.code = sm_80;
    few.gpu.code.capability = 75;
    CHECK(refused(small, few).why == reason::unsupported_target);
}
