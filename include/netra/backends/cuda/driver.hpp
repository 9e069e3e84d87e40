// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The CUDA driver, loaded when it is first asked for, so that a program built without CUDA starts on any machine.
/// Signatures and values: "CUDA Driver API" manual, version 12.
#pragma once

#include <netra/backends/error.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <string>

namespace netra::inline v0::cuda {

using result = int;
using device_id = int;
using device_memory = u64_t;
using context = struct context_t*;
using module_handle = struct module_t*;
using function = struct function_t*;
using stream = struct stream_t*;
using event = struct event_t*;

/// Numbers of cuDeviceGetAttribute.
enum class attribute : int {
    max_shared_per_block_optin = 97,
    multiprocessors = 16,
    clock_khz = 13,
    capability_major = 75,
    capability_minor = 76,
};
/// Numbers of cuModuleLoadDataEx.
enum class jit_option : int { info_log = 3, info_log_bytes = 4, error_log = 5, error_log_bytes = 6 };

/// The driver's functions that netra calls.
class driver {
  public:
    /// @throws backend_error that says why this machine has no usable driver
    static const driver& get() {
        static const driver loaded;
        return loaded;
    }

    result (*device_count)(int*) = nullptr;
    result (*device_get)(device_id*, int) = nullptr;
    result (*device_name)(char*, int, device_id) = nullptr;
    result (*device_attribute)(int*, int, device_id) = nullptr;
    result (*driver_version)(int*) = nullptr;
    result (*context_retain)(context*, device_id) = nullptr;
    result (*context_release)(device_id) = nullptr;
    result (*context_set)(context) = nullptr;
    result (*synchronize)() = nullptr;
    result (*module_load)(module_handle*, const void*, unsigned, int*, void**) = nullptr;
    result (*module_unload)(module_handle) = nullptr;
    result (*module_function)(function*, module_handle, const char*) = nullptr;
    result (*allocate)(device_memory*, std::size_t) = nullptr;
    result (*release)(device_memory) = nullptr;
    result (*copy_to_device)(device_memory, const void*, std::size_t) = nullptr;
    result (*copy_to_host)(void*, device_memory, std::size_t) = nullptr;
    result (*copy_on_device)(device_memory, device_memory, std::size_t) = nullptr;
    result (*fill)(device_memory, unsigned char, std::size_t) = nullptr;
    result (*launch)(function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream, void**, void**) = nullptr;
    result (*event_create)(event*, unsigned) = nullptr;
    result (*event_destroy)(event) = nullptr;
    result (*event_record)(event, stream) = nullptr;
    result (*event_synchronize)(event) = nullptr;
    result (*event_elapsed)(float*, event, event) = nullptr;

    /// @throws backend_error that names the call, the driver's word for the error and, where netra knows one, the remedy
    void check(result code, const char* call) const {
        if (code == 0) return;
        const char* name = nullptr;
        const char* text = nullptr;
        error_name_(code, &name);
        error_text_(code, &text);
        throw backend_error(std::string("CUDA: ") + call + " failed: " + (name == nullptr ? "error" : name) + " (" + std::to_string(code) + "), " +
                            (text == nullptr ? "unknown" : text) + remedy(code));
    }

  private:
    driver() {
        library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw backend_error("CUDA is not available: the driver's library libcuda.so.1 cannot be loaded; install the NVIDIA driver, or use the CPU backend");
        load(error_name_, "cuGetErrorName");
        load(error_text_, "cuGetErrorString");
        load(initialise_, "cuInit");
        load(device_count, "cuDeviceGetCount");
        load(device_get, "cuDeviceGet");
        load(device_name, "cuDeviceGetName");
        load(device_attribute, "cuDeviceGetAttribute");
        load(driver_version, "cuDriverGetVersion");
        load(context_retain, "cuDevicePrimaryCtxRetain");
        load(context_release, "cuDevicePrimaryCtxRelease_v2");
        load(context_set, "cuCtxSetCurrent");
        load(synchronize, "cuCtxSynchronize");
        load(module_load, "cuModuleLoadDataEx");
        load(module_unload, "cuModuleUnload");
        load(module_function, "cuModuleGetFunction");
        load(allocate, "cuMemAlloc_v2");
        load(release, "cuMemFree_v2");
        load(copy_to_device, "cuMemcpyHtoD_v2");
        load(copy_to_host, "cuMemcpyDtoH_v2");
        load(copy_on_device, "cuMemcpyDtoD_v2");
        load(fill, "cuMemsetD8_v2");
        load(launch, "cuLaunchKernel");
        load(event_create, "cuEventCreate");
        load(event_destroy, "cuEventDestroy_v2");
        load(event_record, "cuEventRecord");
        load(event_synchronize, "cuEventSynchronize");
        load(event_elapsed, "cuEventElapsedTime");
        check(initialise_(0), "cuInit");
    }
    template <class Function>
    void load(Function& to, const char* symbol) {
        to = reinterpret_cast<Function>(dlsym(library_, symbol));
        if (to == nullptr) throw backend_error(std::string("CUDA is not available: the driver has no function ") + symbol + "; update the NVIDIA driver");
    }
    static const char* remedy(result code) {
        switch (code) {
            case 2: return "; the GPU has too little free memory: use a shorter context or end other programs on it";
            case 100: return "; the driver sees no GPU";
            case 209: return "; the kernel was made for another GPU: choose the target of this one";
            case 218: return "; the PTX text is not valid for this driver, its log follows where there is one";
            case 222: return "; the driver is older than the PTX text: update the NVIDIA driver, or choose an older target";
            case 701: return "; the launch asks for more registers or shared memory than the GPU has";
            case 719: case 700: return "; a kernel touched memory that is not its own";
            default: return "";
        }
    }

    void* library_ = nullptr;  // stays loaded until the program ends
    result (*initialise_)(unsigned) = nullptr;
    result (*error_name_)(result, const char**) = nullptr;
    result (*error_text_)(result, const char**) = nullptr;
};

}  // namespace netra::inline v0::cuda
