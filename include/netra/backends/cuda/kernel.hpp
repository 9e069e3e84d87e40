// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A kernel image on a GPU: refused with the reason where it does not fit, compiled once where a cache keeps it, launched on the caller's
/// stream.
#pragma once

#include <netra/backends/cuda/gpu.hpp>
#include <netra/backends/cuda/module_cache.hpp>
#include <netra/codegen/kernel_image.hpp>

#include <array>
#include <span>

namespace netra::inline v0::cuda {

/// A kernel image on a GPU, ready to launch.
class loaded_kernel {
public:
    /// @throws backend_error when the image is for another GPU or a newer driver, does not fit, or the driver refuses its text (with the
    /// driver's log)
    loaded_kernel(const gpu& where, const kernel_image& image, const module_cache& cache = {})
        : api_(where.api()), launch_(image.launch), entry_(image.entry) {
        const gpu_properties real = where.properties();
        refuse(target_refusal(image.where, real));
        const std::string_view text(image.text, image.size == 0 ? std::char_traits<char>::length(image.text) : image.size);
        refuse(ptx_refusal(ptx_version_of(text), real.driver_version));
        if (cache.on()) {
            const std::string key = module_key({text, image.where.name.d, real.capability, real.driver_version, driver_build()});
            cache.use(
                key, [&] { return compiled(text); },
                [&](const module_cache::bytes& made, bool kept) {
                    from_cache_ = kept;
                    const result code = api_.module_load(&module_, made.data(), 0, nullptr, nullptr);
                    if (code != 0 && !kept) api_.check(code, "cuModuleLoadDataEx");
                    return code == 0;
                });
        } else {
            jit_log log;
            const result code = api_.module_load(&module_, image.text, jit_log::count, log.options.data(), log.values.data());
            if (code != 0) api_.fail(code, "cuModuleLoadDataEx" + log.text());
        }
        try {
            prepare(real);
        } catch (...) {
            api_.module_unload(module_);
            throw;
        }
    }
    /// For a program whose schedule is of a device record: refuses any other GPU first.
    loaded_kernel(const gpu& where, const kernel_image& image, const device& record, const module_cache& cache = {})
        : loaded_kernel((where.refuse_other_than(record), where), image, cache) {}
    ~loaded_kernel() {
        if (api_.may_release()) api_.module_unload(module_);
    }
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    /// Starts the kernel; `arguments` are its parameters in order, pointers and numbers alike in 64 bits each.
    void launch(std::span<const device_memory> arguments, stream on = nullptr) const {
        std::array<void*, most_parameters> values{};
        if (arguments.size() > values.size())
            throw backend_error("CUDA: " + std::to_string(arguments.size()) + " arguments for " + entry_.d + "; at most " +
                                std::to_string(values.size()));
        for (usz i = 0; i < arguments.size(); ++i) values[i] = const_cast<device_memory*>(&arguments[i]);
        const kernel_launch& l = launch_;
        if (l.resident) {
            api_.check(api_.launch_cooperative(function_, l.blocks, 1, 1, l.threads, 1, 1, l.shared_bytes, on, values.data()),
                       "cuLaunchCooperativeKernel");
        } else {
            api_.check(api_.launch(function_, l.blocks, 1, 1, l.threads, 1, 1, l.shared_bytes, on, values.data(), nullptr),
                       "cuLaunchKernel");
        }
    }

    const driver& api() const { return api_; }
    const char* entry() const { return entry_.d; }
    const kernel_launch& shape() const { return launch_; }
    /// Whether the driver compiled nothing.
    bool from_cache() const { return from_cache_; }
    u32_t registers() const { return static_cast<u32_t>(get(function_attribute::registers)); }
    /// What the kernel spills to memory, of a thread.
    u32_t local_bytes() const { return static_cast<u32_t>(get(function_attribute::local_bytes)); }
    /// Blocks that one multiprocessor holds at once.
    u32_t blocks_per_multiprocessor() const { return per_multiprocessor_; }

private:
    static constexpr usz most_parameters = 32;

    /// Where the driver writes what its compiler says.
    struct jit_log {
        static constexpr unsigned count = 2;
        std::string said = std::string(16384, '\0');
        std::array<int, count> options = {static_cast<int>(jit_option::error_log), static_cast<int>(jit_option::error_log_bytes)};
        std::array<void*, count> values = {said.data(), reinterpret_cast<void*>(said.size())};
        std::string text() const { return said.front() == '\0' ? "" : "\n" + std::string(said.c_str()) + "\n"; }
        jit_log() = default;
        jit_log(const jit_log&) = delete;
        jit_log& operator=(const jit_log&) = delete;
    };

    static void refuse(const std::string& why) {
        if (!why.empty()) throw backend_error("CUDA: " + why);
    }
    module_cache::bytes compiled(std::string_view text) const {
        jit_log log;
        linker linking = nullptr;
        api_.check(api_.link_create(jit_log::count, log.options.data(), log.values.data(), &linking), "cuLinkCreate");
        void* made = nullptr;
        std::size_t size = 0;
        std::string terminated(text);
        result code = api_.link_add(linking, link_input_ptx, terminated.data(), terminated.size() + 1, entry_.d, 0, nullptr, nullptr);
        if (code == 0) code = api_.link_complete(linking, &made, &size);
        module_cache::bytes out;
        if (code == 0) out.assign(static_cast<std::byte*>(made), static_cast<std::byte*>(made) + size);
        api_.link_destroy(linking);
        if (code != 0) api_.fail(code, "cuLinkAddData" + log.text());
        return out;
    }
    void prepare(const gpu_properties& real) {
        const result found = api_.module_function(&function_, module_, entry_.d);
        if (found != 0) api_.fail(found, std::string("cuModuleGetFunction of ") + entry_.d);
        const u64_t declared = static_cast<u64_t>(get(function_attribute::static_shared_bytes));
        if (launch_.shared_bytes + declared <= real.shared_bytes) {
            const int opted = static_cast<int>(launch_.shared_bytes);
            api_.check(api_.function_set(function_, static_cast<int>(function_attribute::dynamic_shared_bytes), opted),
                       "cuFuncSetAttribute");
            int held = 0;
            api_.check(api_.blocks_per_multiprocessor(&held, function_, static_cast<int>(launch_.threads), launch_.shared_bytes),
                       "cuOccupancyMaxActiveBlocksPerMultiprocessor");
            per_multiprocessor_ = static_cast<u32_t>(held);
        }
        refuse(launch_refusal(entry_.d, launch_, per_multiprocessor_, declared, real));
    }
    int get(function_attribute what) const {
        int value = 0;
        api_.check(api_.function_get(&value, static_cast<int>(what), function_), "cuFuncGetAttribute");
        return value;
    }

    const driver& api_;
    kernel_launch launch_;
    netra::name entry_;
    module_handle module_ = nullptr;
    function function_ = nullptr;
    u32_t per_multiprocessor_ = 0;
    bool from_cache_ = false;
};

}  // namespace netra::inline v0::cuda
