// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// A parsed PTX module as the interpreter runs it: instructions with resolved operands, registers, parameters, shared variables.
#pragma once

#include <netra/detail/config.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace netra::test::simt {

/// What a program did wrong, or text that the interpreter does not understand.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct warp;
struct instruction;
using word = u64_t;
/// Runs an instruction for the lanes of a mask.
using handler = void (*)(warp&, const instruction&, u32_t);
/// One lane of an instruction that only computes.
using lane_function = word (*)(word, word, word);

inline constexpr u32_t none = ~0U;

enum class special : u32_t {
    tid_x,
    ntid_x,
    ctaid_x,
    nctaid_x,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    globaltimer,
    clock,
    clock64,
    lanemask_eq,
    lanemask_lt,
    lanemask_le,
    lanemask_gt,
    lanemask_ge,
    dynamic_smem_size,
    zero,
    one
};

struct operand {
    enum kind_t : u8_t { sink, reg, predicate, number, special_register, address, label };
    kind_t kind = sink;
    u8_t bits = 64;        ///< of a register
    bool negated = false;  ///< !p
    u32_t index = none;    ///< register, special register or label; base register of an address
    u64_t value = 0;       ///< number; offset of an address
};

enum class space : u8_t { generic, global, shared, param, local };
enum class flow : u8_t { next, branch, leave, trap };
/// Which lanes an instruction needs together: any, those of its mask operand, all of the warp.
enum class gather : u8_t { any, members, warp_barrier, whole_warp };

struct instruction {
    handler run = nullptr;
    lane_function lane = nullptr;
    u32_t guard = none;
    bool guard_negated = false;
    flow goes = flow::next;
    gather needs = gather::any;
    space where = space::generic;
    bool is_signed = false;
    bool polls = false;        ///< a load or test that a loop may wait on
    bool strong = false;       ///< relaxed, acquire, release, volatile or atomic
    bool is_constant = false;  ///< ld.global.nc
    bool acquires = false;
    bool releases = false;
    u8_t bytes = 4;       ///< of a value in memory
    u32_t detail = 0;     ///< what the handler likes to know
    u32_t target = none;  ///< of a branch
    u32_t line = 0;
    u32_t comment = none;  ///< the nearest one above
    std::string text{};    ///< as it stands in the module
    std::string opcode{};
    std::vector<std::string> parts{};  ///< of the opcode, between dots
    std::vector<operand> flat{};
    std::vector<u8_t> first{};  ///< in `flat`, by argument; one more at the end

    usz arguments() const { return first.size() - 1; }
    usz elements(usz argument) const { return static_cast<usz>(first[argument + 1] - first[argument]); }
    const operand& at(usz argument, usz element = 0) const { return flat[first[argument] + element]; }
    bool has(const char* part) const {
        for (const auto& p : parts)
            if (p == part) return true;
        return false;
    }
};

struct shared_variable {
    std::string name{};
    u32_t address = 0;
    u32_t bytes = 0;
};

struct parameter {
    std::string name{};
    u32_t bytes = 8;
};

/// Where the shared memory of a block starts, in the shared window and among generic addresses.
inline constexpr u32_t shared_base = 1024;
inline constexpr u64_t shared_window = 0x7000'0000'0000;

struct program {
    std::string entry{};
    std::vector<instruction> code{};
    std::vector<std::string> comments{};
    std::vector<parameter> parameters{};
    std::vector<shared_variable> shared{};
    u32_t static_shared = 0;  ///< bytes, before dynamic shared memory starts
    u32_t registers = 0;
    u32_t predicates = 0;
    u32_t max_threads = 0;

    /// "line 12 `bar.sync 0;` (after: // wait for x)"
    std::string describe(u32_t pc) const {
        const instruction& i = code[pc];
        std::string made = "line " + std::to_string(i.line) + " `" + i.text + "`";
        if (i.comment != none) made += " (after: " + comments[i.comment] + ")";
        return made;
    }
};

}  // namespace netra::test::simt
