// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A sequence of launches and copies recorded once as a CUDA graph, and started as often as wanted with one call.
#pragma once

#include <netra/backends/cuda/stream.hpp>

#include <utility>

namespace netra::inline v0::cuda {

class launch_graph {
public:
    /// `record(stream)` puts the work on the stream that it is given; nothing runs yet. Arguments of kernels are kept as they are now.
    template <class Record>
    launch_graph(const gpu& where, Record&& record) : api_(where.api()) {
        const work_stream on(where);
        api_.check(api_.capture_begin(on, capture_of_this_thread), "cuStreamBeginCapture");
        graph_handle recorded = nullptr;
        try {
            std::forward<Record>(record)(on.get());
        } catch (...) {
            if (api_.capture_end(on, &recorded) == 0 && recorded != nullptr) api_.graph_destroy(recorded);
            throw;
        }
        api_.check(api_.capture_end(on, &recorded), "cuStreamEndCapture");
        const result code = api_.graph_instantiate(&program_, recorded, 0);
        api_.graph_destroy(recorded);
        api_.check(code, "cuGraphInstantiate");
    }
    ~launch_graph() {
        if (api_.may_release()) api_.graph_program_destroy(program_);
    }
    launch_graph(const launch_graph&) = delete;
    launch_graph& operator=(const launch_graph&) = delete;

    void launch(stream on = nullptr) const { api_.check(api_.graph_launch(program_, on), "cuGraphLaunch"); }

private:
    const driver& api_;
    graph_program program_ = nullptr;
};

}  // namespace netra::inline v0::cuda
