// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// An order of work on a GPU, and the time between two points of it. Functions that take a stream take the caller's too; null is the
/// default stream.
#pragma once

#include <netra/backends/cuda/gpu.hpp>

namespace netra::inline v0::cuda {

/// A stream of its own: not ordered with the default stream.
class work_stream {
public:
    explicit work_stream(const gpu& where) : api_(where.api()) {
        api_.check(api_.stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
    }
    ~work_stream() {
        if (api_.may_release()) api_.stream_destroy(stream_);
    }
    work_stream(const work_stream&) = delete;
    work_stream& operator=(const work_stream&) = delete;

    stream get() const { return stream_; }
    operator stream() const { return stream_; }
    void synchronize() const { api_.check(api_.stream_synchronize(stream_), "cuStreamSynchronize"); }

private:
    const driver& api_;
    stream stream_ = nullptr;
};

/// Milliseconds between two points of a stream.
class stopwatch {
public:
    explicit stopwatch(const gpu& where, stream on = nullptr) : api_(where.api()), on_(on) {
        api_.check(api_.event_create(&begin_, 0), "cuEventCreate");
        api_.check(api_.event_create(&end_, 0), "cuEventCreate");
    }
    ~stopwatch() { api_.event_destroy(begin_), api_.event_destroy(end_); }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;
    void start() { api_.check(api_.event_record(begin_, on_), "cuEventRecord"); }
    float stop() {
        float ms = 0.0F;
        api_.check(api_.event_record(end_, on_), "cuEventRecord");
        api_.check(api_.event_synchronize(end_), "cuEventSynchronize");
        api_.check(api_.event_elapsed(&ms, begin_, end_), "cuEventElapsedTime");
        return ms;
    }

private:
    const driver& api_;
    stream on_;
    event begin_ = nullptr;
    event end_ = nullptr;
};

}  // namespace netra::inline v0::cuda
