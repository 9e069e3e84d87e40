// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// What to do about an error of the CUDA driver. Numbers and meanings: "CUDA Driver API" manual, CUresult.
#pragma once

#include <netra/detail/config.hpp>

namespace netra::inline v0::cuda {

namespace detail {
struct remedy {
    int code;
    const char* text;
};
inline constexpr remedy remedies[] = {
    {1, "an argument is outside what the driver takes: a fault of the program that calls it"},
    {2, "the GPU has too little free memory: use a shorter context or end other programs on it"},
    {3, "the driver has not been initialised in this process"},
    {4, "the driver is shutting down, because the program ends"},
    {34, "libcuda.so.1 is the stub that is only for linking: install the NVIDIA driver, or take the stub out of the library path"},
    {36, "the driver is too old for this call: update the NVIDIA driver"},
    {46, "another program holds the GPU for itself: end it, or leave the exclusive compute mode (nvidia-smi -c 0)"},
    {100, "the driver sees no GPU: see whether nvidia-smi lists one, and what CUDA_VISIBLE_DEVICES hides"},
    {101, "there is no GPU of that number"},
    {200, "the kernel's image is damaged or no image at all; where it came from the cache, remove the cache's folder"},
    {201, "no context is current on this thread: make the netra::cuda::gpu on the thread that uses it"},
    {205, "memory could not be mapped: the machine may be short of address space or locked memory (ulimit -l)"},
    {209, "the kernel was made for another GPU: choose the target of this one"},
    {214, "the GPU's memory has an error that ECC could not correct: restart the program, and have the GPU examined if it comes back"},
    {218, "the driver could not compile the PTX text; its log stands above where there is one"},
    {220, "NVLink has an error that could not be corrected: have the machine examined"},
    {221, "the driver's PTX compiler is missing: install libnvidia-ptxjitcompiler.so.1 of the driver's version"},
    {222, "the driver is older than the PTX text: update the NVIDIA driver, or choose an older target"},
    {223, "CUDA_DISABLE_PTX_JIT is set, so the driver compiles no PTX text: unset it"},
    {226, "a fault on the GPU was contained; the process must end before the GPU can be used again"},
    {300, "the driver could not compile or link the kernel's text"},
    {301, "the driver did not find a file"},
    {302, "a library of the driver lacks a symbol: its parts are of different versions, install the driver again"},
    {303, "a library of the driver could not be initialised: install the driver again"},
    {304,
     "a call of the operating system failed: see that /dev/nvidia* can be opened, and how many files and processes are allowed (ulimit)"},
    {400, "a handle is not valid: an object is used after its end, or on another GPU"},
    {500, "the image has no kernel of that name"},
    {600, "the work has not ended yet"},
    {700, "a kernel touched memory that is not its own; the process must end before the GPU can be used again"},
    {701, "the launch asks for more registers or shared memory than the GPU has"},
    {702, "the kernel ran longer than the display's driver allows: use a GPU without a display"},
    {710, "a kernel's assertion failed; the process must end before the GPU can be used again"},
    {715, "a kernel ran an instruction that the GPU does not have, or stopped itself with trap"},
    {716, "a kernel used an address that is not aligned for its access"},
    {717, "a kernel used an address of another memory than the instruction is for"},
    {718, "a kernel jumped out of its code"},
    {719, "a kernel failed while it ran; the process must end before the GPU can be used again"},
    {720, "the kernel's blocks cannot all be on the GPU at once: choose the device that this GPU is, and end MPS or MIG"},
    {800, "the operation is not permitted here: under MPS or in a container some are not"},
    {801, "the GPU or the driver does not support this; virtual and very old GPUs lack parts of CUDA"},
    {802, "the machine is not ready: on machines with NVSwitch the service nvidia-fabricmanager must run, and GPUs may still be starting"},
    {803,
     "the driver's library and its kernel module are of different versions: restart the machine after an update, or load the module again"},
    {804,
     "a forward compatibility library (cuda-compat) is installed, which this GPU does not support: remove it from the library path, or "
     "hide the GPU with CUDA_VISIBLE_DEVICES"},
    {805, "the MPS daemon cannot be reached: start nvidia-cuda-mps-control, or unset CUDA_MPS_PIPE_DIRECTORY"},
    {806, "the MPS server did not answer: restart it"},
    {807, "the MPS server is recovering from a fault of another program: try again"},
    {808, "the MPS server has no room for another program"},
    {809, "the MPS server has no room for another connection"},
    {810, "the MPS server ended this program, because another one failed"},
    {900, "the operation cannot be part of a CUDA graph"},
    {901, "an error earlier in the capture made the CUDA graph useless"},
    {906, "the default stream was used while a CUDA graph is captured: launch on the stream that is captured"},
    {999, "the driver failed without saying why: see dmesg for NVRM or Xid lines; restarting the machine often helps"},
};
}  // namespace detail

/// Null where nothing is known beyond the driver's own words.
constexpr const char* remedy_of(int code) {
    for (const detail::remedy& r : detail::remedies)
        if (r.code == code) return r.text;
    return nullptr;
}

}  // namespace netra::inline v0::cuda
