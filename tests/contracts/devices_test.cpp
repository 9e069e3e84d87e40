// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/contracts/devices.hpp>

#include "support/catch.hpp"

using namespace netra;

template <device D>
struct takes_a_device {
    static constexpr target code = D.gpu.code;
};
static_assert(takes_a_device<h200>::code == sm_90a);
static_assert(takes_a_device<rtx5090>::code == sm_120a);
static_assert(host_cpu().gpu == gpu_record{});

TEST_CASE("every GPU runs what is made for it, and no target would suit it better") {
    for (const device& d : gpu_devices) {
        INFO(d.name.d);
        CHECK(d.isa == instruction_set::ptx);
        CHECK(runs_on(d.gpu.code, d.gpu.capability));
        for (const target& t : ptx_targets) CHECK((!runs_on(t, d.gpu.capability) || t.capability <= d.gpu.code.capability));
    }
}

TEST_CASE("limits of a multiprocessor follow from the compute capability") {
    for (const device& d : gpu_devices) {
        INFO(d.name.d);
        // what the programming guide says of 8.0, of 9.0 and 10.0, and of 8.6, 8.9 and 12.0
        const bool large = d.gpu.capability == 80 || d.gpu.capability == 90 || d.gpu.capability == 100;
        CHECK(d.gpu.threads == (large ? 2048 : 1536));
        CHECK(d.shared_bytes == 1024U * (d.gpu.capability == 80 ? 163 : large ? 227 : 99));
        CHECK(d.gpu.registers == 65536);
    }
}

TEST_CASE("names are unique, and no figure is a thousand times too large or small") {
    for (const device& d : gpu_devices) {
        INFO(d.name.d);
        u32_t same = 0;
        for (const device& other : gpu_devices) same += other.name == d.name ? 1U : 0U;
        CHECK(same == 1);
        CHECK((d.workers >= 40 && d.workers <= 200));
        CHECK((d.memory_bytes >= 16'000'000'000 && d.memory_bytes <= 300'000'000'000));
        CHECK((d.gpu.bandwidth >= 200'000'000'000 && d.gpu.bandwidth <= 10'000'000'000'000));
        CHECK((d.gpu.cache_bytes >= (4U << 20) && d.gpu.cache_bytes <= (200U << 20)));
    }
}
