// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// The CUDA backend on a GPU: memory, launches, streams, graphs, the cache of modules, and everything that must be refused or ended.
#include <netra/contracts/devices.hpp>

#include <filesystem>
#include <numeric>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/gpu.hpp"

using namespace netra;
using test::containing;

namespace {

constexpr ptx::opcode setp_lt_u64{"setp.lt.u64"}, sub_u64{"sub.u64"}, st_global_u64{"st.global.u64"};

/// Adds 1 to a counter from every block.
struct counting_kernel {
    u32_t blocks = 1;
    bool resident = false;
    u32_t shared_bytes = 0;
    name entry() const { return "counting"; }
    ptx::parameter_list parameters() const { return ptx::pointers({"counter"}); }
    kernel_launch launch() const { return {.blocks = blocks, .threads = 32, .shared_bytes = shared_bytes, .resident = resident}; }
    template <class Sink>
    void body(ptx::assembler<Sink>& as) const {
        const ptx::reg at = as.b64(), generic = as.b64(), lane = as.b32(), was = as.b32(), first = as.predicate();
        as(ptx::op::ld_param_u64, generic, ptx::named_address{"counter"});
        as(ptx::op::cvta_global, at, generic);
        as(ptx::op::mov_u32, lane, ptx::thread_index);
        as(ptx::op::setp_eq_u32, first, lane, 0U);
        as.when(first, ptx::op::atom_add_u32, was, ptx::at(at), 1U);
        as(ptx::op::ret);
    }
};

/// Spins until a time has passed, then writes 1; leaves a stall record behind before that when it is given one.
struct spinning_kernel {
    bool stalls = false;
    name entry() const { return "spinning"; }
    ptx::parameter_list parameters() const { return ptx::pointers({"done", "nanoseconds", "stall"}); }
    kernel_launch launch() const { return {}; }
    template <class Sink>
    void body(ptx::assembler<Sink>& as) const {
        const ptx::reg done = as.b64(), limit = as.b64(), stall = as.b64(), begin = as.b64(), now = as.b64(), more = as.predicate();
        as(ptx::op::ld_param_u64, done, ptx::named_address{"done"});
        as(ptx::op::ld_param_u64, limit, ptx::named_address{"nanoseconds"});
        as(ptx::op::ld_param_u64, stall, ptx::named_address{"stall"});
        if (stalls) {
            const ptx::reg value = as.b32(), step = as.b64();
            const auto put = [&](u32_t offset, u32_t v) {
                as(ptx::op::mov_u32, value, v);
                as(ptx::op::st_global_b32, ptx::at(stall, offset), value);
            };
            put(stall_layout::role, 1), put(stall_layout::group, 0), put(stall_layout::layer, 3), put(stall_layout::block, 0);
            put(stall_layout::word, 128), put(stall_layout::seen, 41), put(stall_layout::wanted, 42);
            as(ptx::op::mov_u64, step, u64_t{7});
            as(st_global_u64, ptx::at(stall, stall_layout::step), step);
            as(ptx::op::mov_u32, value, stall_found);
            as(ptx::op::st_release_u32, ptx::at(stall), value);
        }
        as(ptx::op::mov_u64, begin, ptx::clock_ns);
        const ptx::code_label again = as.new_label();
        as.place(again);
        as(ptx::op::mov_u64, now, ptx::clock_ns);
        as(sub_u64, now, now, begin);
        as(setp_lt_u64, more, now, limit);
        as.when(more, ptx::op::bra, again);
        const ptx::reg one = as.b32();
        as(ptx::op::mov_u32, one, 1U);
        as(ptx::op::st_global_b32, ptx::at(done), one);
        as(ptx::op::ret);
    }
};

struct machine {
    std::unique_ptr<cuda::gpu> where = test::open_gpu();
    explicit operator bool() const { return where != nullptr; }
    template <class Kernel>
    test::module_text text(const Kernel& kernel) const {
        return test::module_text(kernel, test::target_of(*where));
    }
};

cuda::buffer_memory zeros(const cuda::gpu& where, usz bytes = 4) {
    cuda::buffer_memory made(where, bytes);
    made.fill(0);
    return made;
}
u32_t value(const cuda::buffer_memory& m) {
    u32_t v = 0;
    m.read(std::as_writable_bytes(std::span(&v, 1)));
    return v;
}

}  // namespace

TEST_CASE("memory comes back as it went, whole and in parts") {
    const machine m;
    if (!m) return;
    cuda::buffer_memory memory(*m.where, 4096);
    std::vector<std::byte> bytes(4096);
    for (usz i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
    memory.write(bytes);
    std::vector<std::byte> back(4096);
    memory.read(back);
    CHECK(back == bytes);
    std::vector<std::byte> part(96, std::byte{0xab});
    memory.write(part, 4000);
    memory.read(part, 3999);
    CHECK(part.front() == bytes[3999]);
    CHECK(part.back() == std::byte{0xab});
    CHECK_THROWS_WITH(memory.write(part, 4001), containing("96 bytes at byte 4001"));
    CHECK_THROWS_AS(memory.at(4097), backend_error);
    memory.fill(0xff);
    memory.read(back);
    CHECK(back.back() == std::byte{0xff});
    back.resize(4097);
    CHECK_THROWS_WITH(memory.read(back), containing("4097") && containing("4096"));
    CHECK_THROWS_WITH(cuda::buffer_memory(*m.where, usz{1} << 46), containing("are free"));
}

TEST_CASE("pinned memory goes to the GPU and back in the order of a stream") {
    const machine m;
    if (!m) return;
    const cuda::work_stream on(*m.where);
    const cuda::pinned_memory up(*m.where, 1 << 20);
    const cuda::pinned_memory down(*m.where, 1 << 20);
    for (usz i = 0; i < up.bytes().size(); ++i) up.bytes()[i] = static_cast<std::byte>(i * 13 >> 3);
    cuda::buffer_memory memory(*m.where, 3 << 20);
    memory.write_async(up.bytes(), 12345, on);
    memory.read_async(down.bytes(), 12345, on);
    on.synchronize();
    CHECK(std::memcmp(up.bytes().data(), down.bytes().data(), up.bytes().size()) == 0);
    CHECK_THROWS_AS(memory.write_async(up.bytes(), usz{2 << 20} + 1, on), backend_error);
}

TEST_CASE("kernels reach pinned memory") {
    const machine m;
    if (!m) return;
    const cuda::pinned_memory counter(*m.where, 4);
    std::memset(counter.bytes().data(), 0, 4);
    const auto text = m.text(counting_kernel{.blocks = 5});
    const cuda::loaded_kernel kernel(*m.where, text.image());
    const cuda::device_memory arguments[] = {counter.at()};
    kernel.launch(arguments);
    m.where->synchronize();
    u32_t counted = 0;
    std::memcpy(&counted, counter.bytes().data(), 4);
    CHECK(counted == 5);
}

TEST_CASE("a GPU that is not there is refused with the number of those that are") {
    const machine m;
    if (!m) return;
    CHECK_THROWS_WITH(cuda::gpu(1000), containing("no GPU 1000"));
    CHECK_THROWS_AS(cuda::gpu(-1), backend_error);
}

TEST_CASE("kernels load where they fit, and say why not elsewhere") {
    const machine m;
    if (!m) return;
    constexpr const char* nothing = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
    kernel_image image{.text = nothing, .entry = "nothing", .where = sm_80};
    const cuda::loaded_kernel loaded(*m.where, image);
    loaded.launch({});
    m.where->synchronize();
    CHECK_FALSE(loaded.from_cache());
    image.where.capability = 990;
    CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, image), containing("compute capability"));
    image.where = sm_80;
    const test::temporary_directory folder;
    for (const auto& cache : {cuda::module_cache(), cuda::module_cache(folder.path())}) {
        image.text = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tno.such.thing;\n}\n";
        image.entry = "nothing";
        CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, image, cache), containing("'no'"));
        image.text = nothing;
        image.entry = "other";
        CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, image, cache), containing("other"));
    }
    image.entry = "nothing";
    image.text = ".version 99.9\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
    CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, image), containing("(222)") && containing("update the NVIDIA driver"));
    for (const cuda::ptx_release& r : cuda::ptx_releases) {
        const std::string text =
            ".version " + cuda::tenths(r.ptx) + "\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
        image.text = text.c_str();
        INFO(text);
        if (r.driver > m.where->properties().driver_version)
            CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, image),
                              containing("which needs a driver of CUDA " + cuda::cuda_version(r.driver)));
        else if (r.ptx >= 70)  // sm_80 came with PTX 7.0
            CHECK_NOTHROW(cuda::loaded_kernel(*m.where, image));
    }
    const std::vector<cuda::device_memory> many(33);
    CHECK_THROWS_WITH(loaded.launch(many), containing("33 arguments"));
}

TEST_CASE("the record of this GPU is accepted, all of another shape are refused with both values") {
    const machine m;
    if (!m) return;
    const cuda::gpu_properties real = m.where->properties();
    std::printf(
        "%s: capability %u, %u multiprocessors, %llu bytes of shared memory, %u registers, %u threads, %llu bytes of cache, %llu of "
        "memory, driver of CUDA %u%s\n",
        real.name.c_str(), real.capability, real.multiprocessors, static_cast<unsigned long long>(real.shared_bytes), real.registers,
        real.threads, static_cast<unsigned long long>(real.cache_bytes), static_cast<unsigned long long>(real.memory_bytes),
        real.driver_version, real.mps ? ", MPS" : "");
    for (const device& record : gpu_devices) {
        INFO(record.name.d);
        if (record.gpu.capability == real.capability && record.workers == real.multiprocessors) {
            CHECK_NOTHROW(m.where->refuse_other_than(record));
            CHECK(real.registers == record.gpu.registers);
            CHECK(real.threads == record.gpu.threads);
            CHECK(real.shared_bytes == record.shared_bytes);
        } else {
            CHECK_THROWS_AS(m.where->refuse_other_than(record), backend_error);
        }
        if (real.name == "NVIDIA H200" && record == h200) CHECK(real.cache_bytes == record.gpu.cache_bytes);
    }
    device smaller = h200;
    smaller.gpu.capability = real.capability;
    smaller.workers = real.multiprocessors - 1;
    CHECK_THROWS_WITH(m.where->refuse_other_than(smaller),
                      containing(std::to_string(smaller.workers)) && containing("has " + std::to_string(real.multiprocessors)));
    const auto text = m.text(counting_kernel{});
    CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, text.image(), smaller), containing("multiprocessors"));
}

TEST_CASE("blocks that wait for each other are refused when they are too many, by netra and by the driver") {
    const machine m;
    if (!m) return;
    const cuda::gpu_properties real = m.where->properties();
    // so much shared memory that one block fills a multiprocessor
    counting_kernel kernel{.blocks = real.multiprocessors, .resident = true, .shared_bytes = static_cast<u32_t>(real.shared_bytes)};
    const auto fits = m.text(kernel);
    auto counter = zeros(*m.where);
    const cuda::device_memory arguments[] = {counter.at()};
    const cuda::loaded_kernel loaded(*m.where, fits.image());
    CHECK(loaded.blocks_per_multiprocessor() == 1);
    loaded.launch(arguments);
    m.where->synchronize();
    CHECK(value(counter) == real.multiprocessors);
    ++kernel.blocks;
    const auto text = m.text(kernel);
    CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, text.image()),
                      containing(std::to_string(kernel.blocks) + " blocks that wait for each other") &&
                          containing(std::to_string(real.multiprocessors) + " of them at once"));
    // past netra's own check, the driver refuses too
    const cuda::driver& api = m.where->api();
    cuda::module_handle module = nullptr;
    cuda::function function = nullptr;
    api.check(api.module_load(&module, text.text().c_str(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
    api.check(api.module_function(&function, module, "counting"), "cuModuleGetFunction");
    api.check(api.function_set(function, 8, static_cast<int>(kernel.shared_bytes)), "cuFuncSetAttribute");
    void* values[] = {const_cast<cuda::device_memory*>(&arguments[0])};
    CHECK(api.launch_cooperative(function, kernel.blocks, 1, 1, 32, 1, 1, kernel.shared_bytes, nullptr, values) == 720);
    api.module_unload(module);
    kernel.shared_bytes = static_cast<u32_t>(real.shared_bytes) + 16;
    const auto large = m.text(kernel);
    CHECK_THROWS_WITH(cuda::loaded_kernel(*m.where, large.image()), containing("bytes of shared memory"));
}

TEST_CASE("a module comes from the cache the second time, and a damaged entry is replaced") {
    const machine m;
    if (!m) return;
    const test::temporary_directory folder;
    const cuda::module_cache cache(folder.path());
    const auto text = m.text(counting_kernel{.blocks = 3});
    const auto run = [&] {
        auto counter = zeros(*m.where);
        const cuda::device_memory arguments[] = {counter.at()};
        const cuda::loaded_kernel kernel(*m.where, text.image(), cache);
        kernel.launch(arguments);
        m.where->synchronize();
        CHECK(value(counter) == 3);
        return kernel.from_cache();
    };
    CHECK_FALSE(run());
    CHECK(run());
    const auto entry = *std::filesystem::directory_iterator(folder.path());
    std::filesystem::resize_file(entry, entry.file_size() - 1);
    CHECK_FALSE(run());
    CHECK(run());
    // whole as the hash sees it, but no module for the driver
    const std::string key = entry.path().stem().string();
    REQUIRE(cache.put(key, cuda::module_cache::bytes(500, std::byte{1})));
    CHECK_FALSE(run());
    CHECK(run());
}

TEST_CASE("launches run on the caller's stream") {
    const machine m;
    if (!m) return;
    const cuda::work_stream slow(*m.where);
    const cuda::work_stream quick(*m.where);
    auto done = zeros(*m.where);
    auto counter = zeros(*m.where);
    const auto spin = m.text(spinning_kernel{});
    const auto count = m.text(counting_kernel{});
    const cuda::loaded_kernel spinning(*m.where, spin.image());
    const cuda::loaded_kernel counting(*m.where, count.image());
    const cuda::device_memory spin_arguments[] = {done.at(), 300'000'000, 0};
    const cuda::device_memory count_arguments[] = {counter.at()};
    spinning.launch(spin_arguments, slow);
    counting.launch(count_arguments, quick);
    quick.synchronize();
    CHECK(m.where->api().stream_query(slow) == cuda::not_ready);
    slow.synchronize();
    CHECK(value(done) == 1);
    CHECK(value(counter) == 1);
}

TEST_CASE("a graph replays what was recorded") {
    const machine m;
    if (!m) return;
    const u32_t blocks = m.where->properties().multiprocessors;
    auto counter = zeros(*m.where);
    const auto text = m.text(counting_kernel{.blocks = 2});
    const auto whole = m.text(counting_kernel{.blocks = blocks, .resident = true});
    const cuda::loaded_kernel kernel(*m.where, text.image());
    const cuda::loaded_kernel resident(*m.where, whole.image());
    const cuda::device_memory arguments[] = {counter.at()};
    const cuda::launch_graph graph(*m.where, [&](cuda::stream on) {
        kernel.launch(arguments, on);
        resident.launch(arguments, on);
        kernel.launch(arguments, on);
    });
    CHECK(value(counter) == 0);
    const cuda::work_stream on(*m.where);
    for (int i = 0; i < 10; ++i) graph.launch(on);
    on.synchronize();
    CHECK(value(counter) == 10 * (4 + blocks));
    graph.launch();
    m.where->synchronize();
    CHECK(value(counter) == 11 * (4 + blocks));
    const auto failing = [](cuda::stream) { throw std::runtime_error("while recording"); };
    CHECK_THROWS_WITH(cuda::launch_graph(*m.where, failing), containing("while recording"));
    kernel.launch(arguments);
    m.where->synchronize();
    CHECK(value(counter) == 11 * (4 + blocks) + 2);
}

TEST_CASE("a kernel that gave up is an error that names what it waited for, and the next launch starts anew") {
    const machine m;
    if (!m) return;
    const name groups[] = {"o_proj"};
    const name roles[] = {"producer", "consumer"};
    cuda::stall_watch watch(*m.where, {groups, 1, roles, 2});
    auto done = zeros(*m.where);
    const auto text = m.text(spinning_kernel{.stalls = true});
    const auto good = m.text(spinning_kernel{});
    const cuda::loaded_kernel stalling(*m.where, text.image());
    const cuda::loaded_kernel ending(*m.where, good.image());
    const cuda::device_memory arguments[] = {done.at(), 1000, watch.at()};
    CHECK_THROWS_WITH(cuda::launch_and_wait(stalling, arguments, nullptr, cuda::seconds(10), &watch),
                      containing("stopped itself") &&
                          containing("block 0 (consumer) waits in o_proj, layer 3, step 7: word 128 is 41, it must become 42"));
    CHECK(watch.read().state == stall_none);
    CHECK_NOTHROW(cuda::launch_and_wait(ending, arguments, nullptr, cuda::seconds(10), &watch));
}

TEST_CASE("a kernel that does not end in time is an error, not a hang, also where it left a record") {
    const machine m;
    if (!m) return;
    const cuda::work_stream on(*m.where);
    const name groups[] = {"o_proj"};
    const auto text = m.text(spinning_kernel{.stalls = true});
    {
        cuda::stall_watch watch(*m.where, {groups, 1, nullptr, 0});
        auto done = zeros(*m.where);
        const cuda::loaded_kernel kernel(*m.where, text.image());
        const cuda::device_memory arguments[] = {done.at(), 2'000'000'000, watch.at()};
        CHECK_THROWS_WITH(cuda::launch_and_wait(kernel, arguments, on, cuda::seconds(0.1), &watch),
                          containing("the kernel spinning has not ended within 0.1 s: block 0 (role 1) waits in o_proj, layer 3"));
        CHECK_FALSE(m.where->api().may_release());
        on.synchronize();
        CHECK(m.where->api().may_release());
        CHECK(value(done) == 1);
        watch.reset();
        const cuda::device_memory again[] = {done.at(), 1000, watch.at()};
        CHECK_THROWS_WITH(cuda::launch_and_wait(kernel, again, on, cuda::seconds(10), &watch), containing("stopped itself"));
    }
}
