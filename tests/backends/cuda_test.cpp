// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cuda.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/gpu.hpp"

using namespace netra;

namespace {
constexpr const char* nothing = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
}

TEST_CASE("memory comes back as it went") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    cuda::buffer_memory memory(*where, 4096);
    std::vector<std::byte> bytes(4096);
    for (usz i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
    memory.write(bytes);
    std::vector<std::byte> back(4096);
    memory.read(back);
    CHECK(back == bytes);
    memory.fill(0xff);
    memory.read(back);
    CHECK(back.back() == std::byte{0xff});
    back.resize(4097);
    CHECK_THROWS_WITH(memory.read(back), netra::test::containing("4097") && netra::test::containing("4096"));
}

TEST_CASE("a GPU that is not there is refused with the number of those that are") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    CHECK_THROWS_WITH(cuda::gpu(1000), netra::test::containing("no GPU 1000"));
    CHECK_THROWS_AS(cuda::gpu(-1), backend_error);
}

TEST_CASE("kernels load where they fit, and say why not elsewhere") {
    const auto where = test::open_gpu();
    if (where == nullptr) return;
    kernel_image image{.text = nothing, .entry = "nothing", .where = sm_80};
    const cuda::loaded_kernel loaded(*where, image);
    loaded.launch({});
    where->synchronize();
    image.where.capability = 990;
    CHECK_THROWS_WITH(cuda::loaded_kernel(*where, image), netra::test::containing("compute capability"));
    image.where = sm_80;
    image.text = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tno.such.thing;\n}\n";
    CHECK_THROWS_WITH(cuda::loaded_kernel(*where, image), netra::test::containing("'no'"));
    image.text = nothing;
    image.entry = "other";
    CHECK_THROWS_WITH(cuda::loaded_kernel(*where, image), netra::test::containing("cuModuleGetFunction"));
}
