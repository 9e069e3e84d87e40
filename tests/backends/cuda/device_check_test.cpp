// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
#include <netra/backends/cuda/device_check.hpp>
#include <netra/contracts/devices.hpp>

#include "support/catch.hpp"

using namespace netra;
using namespace netra::cuda;
using test::containing;

namespace {

/// A GPU that is as its record says.
gpu_properties real_one(const device& d) {
    return {.name = "NVIDIA " + std::string(d.name.d),
            .capability = d.gpu.capability,
            .multiprocessors = d.workers,
            .registers = d.gpu.registers,
            .threads = d.gpu.threads,
            .shared_bytes = d.shared_bytes,
            .memory_bytes = d.memory_bytes,
            .cache_bytes = d.gpu.cache_bytes,
            .driver_version = 13000,
            .cooperative = true,
            .mps = false,
            .mps_percentage = ""};
}

}  // namespace

TEST_CASE("every record fits its own GPU and no other one") {
    for (const device& record : gpu_devices)
        for (const device& real : gpu_devices) {
            INFO(record.name.d << " on " << real.name.d);
            const bool same_shape = record.workers == real.workers && record.gpu.capability == real.gpu.capability;
            CHECK(device_refusal(record, real_one(real)).empty() == same_shape);
        }
}

TEST_CASE("differences are refused with both values") {
    gpu_properties real = real_one(h200);
    real.multiprocessors = 114;
    CHECK(device_refusal(h200, real) ==
          "the program is made for h200 with 132 multiprocessors, NVIDIA h200 has 114: make the program for the GPU that this is");
    real = real_one(h200);
    real.shared_bytes = 101376;
    CHECK_THAT(device_refusal(h200, real), containing("232448 bytes of shared memory") && containing("101376"));
    real = real_one(h200);
    real.registers = 32768;
    CHECK_THAT(device_refusal(h200, real), containing("65536 registers") && containing("32768"));
    real = real_one(h200);
    real.threads = 1536;
    CHECK_THAT(device_refusal(h200, real), containing("2048 resident threads") && containing("1536"));
    real = real_one(h200);
    real.cooperative = false;
    CHECK_THAT(device_refusal(h200, real), containing("cooperative launch"));
    CHECK_THAT(device_refusal(a10g, real_one(a100)), containing("compute capability 8.6") && containing("has 8.0"));
    CHECK_THAT(device_refusal(host_cpu(), real_one(a100)), containing("no GPU of NVIDIA"));
}

TEST_CASE("slices of a GPU are refused, even those of full size") {
    gpu_properties real = real_one(a100);
    real.name = "NVIDIA A100-SXM4-80GB MIG 3g.40gb";
    CHECK(real.is_mig_slice());
    CHECK_THAT(device_refusal(a100, real), containing("MIG") && containing("nvidia-smi -mig 0"));
    real.multiprocessors = 42;
    CHECK_THAT(device_refusal(a100, real), containing("108 multiprocessors") && containing("has 42"));
    real = real_one(a100);
    real.mps = true;
    CHECK_THAT(device_refusal(a100, real), containing("shared through MPS"));
    real.mps_percentage = "50";
    CHECK_THAT(device_refusal(a100, real), containing("50 %"));
    real.multiprocessors = 54;
    CHECK_THAT(device_refusal(a100, real), containing("108") && containing("54") && containing("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is 50"));
    CHECK_FALSE(real_one(a100).is_mig_slice());
}

TEST_CASE("a kernel's target must be the GPU's, and the one to choose is named") {
    CHECK(target_refusal(sm_80, real_one(h200)).empty());
    CHECK(target_refusal(sm_90a, real_one(h200)).empty());
    CHECK_THAT(target_refusal(sm_90a, real_one(b200)), containing("compute capability 9.0, no other") &&
                                                           containing("has compute capability 10.0") &&
                                                           containing("choose the target sm_100a"));
    CHECK_THAT(target_refusal(sm_89, real_one(a10g)),
               containing("8.9 or later") && containing("8.6") && containing("choose the target sm_80"));
    gpu_properties old = real_one(a100);
    old.capability = 75;
    CHECK_THAT(target_refusal(sm_80, old), containing("no target for it"));
}

TEST_CASE("the driver's version bounds the PTX version") {
    CHECK(newest_ptx(12040) == 84);
    CHECK(newest_ptx(12060) == 85);
    CHECK(newest_ptx(11040) == 74);
    CHECK(newest_ptx(13000) == 90);
    CHECK(newest_ptx(14000) == 91);
    CHECK(newest_ptx(8000) == 0);
    CHECK(driver_for(90) == 13000);
    CHECK(driver_for(79) == 12000);
    CHECK(ptx_refusal(84, 12040).empty());
    CHECK(ptx_refusal(90, 14000).empty());
    CHECK(ptx_refusal(99, 14000).empty());
    CHECK(ptx_refusal(87, 12040) ==
          "the kernel's text is PTX 8.7, which needs a driver of CUDA 12.8 or later; this driver is of CUDA 12.4 and takes PTX up to 8.4: "
          "update "
          "the NVIDIA driver, or choose an older target");
    for (const target& t : ptx_targets) {
        INFO(t.name.d);
        CHECK(driver_for(t.first_isa) != 0);
    }
}

TEST_CASE("the version is read from the text, whatever the text is") {
    CHECK(ptx_version_of(".version 7.8\n.target sm_80\n") == 78);
    CHECK(ptx_version_of("// a comment\n.version 9.0") == 90);
    for (const char* bad : {"", ".version", ".version ", ".version x", ".version 7", ".version 7.", ".version .8", "version 7.8"}) {
        INFO(bad);
        CHECK(ptx_version_of(bad) == 0);
    }
    CHECK(ptx_version_of(".version 99999999999999999999.9") == 0);
}

TEST_CASE("launches that cannot be resident, or do not fit a block, are refused with both values") {
    const gpu_properties real = real_one(h200);
    kernel_launch launch{.blocks = 132, .threads = 384, .shared_bytes = 200000, .resident = true};
    CHECK(launch_refusal("decode", launch, 1, 0, real).empty());
    launch.blocks = 133;
    CHECK_THAT(launch_refusal("decode", launch, 1, 0, real),
               containing("decode has 133 blocks") && containing("132 of them at once (1 on each of 132 multiprocessors)"));
    launch.resident = false;
    CHECK(launch_refusal("decode", launch, 1, 0, real).empty());
    launch.shared_bytes = 232448;
    CHECK(launch_refusal("decode", launch, 1, 0, real).empty());
    CHECK_THAT(launch_refusal("decode", launch, 1, 16, real), containing("232464 bytes") && containing("232448"));
    CHECK_THAT(launch_refusal("decode", launch, 0, 0, real), containing("384 threads") && containing("65536 registers"));
}
