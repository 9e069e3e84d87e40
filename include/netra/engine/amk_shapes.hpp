// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Whether shapes, element types and parameters of an `amk` schedule's tasks fit their operations, and fused recipes are well formed.
#pragma once

#include <netra/engine/amk_recipe.hpp>

#include <fmt/format.h>

namespace netra::inline v0 {

namespace detail {

/// Judges one task; an empty text means that it fits.
class amk_fit {
public:
    amk_fit(const amk_program& p, const amk_task& t) : p_(p), t_(t) {}

    std::string judge() {
        switch (t_.op) {
            case amk_op::copy:
                same_size("input", in(0)), both_floats_or_same();
                break;
            case amk_op::embed:
                embed();
                break;
            case amk_op::rmsnorm:
                norm();
                break;
            case amk_op::gemv_tile:
            case amk_op::gemm_tile:
                projection();
                break;
            case amk_op::attention_tile:
                attention();
                break;
            case amk_op::attention_combine:
                combine();
                break;
            case amk_op::rope:
                rope();
                break;
            case amk_op::add:
            case amk_op::silu_mul:
                same_size("first input", in(0)), same_size("second input", in(1));
                floats({&in(0), &in(1), &out()});
                break;
            case amk_op::kv_append:
                append();
                break;
            case amk_op::sample_argmax:
                expect(out().dtype == amk_dtype::int32, fmt::format("writes tokens as {}; I32 is expected", name_of(out().dtype)));
                equal("elements of its output", out().elements(), "rows of its input", in(0).rows());
                floats({&in(0)});
                break;
            case amk_op::fused:
                expect_recipe();
                break;
            default:
                break;
        }
        return found_;
    }

private:
    const amk_buffer& in(usz i) const { return p_.buffers[static_cast<usz>(t_.inputs[i])]; }
    const amk_buffer& out() const { return p_.buffers[static_cast<usz>(t_.outputs[0])]; }
    static bool is_float(const amk_buffer& b) { return b.dtype <= amk_dtype::float8_e5m2; }

    void expect(bool good, const std::string& why) {
        if (!good && found_.empty()) found_ = why;
    }
    void equal(const char* what, u64_t actual, const char* of, u64_t expected) {
        if (actual != expected) expect(false, fmt::format("has {} {}, but {} {}", actual, what, expected, of));
    }
    void param_is(const char* key, u64_t expected, const char* of) {
        const i64_t v = t_.whole(key);
        if (v < 0 || static_cast<u64_t>(v) != expected)
            expect(false, fmt::format("has the parameter {} = {}, but {} {}", key, v, expected, of));
    }
    void same_size(const char* what, const amk_buffer& b) {
        if (b.elements() != out().elements())
            expect(false, fmt::format("has {} elements in its {}, but {} in its output", b.elements(), what, out().elements()));
    }
    void floats(std::initializer_list<const amk_buffer*> list) {
        for (const amk_buffer* b : list)
            if (!is_float(*b))
                expect(false, fmt::format("computes with {} elements of buffer {}; floating point is expected", name_of(b->dtype), b->id));
    }
    void both_floats_or_same() {
        expect(in(0).dtype == out().dtype || (is_float(in(0)) && is_float(out())),
               fmt::format("copies {} elements to {} ones", name_of(in(0).dtype), name_of(out().dtype)));
    }

    /// A gather from a table of rows; of an activation also the plain reshape that real programs use it for.
    void embed() {
        const amk_buffer& table = in(1);
        param_is("hidden", out().last(), "columns in its output");
        expect(in(0).dtype == amk_dtype::int32, fmt::format("has token ids of type {}; I32 is expected", name_of(in(0).dtype)));
        floats({&table, &out()});
        if (!table.read_only() && table.elements() == out().elements()) return;
        equal("columns in its table", table.last(), "in its output", out().last());
        equal("token ids", in(0).elements(), "rows in its output", out().rows());
    }
    void norm() {
        param_is("hidden", in(0).last(), "columns in its input");
        same_size("input", in(0));
        equal("columns in its output", out().last(), "in its input", in(0).last());
        equal("weights", in(1).elements(), "columns in its input", in(0).last());
        expect(t_.real("eps") >= 0, fmt::format("has the parameter eps = {}; at least 0 is expected", t_.real("eps")));
        floats({&in(0), &in(1), &out()});
    }
    void projection() {
        const i64_t qdtype = t_.whole("qdtype");
        const bool quantized = qdtype == static_cast<i64_t>(amk_dtype::int8) || qdtype == static_cast<i64_t>(amk_dtype::int4);
        const amk_buffer& w = in(1);
        param_is("K", in(0).last(), "columns in its input");
        equal("rows in its input", in(0).rows(), "in its output", out().rows());
        if (w.shape.size() != 2) return expect(false, fmt::format("has a weight of {} dimensions; 2 are expected", w.shape.size()));
        equal("rows in its weight", w.dim(0), "columns in its output", out().last());
        floats({&in(0), &out()});
        if (quantized) return scaled(w, qdtype);
        param_is("K", w.last(), "columns in its weight");
        floats({&w});
        if (t_.inputs.size() == 3) equal("elements in its bias", in(2).elements(), "columns in its output", out().last()), floats({&in(2)});
    }
    void scaled(const amk_buffer& w, i64_t qdtype) {
        if (t_.inputs.size() != 3) return expect(false, "has a quantized weight without scales");
        const bool nibbles = qdtype == static_cast<i64_t>(amk_dtype::int4);
        const bool packed = nibbles && w.dtype != amk_dtype::int4;  // two to a byte of U8
        expect(nibbles ? w.dtype == amk_dtype::int4 || w.dtype == amk_dtype::uint8 : w.dtype == amk_dtype::int8,
               fmt::format("has a weight of type {} for qdtype {}", name_of(w.dtype), qdtype));
        const u64_t k = in(0).last();
        equal("columns in its weight", w.last(), "for its input", packed ? (k + 1) / 2 : k);
        const i64_t group = t_.whole("group", static_cast<i64_t>(k));
        if (group < 1) return expect(false, fmt::format("has the parameter group = {}; at least 1 is expected", group));
        const u64_t groups = (k + static_cast<u64_t>(group) - 1) / static_cast<u64_t>(group);
        equal("scales", in(2).elements(), "groups of weights", w.dim(0) * groups);
        floats({&in(2)});
    }
    void attention() {
        const u64_t heads = static_cast<u64_t>(t_.whole("n_heads"));
        const u64_t kv_heads = static_cast<u64_t>(t_.whole("n_kv_heads"));
        const i64_t dim = t_.whole("head_dim");
        if (dim < 1) return expect(false, fmt::format("has the parameter head_dim = {}; at least 1 is expected", dim));
        const u64_t head = static_cast<u64_t>(dim);
        const bool batched = in(1).shape.size() == 4;
        const u64_t batch = batched ? in(1).dim(0) : 1;
        const bool partial = (t_.whole("flags") & 2) != 0;
        equal("elements in its queries", in(0).elements(), "by its parameters", batch * heads * head);
        equal("elements in its output", out().elements(), "by its parameters", batch * heads * (head + (partial ? 2 : 0)));
        for (usz i = 1; i < 3; ++i) {
            const u64_t positions = in(i).shape.empty() ? 1 : in(i).dim(batched && in(i).shape.size() == 4 ? 1 : 0);
            equal("elements of a position in a cache", in(i).elements() / positions, "by its parameters", batch * kv_heads * head);
        }
        expect(in(1).shape == in(2).shape, "has caches of keys and of values of different shapes");
        expect(t_.real("scale") > 0, fmt::format("has the parameter scale = {}; more than 0 is expected", t_.real("scale")));
        floats({&in(0), &in(1), &in(2), &out()});
    }
    /// Parts of [head_dim + 2] a head into [head_dim] a head.
    void combine() {
        for (usz i = 1; i < t_.inputs.size(); ++i) equal("elements in a part", in(i).elements(), "in its first", in(0).elements());
        const u64_t part = in(0).elements();
        const u64_t whole = out().elements();
        const bool fits = part > whole && (part - whole) % 2 == 0 && whole % ((part - whole) / 2) == 0;
        expect(fits, fmt::format("makes {} elements of parts with {}; a part has 2 more a head than the output", whole, part));
        if (fits && t_.param("head_dim") != nullptr) param_is("head_dim", whole / ((part - whole) / 2), "elements a head in its output");
        for (usz i = 0; i < t_.inputs.size(); ++i) floats({&in(i)});
        floats({&out()});
    }
    void rope() {
        const usz rank = in(0).shape.size();
        expect(rank == 2 || rank == 3, fmt::format("rotates a buffer of {} dimensions; 2 or 3 are expected", rank));
        expect(in(0).shape == out().shape, "has an output of another shape than its input");
        param_is("head_dim", in(0).last(), "columns in its input");
        expect(in(0).last() % 2 == 0, fmt::format("has heads of {} elements; an even number is expected", in(0).last()));
        expect(t_.real("theta") > 0, fmt::format("has the parameter theta = {}; more than 0 is expected", t_.real("theta")));
        expect(in(1).dtype == amk_dtype::int32, fmt::format("has positions of type {}; I32 is expected", name_of(in(1).dtype)));
        equal("positions", in(1).elements(), "for its input", rank == 3 ? in(0).dim(0) : 1);
        floats({&in(0), &out()});
    }
    void append() {
        const amk_buffer& cache = out();
        expect(t_.inputs[1] == t_.outputs[0], "appends to another buffer than the cache that it reads");
        const bool batched = cache.shape.size() == 4;
        const u64_t positions = cache.shape.empty() ? 1 : cache.dim(batched ? 1 : 0);
        const u64_t position = cache.elements() / positions;
        const bool fits = batched ? in(0).elements() == position : in(0).elements() % position == 0;
        expect(fits, fmt::format("appends {} elements; a position of the cache has {}", in(0).elements(), position));
        floats({&in(0), &cache});
    }

    void expect_recipe() {
        const std::string why = amk_recipe(t_, out().last()).judge();
        expect(why.empty(), why);
    }

    const amk_program& p_;
    const amk_task& t_;
    std::string found_;
};

}  // namespace detail

/// Adds the first misfit of every task to `faults`. @pre check_amk_structure and expand_amk found no fault
inline void check_amk_shapes(const amk_program& p, schedule_faults& faults) {
    for (usz i = 0; i < p.tasks.size(); ++i)
        if (const std::string why = detail::amk_fit(p, p.tasks[i]).judge(); !why.empty())
            faults.add("misfit", p.name_of_task(i) + " " + why);
}

}  // namespace netra::inline v0
