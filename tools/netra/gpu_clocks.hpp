// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Clocks and driver of a GPU as NVIDIA's management library tells them, where the machine has it.
#pragma once

#include <dlfcn.h>

#include <string>

namespace netra::tool {

/// Megahertz now and at the most; 0 and empty where the library is missing or does not say.
struct gpu_clocks {
    unsigned multiprocessors = 0, multiprocessors_most = 0, memory = 0;
    std::string driver;
};

/// Signatures and values: "NVML API Reference Guide". `index` counts GPUs as the library does: all of the machine.
inline gpu_clocks read_gpu_clocks(unsigned index) {
    gpu_clocks read;
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return read;
    const auto load = [&]<class F>(F*& to, const char* name) {
        to = reinterpret_cast<F*>(dlsym(library, name));  // NOLINT: what dlsym is for
        return to != nullptr;
    };
    int (*begin)() = nullptr;
    int (*end)() = nullptr;
    int (*handle)(unsigned, void**) = nullptr;
    int (*now)(void*, int, unsigned*) = nullptr;
    int (*most)(void*, int, unsigned*) = nullptr;
    int (*version)(char*, unsigned) = nullptr;
    constexpr int multiprocessors = 1;
    constexpr int memory = 2;
    const bool whole = load(begin, "nvmlInit_v2") && load(end, "nvmlShutdown") && load(handle, "nvmlDeviceGetHandleByIndex_v2") &&
                       load(now, "nvmlDeviceGetClockInfo") && load(most, "nvmlDeviceGetMaxClockInfo") &&
                       load(version, "nvmlSystemGetDriverVersion");
    if (whole && begin() == 0) {
        void* of = nullptr;
        char text[96] = {};
        if (version(text, sizeof text - 1) == 0) read.driver = text;
        if (handle(index, &of) == 0) {
            const auto ask = [&](int (*what)(void*, int, unsigned*), int clock) {
                unsigned mhz = 0;
                return what(of, clock, &mhz) == 0 ? mhz : 0;
            };
            read.multiprocessors = ask(now, multiprocessors);
            read.multiprocessors_most = ask(most, multiprocessors);
            read.memory = ask(now, memory);
        }
        end();
    }
    dlclose(library);
    return read;
}

}  // namespace netra::tool
