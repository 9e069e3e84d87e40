// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Waiting for a kernel no longer than a limit: one that does not end, or gave up by itself, is an error that names the waiting task, not a
/// hang.
#pragma once

#include <netra/backends/cuda/kernel.hpp>
#include <netra/backends/cuda/memory.hpp>
#include <netra/backends/cuda/stream.hpp>
#include <netra/codegen/stall_record.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace netra::inline v0::cuda {

using seconds = std::chrono::duration<double>;

/// "0.25 s", "30 s".
inline std::string in_words(seconds t) {
    const auto ms = static_cast<u64_t>(t.count() * 1000.0 + 0.5);
    std::string text = std::to_string(ms / 1000);
    if (ms % 1000 != 0) {
        text += "." + std::to_string(1000 + ms % 1000).substr(1);
        while (text.back() == '0') text.pop_back();
    }
    return text + " s";
}

/// What the watchdog says of a kernel that gave up (`ended`), or of one that still runs after `limit`. `record` as it was last seen.
inline std::string stall_message(const char* entry, bool ended, seconds limit, const stall_record& record, const stall_names& names) {
    text<400> stall;
    write_stall(stall, record, names);
    std::string said = std::string("the kernel ") + entry;
    said += ended ? " stopped itself, because it made no progress" : " has not ended within " + in_words(limit);
    if (record.state != stall_none) said += ": " + std::string(stall.d);
    said += ended ? "; results of this launch are not valid, and the next launch starts anew"
                  : "; this process can use the GPU again only when the kernel has ended. Another program on the GPU, or a limit that is "
                    "too short, also looks like this";
    return said;
}

/// A stall record in device memory, where kernels poll it, and the way to read it while a kernel still runs.
class stall_watch {
public:
    explicit stall_watch(const gpu& where, const stall_names& names = {})
        : api_(where.api()), record_(where, sizeof(stall_record)), copy_(where, sizeof(stall_record)), beside_(where), names_(names) {
        reset();
    }
    /// To be passed to the kernel.
    device_memory at() const { return record_.at(); }
    void reset() {
        record_.fill_async(0, beside_);
        beside_.synchronize();
    }
    /// Empty when the GPU does not even copy within half a second.
    stall_record read() const {
        stall_record r;
        record_.read_async(copy_.bytes(), 0, beside_);
        result code = not_ready;
        const auto begin = std::chrono::steady_clock::now();
        const auto waited = [&] { return std::chrono::steady_clock::now() - begin; };
        while ((code = api_.stream_query(beside_)) == not_ready && waited() < std::chrono::milliseconds(500))
            if (waited() > std::chrono::microseconds(200)) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // most copies take less
        if (code == 0) std::memcpy(&r, copy_.bytes().data(), sizeof r);
        return r;
    }
    const stall_names& names() const { return names_; }

private:
    const driver& api_;
    buffer_memory record_;
    pinned_memory copy_;
    work_stream beside_;
    stall_names names_;
};

/// Waits until everything on `on` has ended. @throws backend_error with the kernel's name after `limit`, when it gave up by itself, or when
/// it failed
inline void wait_within(const driver& api, stream on, seconds limit, const char* entry, stall_watch* watch = nullptr) {
    using clock = std::chrono::steady_clock;
    event end = nullptr;
    api.check(api.event_create(&end, event_without_time), "cuEventCreate");
    result code = api.event_record(end, on);
    const auto begin = clock::now();
    auto pause = std::chrono::microseconds(0);
    while (code == 0 && (code = api.event_query(end)) == not_ready) {
        if (clock::now() - begin > limit) {
            const stall_record seen = watch == nullptr ? stall_record{} : watch->read();
            api.give_up(end);
            throw backend_error("CUDA: " + stall_message(entry, false, limit, seen, watch == nullptr ? stall_names{} : watch->names()));
        }
        if (pause.count() == 0)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(pause);
        // short kernels are met at once, long ones cost no CPU, and none is met later than by a hundredth of its time
        if (const auto waited = clock::now() - begin; waited > std::chrono::milliseconds(1))
            pause = std::min(std::chrono::duration_cast<std::chrono::microseconds>(waited / 100), std::chrono::microseconds(1000));
        code = 0;
    }
    api.event_destroy(end);
    if (code != 0) api.fail(code, std::string("the kernel ") + entry);
    if (watch == nullptr) return;
    if (const stall_record seen = watch->read(); seen.state != stall_none) {
        watch->reset();
        throw backend_error("CUDA: " + stall_message(entry, true, limit, seen, watch->names()));
    }
}

inline void launch_and_wait(const loaded_kernel& kernel, std::span<const device_memory> arguments, stream on, seconds limit,
                            stall_watch* watch = nullptr) {
    kernel.launch(arguments, on);
    wait_within(kernel.api(), on, limit, kernel.entry(), watch);
}

}  // namespace netra::inline v0::cuda
