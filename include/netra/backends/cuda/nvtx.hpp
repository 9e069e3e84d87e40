// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Named ranges of the host's time for NVIDIA's profilers, through the NVTX library where the machine has one; nothing happens elsewhere.
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace netra::inline v0::cuda {

/// The two functions of NVTX that netra calls, null where there is no library.
class nvtx {
public:
    static const nvtx& get() {
        static const nvtx loaded;
        return loaded;
    }
    bool available() const { return push_ != nullptr && pop_ != nullptr; }
    int push(const char* name) const { return available() ? push_(name) : -1; }
    int pop() const { return available() ? pop_() : -1; }

private:
    nvtx() {
        // the first is of CUDA 13 and late versions of 12, the second of those before
        for (const char* library : {"libnvtx3interop.so.1", "libnvToolsExt.so.1"}) {
            void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
            if (opened == nullptr) continue;
            push_ = reinterpret_cast<int (*)(const char*)>(dlsym(opened, "nvtxRangePushA"));
            pop_ = reinterpret_cast<int (*)()>(dlsym(opened, "nvtxRangePop"));
            if (available()) return;
        }
    }
    int (*push_)(const char*) = nullptr;
    int (*pop_)() = nullptr;
};

/// From its construction to its end, on the thread that makes it.
class nvtx_range {
public:
    explicit nvtx_range(const char* name) { nvtx::get().push(name); }
    ~nvtx_range() { nvtx::get().pop(); }
    nvtx_range(const nvtx_range&) = delete;
    nvtx_range& operator=(const nvtx_range&) = delete;
};

}  // namespace netra::inline v0::cuda
