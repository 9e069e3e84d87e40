// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// netra's own JSON form of a group schedule: written from one, and read back value for value.
#pragma once

#include <netra/engine/contract_json.hpp>
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/task_schedule.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

inline constexpr u32_t netra_schedule_version = 1;

namespace detail {

inline constexpr const char* buffer_kind_names[] = {"input", "weight", "state", "activation", "output"};
inline constexpr const char* row_part_names[] = {"whole", "past", "fresh"};
inline constexpr const char* instruction_set_names[] = {"host", "ptx", "amdgcn"};

// Every to_json() names all fields of its record: a new one does not compile until it is written here, and read below.

inline nlohmann::ordered_json to_json(const index_map& m) {
    const auto& [first, num, den] = m;
    return nlohmann::ordered_json::array({first, num, den});
}
inline nlohmann::ordered_json to_json(const access& a) {
    const auto& [buffer, write, part, range] = a;
    const auto& [first, stride, size, low, high, per] = range;
    return {{"buffer", buffer},
            {"write", write},
            {"part", row_part_names[static_cast<usz>(part)]},
            {"range", {{"first", first}, {"stride", stride}, {"size", size}, {"low", low}, {"high", high}, {"per", per}}}};
}
inline nlohmann::ordered_json to_json(const wait& w) {
    const auto& [first, count, threshold] = w;
    return {{"first", to_json(first)}, {"count", count}, {"threshold", threshold}};
}
template <class List>
nlohmann::ordered_json all_to_json(const List& list) {
    auto out = nlohmann::ordered_json::array();
    for (const auto& item : list) out.push_back(to_json(item));
    return out;
}
inline nlohmann::ordered_json to_json(const group& g) {
    const auto& [called, op, layer, tiles, queue, signal, accesses, waits, words, shared_bytes] = g;
    auto awaited = nlohmann::ordered_json::array();
    for (const u16_t p : words) awaited.push_back(p);
    return {{"name", called.d},
            {"op", op},
            {"layer", layer},
            {"tiles", tiles},
            {"queue", to_json(queue)},
            {"signal", to_json(signal)},
            {"accesses", all_to_json(accesses)},
            {"waits", all_to_json(waits)},
            {"words", awaited},
            {"shared_bytes", shared_bytes}};
}
inline nlohmann::ordered_json to_json(const buffer& b) {
    const auto& [called, kind, role, layer, rows, row_bytes, arena] = b;
    return {{"name", called.d}, {"kind", buffer_kind_names[static_cast<usz>(kind)]},
            {"role", role},     {"layer", layer},
            {"rows", rows},     {"row_bytes", row_bytes},
            {"arena", arena}};
}
inline nlohmann::ordered_json to_json(const device& d) {
    const auto& [called, isa, workers, memory_bytes, shared_bytes, gpu] = d;
    nlohmann::ordered_json made = {{"name", called.d},
                                   {"isa", instruction_set_names[static_cast<usz>(isa)]},
                                   {"workers", workers},
                                   {"memory_bytes", memory_bytes},
                                   {"shared_bytes", shared_bytes}};
    if (gpu == gpu_record{}) return made;
    const auto& [code, capability, registers, threads, cache_bytes, bandwidth] = gpu;
    made["gpu"] = {{"target", code.name.d}, {"capability", capability},   {"registers", registers},
                   {"threads", threads},    {"cache_bytes", cache_bytes}, {"bandwidth", bandwidth}};
    return made;
}

/// Reads the records; refuses what does not fit into them.
class netra_reader {
public:
    static constexpr usz most_groups = 4096;
    static constexpr usz most_listed = 65535;  ///< buffers, operations: groups name them with 16 bits
    static constexpr u32_t most_queues = 65536;

    explicit netra_reader(const json_place& root) : root_(root) {}

    dynamic_schedule read() const {
        dynamic_schedule s;
        s.queues = number<u32_t>(root_["queues"], most_queues);
        s.counters = number<u32_t>(root_["counters"]);
        s.arena_bytes = number<u64_t>(root_["arena_bytes"], most_bytes);
        const auto where = root_["device"];
        s.where = {.name = called(where["name"]),
                   .isa = static_cast<instruction_set>(index_in(where["isa"], instruction_set_names)),
                   .workers = number<u32_t>(where["workers"]),
                   .memory_bytes = number<u64_t>(where["memory_bytes"]),
                   .shared_bytes = number<u64_t>(where["shared_bytes"])};
        if (const auto gpu = where["gpu"]; !gpu.missing())
            s.where.gpu = {.code = target_named(gpu["target"]),
                           .capability = number<u32_t>(gpu["capability"]),
                           .registers = number<u32_t>(gpu["registers"]),
                           .threads = number<u32_t>(gpu["threads"]),
                           .cache_bytes = number<u64_t>(gpu["cache_bytes"]),
                           .bandwidth = number<u64_t>(gpu["bandwidth"])};
        const auto operations = listed("operations", most_listed);
        for (usz i = 0; i < operations.size(); ++i) s.operations.push_back(operation_from_json(operations.at(i)));
        const auto buffers = listed("buffers", most_listed);
        for (usz i = 0; i < buffers.size(); ++i) s.buffers.push_back(read_buffer(buffers.at(i)));
        const auto groups = listed("groups", most_groups);
        for (usz i = 0; i < groups.size(); ++i) s.groups.push_back(read_group(groups.at(i)));
        return s;
    }

private:
    static constexpr u64_t most_bytes = u64_t{1} << 62;

    static target target_named(const json_place& at) {
        std::string all;
        for (const target& t : ptx_targets) {
            if (at.text() == t.name.d) return t;
            all += (all.empty() ? "" : ", ") + std::string(t.name.d);
        }
        at.refuse("one of " + all + " is expected");
    }
    template <class T>
    static T number(const json_place& at, u64_t most = sizeof(T) == 8 ? most_bytes : u64_t{static_cast<T>(~T{0})}) {
        return static_cast<T>(at.whole_in(0, most));
    }
    json_place listed(const char* key, usz most) const {
        const auto list = root_[key];
        if (list.size() > most) list.refuse(fmt::format("at most {} items are expected", most));
        return list;
    }
    static name called(const json_place& at) {
        const std::string& s = at.text();
        if (s.size() > 31 || s.find('\0') != std::string::npos) at.refuse("a name of at most 31 bytes is expected");
        return name{s.c_str()};
    }
    static index_map map(const json_place& at) {
        if (at.size() != 3) at.refuse("a map of three numbers [first, num, den] is expected");
        return {.first = number<u32_t>(at.at(0)), .num = number<u32_t>(at.at(1)), .den = number<u32_t>(at.at(2))};
    }
    static buffer read_buffer(const json_place& at) {
        return {.name = called(at["name"]),
                .kind = static_cast<buffer_kind>(index_in(at["kind"], buffer_kind_names)),
                .role = number<u8_t>(at["role"]),
                .layer = number<u32_t>(at["layer"]),
                .rows = number<u64_t>(at["rows"]),
                .row_bytes = number<u64_t>(at["row_bytes"]),
                .arena = number<u64_t>(at["arena"])};
    }
    static access read_access(const json_place& at) {
        const auto r = at["range"];
        const auto first = r["first"];
        if (first.whole() < -static_cast<i64_t>(most_bytes)) first.refuse("a number of at most 62 bits is expected");
        return {.buffer = number<u16_t>(at["buffer"]),
                .write = at["write"].truth(),
                .part = static_cast<row_part>(index_in(at["part"], row_part_names)),
                .range = {.first = first.whole(),
                          .stride = number<u64_t>(r["stride"]),
                          .size = number<u64_t>(r["size"]),
                          .low = number<u64_t>(r["low"]),
                          .high = number<u64_t>(r["high"]),
                          .per = number<u32_t>(r["per"])}};
    }
    static wait read_wait(const json_place& at) {
        return {.first = map(at["first"]), .count = number<u32_t>(at["count"]), .threshold = number<u32_t>(at["threshold"])};
    }
    template <class T, usz N, class Read>
    static void fill(const json_place& list, static_vector<T, N>& to, Read read) {
        if (list.size() > N) list.refuse(fmt::format("at most {} items are expected", N));
        for (usz i = 0; i < list.size(); ++i) to.push_back(read(list.at(i)));
    }
    static group read_group(const json_place& at) {
        group g{.name = called(at["name"]),
                .op = number<u16_t>(at["op"]),
                .layer = number<u32_t>(at["layer"]),
                .tiles = number<u32_t>(at["tiles"]),
                .queue = map(at["queue"]),
                .signal = map(at["signal"])};
        g.shared_bytes = number<u64_t>(at["shared_bytes"]);
        fill(at["accesses"], g.accesses, read_access);
        fill(at["waits"], g.waits, read_wait);
        fill(at["words"], g.words, [](const json_place& p) { return number<u16_t>(p); });
        return g;
    }

    json_place root_;
};

}  // namespace detail

/// One object; docs/schedule-format.md says what its keys mean.
inline nlohmann::ordered_json schedule_to_json(const schedule_view& s) {
    auto operations = nlohmann::ordered_json::array();
    for (usz i = 0; i < s.operation_count; ++i) operations.push_back(operation_to_json(s.operations[i]));
    auto buffers = nlohmann::ordered_json::array();
    for (usz i = 0; i < s.buffer_count; ++i) buffers.push_back(detail::to_json(s.buffers[i]));
    auto groups = nlohmann::ordered_json::array();
    for (usz i = 0; i < s.group_count; ++i) groups.push_back(detail::to_json(s.groups[i]));
    return {
        {"netra_schedule", netra_schedule_version}, {"queues", s.queues},       {"counters", s.counters}, {"arena_bytes", s.arena_bytes},
        {"device", detail::to_json(s.where)},       {"operations", operations}, {"buffers", buffers},     {"groups", groups}};
}

/// The schedule of a file; nothing is judged but that its numbers fit their fields.
inline dynamic_schedule schedule_from_json(const detail::json_place& root) {
    const auto version = root["netra_schedule"];
    if (version.whole() != netra_schedule_version) version.refuse(fmt::format("version {} is expected", netra_schedule_version));
    return detail::netra_reader(root).read();
}

/// Refuses a schedule whose check would take hours or fill the memory, whatever is in it.
inline void require_checkable(const schedule_view& s, const std::string& file) {
    constexpr u64_t most_tiles = u64_t{1} << 20;
    constexpr u64_t most_counters = u64_t{1} << 22;
    u64_t tiles = 0;
    for (usz i = 0; i < s.group_count; ++i) tiles += s.groups[i].tiles;
    if (tiles > most_tiles)
        throw model_error(fmt::format("{}: its groups have {} tiles; at most {} are checked, use larger tiles", file, tiles, most_tiles));
    if (s.counters > most_counters)
        throw model_error(fmt::format("{}: it has {} counters; at most {} are checked, share them", file, s.counters, most_counters));
}

/// Refuses a schedule whose waits and accesses are too many to be written out task by task. @pre check_structure accepts it
inline void require_expandable(const schedule_view& s, const std::string& file) {
    constexpr u64_t most_items = u64_t{1} << 26;
    constexpr u64_t most_pairs = u64_t{1} << 31;  ///< of accesses that are compared to find the tiles that a tile awaits by word
    u64_t items = 0;
    u64_t pairs = 0;
    for (usz i = 0; i < s.group_count; ++i) {
        const group& g = s.groups[i];
        u64_t each = 2 + g.accesses.size();
        for (const wait& w : g.waits) each += w.count;
        for (const u16_t p : g.words) {
            each += s.groups[p].tiles;
            pairs += u64_t{g.tiles} * s.groups[p].tiles * g.accesses.size() * s.groups[p].accesses.size();
        }
        items += g.tiles * each;
        if (items > most_items || pairs > most_pairs)
            throw model_error(
                fmt::format("{}: up to group {} its tasks have more than {} waits and accesses, or as many to find out; use larger tiles",
                            file, detail::in_quotes(g.name.d), most_items));
    }
}

}  // namespace netra::inline v0
