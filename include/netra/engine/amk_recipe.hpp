// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether the recipe of a fused task of an `amk` schedule is well formed and writes the whole output.
#pragma once

#include <netra/engine/amk_structure.hpp>

#include <fmt/format.h>

#include <set>

namespace netra::inline v0::detail {

/// Judges the recipe of one task; an empty text means that it is well formed.
class amk_recipe {
public:
    /// `columns` of the task's output.
    amk_recipe(const amk_task& t, u64_t columns) : t_(t), columns_(columns) {}

    std::string judge() {
        const nlohmann::json* recipe = t_.param("recipe");
        if (recipe == nullptr || !recipe->is_object() || !recipe->contains("steps")) return "has a recipe without a list of steps";
        const nlohmann::json& steps = (*recipe)["steps"];
        if (!steps.is_array() || steps.empty()) return "has a recipe without a list of steps";
        for (usz i = 0; i < steps.size(); ++i)
            if (const std::string why = judge_step(steps[i]); !why.empty()) return fmt::format("has a recipe whose step {} {}", i, why);
        return finished_ ? "" : "has a recipe of which no step has the out \"final\"";
    }

private:
    std::string judge_step(const nlohmann::json& step) {
        if (!step.is_object()) return "is no object";
        if (!step.contains("op") || !small(step["op"]) || step["op"].get<u64_t>() >= std::size(amk_operations))
            return "has no op that the format knows";
        const auto op = static_cast<amk_op>(step["op"].get<u64_t>());
        const amk_operation& rule = amk_operations[static_cast<usz>(op)];
        if (op == amk_op::fused) return "is fused itself";
        if (!rule.has_kernel || op == amk_op::nop || op == amk_op::kv_append) return "has an op that cannot be part of a recipe";
        if (!step.contains("args") || !step["args"].is_array()) return "has no list of args";
        const nlohmann::json& args = step["args"];
        if (args.size() < rule.least_inputs || args.size() > rule.most_inputs) return "has a number of args that its op does not take";
        for (const auto& a : args)
            if (const std::string why = judge_arg(a); !why.empty()) return why;
        if (step.contains("out_dtype") && !known_type(step["out_dtype"])) return "has an out_dtype that no recipe has";
        static const nlohmann::json none = nlohmann::json::object();
        const nlohmann::json& params = step.contains("params") ? step["params"] : none;
        for (const char* key : rule.required)
            if (key != nullptr && (!params.is_object() || !params.contains(key) || !params[key].is_number()))
                return "lacks a parameter of its op, or it is not a number";
        return judge_out(step, op, params);
    }
    std::string judge_arg(const nlohmann::json& a) const {
        const bool one = a.is_object() && a.size() == 1;
        if (one && a.contains("in"))
            return small(a["in"]) && a["in"].get<u64_t>() < t_.inputs.size() ? "" : "reads an input that the task does not have";
        if (one && a.contains("s"))
            return small(a["s"]) && written_.contains(a["s"].get<u64_t>()) ? "" : "reads what no step before it has written";
        return "has an arg that is neither {\"in\": number} nor {\"s\": number}";
    }
    std::string judge_out(const nlohmann::json& step, amk_op op, const nlohmann::json& params) {
        if (step.contains("out") && small(step["out"])) {
            written_.insert(step["out"].get<u64_t>());
            return "";
        }
        if (!step.contains("out") || (step["out"] != "final" && step["out"] != -1))
            return "has an out that is neither \"final\" nor a number";
        finished_ = true;
        const bool tile = op == amk_op::gemv_tile || op == amk_op::gemm_tile;
        return tile && (params["n_off"] != 0 || params["N_tile"] != columns_) ? "writes only a part of the output" : "";
    }
    static bool known_type(const nlohmann::json& type) {
        static const std::set<std::string> types{"float32", "float16", "bfloat16", "float64", "int8", "int32"};
        return type.is_null() || (type.is_string() && types.contains(type.get_ref<const std::string&>()));
    }
    static bool small(const nlohmann::json& v) { return v.is_number_unsigned() && v.get<u64_t>() < (u64_t{1} << 31); }

    const amk_task& t_;
    u64_t columns_;
    std::set<u64_t> written_;
    bool finished_ = false;
};

}  // namespace netra::inline v0::detail
