// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The CUDA driver, loaded when it is first asked for, so that a program built without CUDA starts on any machine.
/// Signatures and values: "CUDA Driver API" manual, version 12.
#pragma once

#include <netra/backends/cuda/remedy.hpp>
#include <netra/backends/error.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace netra::inline v0::cuda {

using result = int;
using device_id = int;
using device_memory = u64_t;
using context = struct context_t*;
using module_handle = struct module_t*;
using function = struct function_t*;
using stream = struct stream_t*;
using event = struct event_t*;
using linker = struct linker_t*;
using graph_handle = struct graph_t*;
using graph_program = struct graph_program_t*;

inline constexpr result not_ready = 600;  ///< of event_query and stream_query: the work before it has not ended

/// Numbers of cuDeviceGetAttribute.
enum class attribute : int {
    clock_khz = 13,
    multiprocessors = 16,
    cache_bytes = 38,
    threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    registers_per_multiprocessor = 82,
    cooperative_launch = 95,
    max_shared_per_block_optin = 97,
    mps_enabled = 133,
};
/// Numbers of cuFuncGetAttribute and cuFuncSetAttribute.
enum class function_attribute : int {
    threads_per_block = 0,
    static_shared_bytes = 1,
    local_bytes = 3,
    registers = 4,
    dynamic_shared_bytes = 8
};
/// Numbers of cuModuleLoadDataEx and cuLinkCreate.
enum class jit_option : int { info_log = 3, info_log_bytes = 4, error_log = 5, error_log_bytes = 6 };
inline constexpr int link_input_ptx = 1;            ///< of cuLinkAddData
inline constexpr unsigned stream_non_blocking = 1;  ///< of cuStreamCreate: not ordered with the default stream
inline constexpr unsigned event_without_time = 2;   ///< of cuEventCreate
inline constexpr unsigned host_memory_mapped = 2;   ///< of cuMemHostAlloc: kernels reach it too
inline constexpr int capture_of_this_thread = 1;    ///< of cuStreamBeginCapture

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
    result (*device_total_memory)(std::size_t*, device_id) = nullptr;
    result (*driver_version)(int*) = nullptr;
    result (*context_retain)(context*, device_id) = nullptr;
    result (*context_release)(device_id) = nullptr;
    result (*context_set)(context) = nullptr;
    result (*synchronize)() = nullptr;
    result (*module_load)(module_handle*, const void*, unsigned, int*, void**) = nullptr;
    result (*module_unload)(module_handle) = nullptr;
    result (*module_function)(function*, module_handle, const char*) = nullptr;
    result (*link_create)(unsigned, int*, void**, linker*) = nullptr;
    result (*link_add)(linker, int, void*, std::size_t, const char*, unsigned, int*, void**) = nullptr;
    result (*link_complete)(linker, void**, std::size_t*) = nullptr;
    result (*link_destroy)(linker) = nullptr;
    result (*function_get)(int*, int, function) = nullptr;
    result (*function_set)(function, int, int) = nullptr;
    result (*blocks_per_multiprocessor)(int*, function, int, std::size_t) = nullptr;
    result (*allocate)(device_memory*, std::size_t) = nullptr;
    result (*release)(device_memory) = nullptr;
    result (*memory_info)(std::size_t*, std::size_t*) = nullptr;
    result (*host_allocate)(void**, std::size_t, unsigned) = nullptr;
    result (*host_release)(void*) = nullptr;
    result (*host_address)(device_memory*, void*, unsigned) = nullptr;
    result (*copy_to_device)(device_memory, const void*, std::size_t) = nullptr;
    result (*copy_to_host)(void*, device_memory, std::size_t) = nullptr;
    result (*copy_on_device)(device_memory, device_memory, std::size_t) = nullptr;
    result (*copy_to_device_async)(device_memory, const void*, std::size_t, stream) = nullptr;
    result (*copy_to_host_async)(void*, device_memory, std::size_t, stream) = nullptr;
    result (*fill)(device_memory, unsigned char, std::size_t) = nullptr;
    result (*fill_async)(device_memory, unsigned char, std::size_t, stream) = nullptr;
    result (*launch)(function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream, void**, void**) = nullptr;
    result (*launch_cooperative)(function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream, void**) = nullptr;
    result (*stream_create)(stream*, unsigned) = nullptr;
    result (*stream_destroy)(stream) = nullptr;
    result (*stream_synchronize)(stream) = nullptr;
    result (*stream_query)(stream) = nullptr;
    result (*event_create)(event*, unsigned) = nullptr;
    result (*event_destroy)(event) = nullptr;
    result (*event_record)(event, stream) = nullptr;
    result (*event_query)(event) = nullptr;
    result (*event_synchronize)(event) = nullptr;
    result (*event_elapsed)(float*, event, event) = nullptr;
    result (*capture_begin)(stream, int) = nullptr;
    result (*capture_end)(stream, graph_handle*) = nullptr;
    result (*graph_instantiate)(graph_program*, graph_handle, unsigned long long) = nullptr;
    result (*graph_launch)(graph_program, stream) = nullptr;
    result (*graph_program_destroy)(graph_program) = nullptr;
    result (*graph_destroy)(graph_handle) = nullptr;

    /// @throws backend_error that names the call, the driver's word for the error and, where netra knows one, the remedy
    void check(result code, const char* call) const {
        if (code != 0) fail(code, call);
    }
    [[noreturn]] void fail(result code, const std::string& call) const { throw backend_error("CUDA: " + said(code, call)); }

    /// Notes work that has not ended in time; `end` is recorded behind it and belongs to the driver from now on.
    void give_up(event end) const {
        const std::lock_guard lock(unfinished_guard_);
        unfinished_.push_back(end);
    }
    /// Whether freeing what kernels use returns at once. While given-up work runs, it would wait for that without end; better nothing is
    /// freed.
    bool may_release() const {
        const std::lock_guard lock(unfinished_guard_);
        std::erase_if(unfinished_, [this](event e) { return event_query(e) != not_ready && (event_destroy(e), true); });
        return unfinished_.empty();
    }

private:
    driver() {
        library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) {
            const char* why = dlerror();
            throw backend_error(std::string("CUDA is not available: the driver's library libcuda.so.1 cannot be loaded (") +
                                (why == nullptr ? "no reason given" : why) + "); install the NVIDIA driver, or use the CPU backend");
        }
        load(error_name_, "cuGetErrorName");
        load(error_text_, "cuGetErrorString");
        load(initialise_, "cuInit");
        load(device_count, "cuDeviceGetCount");
        load(device_get, "cuDeviceGet");
        load(device_name, "cuDeviceGetName");
        load(device_attribute, "cuDeviceGetAttribute");
        load(device_total_memory, "cuDeviceTotalMem_v2");
        load(driver_version, "cuDriverGetVersion");
        load(context_retain, "cuDevicePrimaryCtxRetain");
        load(context_release, "cuDevicePrimaryCtxRelease_v2");
        load(context_set, "cuCtxSetCurrent");
        load(synchronize, "cuCtxSynchronize");
        load(module_load, "cuModuleLoadDataEx");
        load(module_unload, "cuModuleUnload");
        load(module_function, "cuModuleGetFunction");
        load(link_create, "cuLinkCreate_v2");
        load(link_add, "cuLinkAddData_v2");
        load(link_complete, "cuLinkComplete");
        load(link_destroy, "cuLinkDestroy");
        load(function_get, "cuFuncGetAttribute");
        load(function_set, "cuFuncSetAttribute");
        load(blocks_per_multiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
        load(allocate, "cuMemAlloc_v2");
        load(release, "cuMemFree_v2");
        load(memory_info, "cuMemGetInfo_v2");
        load(host_allocate, "cuMemHostAlloc");
        load(host_release, "cuMemFreeHost");
        load(host_address, "cuMemHostGetDevicePointer_v2");
        load(copy_to_device, "cuMemcpyHtoD_v2");
        load(copy_to_host, "cuMemcpyDtoH_v2");
        load(copy_on_device, "cuMemcpyDtoD_v2");
        load(copy_to_device_async, "cuMemcpyHtoDAsync_v2");
        load(copy_to_host_async, "cuMemcpyDtoHAsync_v2");
        load(fill, "cuMemsetD8_v2");
        load(fill_async, "cuMemsetD8Async");
        load(launch, "cuLaunchKernel");
        load(launch_cooperative, "cuLaunchCooperativeKernel");
        load(stream_create, "cuStreamCreate");
        load(stream_destroy, "cuStreamDestroy_v2");
        load(stream_synchronize, "cuStreamSynchronize");
        load(stream_query, "cuStreamQuery");
        load(event_create, "cuEventCreate");
        load(event_destroy, "cuEventDestroy_v2");
        load(event_record, "cuEventRecord");
        load(event_query, "cuEventQuery");
        load(event_synchronize, "cuEventSynchronize");
        load(event_elapsed, "cuEventElapsedTime");
        load(capture_begin, "cuStreamBeginCapture_v2");
        load(capture_end, "cuStreamEndCapture");
        load(graph_instantiate, "cuGraphInstantiateWithFlags");
        load(graph_launch, "cuGraphLaunch");
        load(graph_program_destroy, "cuGraphExecDestroy");
        load(graph_destroy, "cuGraphDestroy");
        if (const result code = initialise_(0); code != 0) throw backend_error("CUDA is not available: " + said(code, "cuInit"));
    }
    std::string said(result code, const std::string& call) const {
        const char* name = nullptr;
        const char* text = nullptr;
        error_name_(code, &name);
        error_text_(code, &text);
        const char* remedy = remedy_of(code);
        return call + " failed: " + (name == nullptr ? "error" : name) + " (" + std::to_string(code) + "), " +
               (text == nullptr ? "unknown" : text) + (remedy == nullptr ? "" : std::string("; ") + remedy);
    }
    template <class Function>
    void load(Function& to, const char* symbol) {
        to = reinterpret_cast<Function>(dlsym(library_, symbol));
        if (to == nullptr)
            throw backend_error(std::string("CUDA is not available: the driver has no function ") + symbol + "; update the NVIDIA driver");
    }

    void* library_ = nullptr;  // stays loaded until the program ends
    result (*initialise_)(unsigned) = nullptr;
    result (*error_name_)(result, const char**) = nullptr;
    result (*error_text_)(result, const char**) = nullptr;
    mutable std::mutex unfinished_guard_;
    mutable std::vector<event> unfinished_;
};

}  // namespace netra::inline v0::cuda
