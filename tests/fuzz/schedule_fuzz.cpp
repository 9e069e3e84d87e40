// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
// Any bytes as a schedule file, of either format: judged or refused. Half of the inputs are made by changing one value of the JSON before.
#include <netra/engine/schedule_check.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed);

namespace {

using nlohmann::json;

/// A value inside `from`, deep ones more often than not.
json& any_value(json& from, std::mt19937& dice) {
    json* at = &from;
    while (at->is_structured() && !at->empty() && dice() % 8 != 0) {
        auto item = at->begin();
        std::advance(item, static_cast<std::ptrdiff_t>(dice() % at->size()));
        at = &*item;
    }
    return *at;
}

json any_number(std::mt19937& dice) {
    constexpr std::int64_t odd[] = {
        -1, 0, 1, 2, 3, 8, 9, 255, 65535, 65536, 2147483647, 2147483648, 4294967295, 4294967296, 1'000'000'000'000'000'000};
    if (dice() % 16 == 0) return 0.5;
    return dice() % 2 == 0 ? json(odd[dice() % std::size(odd)]) : json(static_cast<std::int64_t>(dice() % 24));
}

void change(json& all, std::mt19937& dice) {
    json& value = any_value(all, dice);
    switch (dice() % 8) {
        case 0:
            value = json(any_value(all, dice));
            break;
        case 1:
            if (value.is_array() && value.size() >= 2) std::swap(value[dice() % value.size()], value[dice() % value.size()]);
            break;
        case 2:
            if (value.is_array()) value.push_back(value.empty() ? any_number(dice) : json(value[dice() % value.size()]));
            break;
        case 3:
            if (value.is_structured() && !value.empty()) {
                auto item = value.begin();
                std::advance(item, static_cast<std::ptrdiff_t>(dice() % value.size()));
                value.erase(item);
            }
            break;
        default:
            value = value.is_number() || dice() % 8 == 0 ? any_number(dice) : json(any_value(all, dice));
            break;
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
    std::mt19937 dice(seed);
    if (dice() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
    json all = json::parse(data, data + size, nullptr, false);
    if (all.is_discarded()) return LLVMFuzzerMutate(data, size, most);
    for (unsigned i = 0; i <= dice() % 3; ++i) change(all, dice);
    const std::string text = all.dump();
    if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(text.begin(), text.end(), data);
    return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes are characters
    for (const bool shapes : {true, false}) {
        try {
            const netra::schedule_report report = netra::check_schedule_text(text, "fuzz.json", {.shapes = shapes});
            const bool explained = !report.faults.list().empty() && !report.faults.list()[0].sentence.empty();
            if (report.safe() == explained) std::abort();
        } catch (const netra::model_error& e) {
            if (std::string_view(e.what()).substr(0, 9) != "fuzz.json") throw;
        }
    }
    return 0;
}
